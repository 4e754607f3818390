package main

import (
	"net"
	"os"
)

// notify tells the service manager how far the server is, as sd_notify(3) has it: where no
// NOTIFY_SOCKET is named, nobody asks.
func notify(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"}) // a leading @ is an abstract name
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}
