package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"github.com/saltsql/saltsql/internal/race"
)

// socket reads and writes a client's socket by system calls that the Go scheduler is
// not told of. They never wait, since the descriptor does not block; where nothing can
// be done yet, RawConn parks the goroutine as net.Conn would.
//
// A write wakes the client, which the kernel often runs at once in the writer's place.
// A scheduler that is told takes the writer for one that waits in the kernel: it gives
// the processor to another thread, wants it back a moment later, and has its
// monitor look every 20 µs. With several clients that was a tenth of the processor
// time of a point read.
//
// The race detector learns from package syscall's calls what goes through a socket: where
// it looks, each transfer is told to it by one of no bytes.
type socket struct {
	in, out transfer
}

// transfer is one direction of a socket, for one goroutine at a time.
type transfer struct {
	name string
	call uintptr
	wait func(try func(fd uintptr) bool) error // until try says true
	try  func(fd uintptr) bool                 // once, kept as a value
	buf  []byte
	n    int
	err  syscall.Errno
}

// direct gives the way to read and write nc: a socket where it is one of the system's.
func direct(nc net.Conn) io.ReadWriter {
	raw := rawConn(nc)
	if raw == nil {
		return nc
	}
	s := &socket{}
	s.in.init("read", syscall.SYS_READ, raw.Read)
	s.out.init("write", syscall.SYS_WRITE, raw.Write)
	return s
}

func (t *transfer) init(name string, call uintptr, wait func(func(uintptr) bool) error) {
	t.name, t.call, t.wait, t.try = name, call, wait, t.once
}

// once makes the system call; false where it would wait.
func (t *transfer) once(fd uintptr) bool {
	if race.Enabled && t.call == syscall.SYS_WRITE {
		_, _ = syscall.Write(int(fd), nil)
	}
	for {
		n, _, err := syscall.RawSyscall(t.call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(t.buf))), uintptr(len(t.buf)))
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		}
		t.n, t.err = int(n), err
		if race.Enabled && t.call == syscall.SYS_READ {
			_, _ = syscall.Read(int(fd), nil)
		}
		return true
	}
}

// some transfers a part of p, which is not empty.
func (t *transfer) some(p []byte) (int, error) {
	t.buf = p
	err := t.wait(t.try)
	t.buf = nil
	switch {
	case err != nil:
		return 0, err
	case t.err != 0:
		return 0, &net.OpError{Op: t.name, Net: "socket", Err: os.NewSyscallError(t.name, t.err)}
	}
	return t.n, nil
}

// Read implements io.Reader.
func (s *socket) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := s.in.some(p)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write implements io.Writer.
func (s *socket) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := s.out.some(p[done:])
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
