package wire

import (
	"net"
	"syscall"
	"unsafe"
)

// rawConn gives access to the descriptor of a socket, nil where nc is something else.
func rawConn(nc net.Conn) syscall.RawConn {
	switch nc := nc.(type) {
	case *net.TCPConn:
		if raw, err := nc.SyscallConn(); err == nil {
			return raw
		}
	case *net.UnixConn:
		if raw, err := nc.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// pollFD is what ppoll(2) takes.
type pollFD struct {
	fd              int32
	events, revents int16
}

const (
	pollErr   = 0x8
	pollHup   = 0x10
	pollRdHup = 0x2000
)

// canTell says that hungUp can know.
const canTell = true

// hungUp says that the client has closed its end of nc, or that the connection has
// broken: also where bytes of the client are still to be read. It does not wait.
func hungUp(nc net.Conn) bool {
	raw := rawConn(nc)
	if raw == nil {
		return false
	}
	var p pollFD
	err := raw.Control(func(fd uintptr) {
		p = pollFD{fd: int32(fd), events: pollRdHup}
		var now syscall.Timespec
		syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	})
	return err == nil && p.revents&(pollErr|pollHup|pollRdHup) != 0
}
