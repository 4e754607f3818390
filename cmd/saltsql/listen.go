package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// socketName is that of PostgreSQL's sockets, before the port.
const socketName = ".s.PGSQL."

// listenAll gives what clients connect to, the first by which the user is told: the sockets that
// systemd hands over, or else --listen and a socket in --socket-dir.
func (c serveConfig) listenAll() (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, ln := range all {
				ln.Close()
			}
		}
	}()
	if all, err = handedOver(3); len(all) > 0 || err != nil {
		return all, err
	}
	ln, err := net.Listen("tcp", c.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %q: %w", c.listen, err)
	}
	all = append(all, ln)
	if c.socketDir == "" {
		return all, nil
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	if ln, err = listenUnix(filepath.Join(c.socketDir, socketName+port)); err != nil {
		return all, fmt.Errorf("--socket-dir %q: %w", c.socketDir, err)
	}
	return append(all, ln), nil
}

// psqlArgs are those by which psql connects to addr.
func psqlArgs(addr net.Addr) string {
	if addr.Network() == "unix" {
		dir, port := filepath.Split(addr.String())
		return fmt.Sprintf("-h %s -p %s", filepath.Clean(dir), strings.TrimPrefix(port, socketName))
	}
	host, port, _ := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("-h %s -p %s", host, port)
}

// listenUnix makes a socket that every user of the machine may connect to, as PostgreSQL does.
// One that nobody answers was left by a server that died.
func listenUnix(path string) (net.Listener, error) {
	if len(path) > 107 { // as unix(7) has it
		return nil, fmt.Errorf("%s is longer than the 107 bytes that a socket's path may have", path)
	}
	conn, err := net.Dial("unix", path)
	switch {
	case err == nil:
		conn.Close()
		return nil, fmt.Errorf("another server answers on %s", path)
	case errors.Is(err, syscall.ECONNREFUSED):
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o777); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// handedOver gives the sockets that the service manager listens on for this process, from file
// descriptor first on, as sd_listen_fds(3) has it. Programs that this one starts do not see them.
func handedOver(first int) (all []net.Listener, err error) {
	pid, n := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	count, err := strconv.Atoi(n)
	if err != nil || count < 0 || count > 16 {
		return nil, fmt.Errorf("the service manager hands over LISTEN_FDS=%q sockets, not 0 to 16", n)
	}
	for fd := first; fd < first+count; fd++ {
		f := os.NewFile(uintptr(fd), "socket "+strconv.Itoa(fd))
		ln, err := net.FileListener(f) // a descriptor of its own
		f.Close()
		if err != nil {
			return all, fmt.Errorf("the service manager handed over file descriptor %d, on which nothing can be accepted: %w", fd, err)
		}
		all = append(all, ln)
	}
	return all, nil
}
