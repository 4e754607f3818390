package main

import (
	"fmt"
	"os"
)

// longestSocket is how long the path of a Unix socket may be.
const longestSocket = 80

// inFolder calls fn with a short name of folder dir: the path of a socket has 108 bytes.
func inFolder(dir string, fn func(dir string) error) error {
	if len(dir) <= longestSocket {
		return fn(dir)
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return fn(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
}
