package pebble

import "syscall"

// grow sets the size of a file, with blocks of zeros from offset on.
func grow(fd uintptr, offset, length int64) error {
	return syscall.Fallocate(int(fd), 0, offset, length)
}
