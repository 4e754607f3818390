package childproc

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Command is exec.Command for a process that ends when this one does. What its SysProcAttr says of
// process groups must stay.
func Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	dog, err := watchdog()
	if err != nil && cmd.Err == nil {
		cmd.Err = err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: dog.group}
	return cmd
}

// Watch starts the watchdog, if no Command has yet: temporary folders that are made from now on,
// by this process or its children, go when this process ends. TMPDIR says where they are.
func Watch() error {
	_, err := watchdog()
	return err
}

// guard is a watchdog's process group, and the end of its pipe that closes when this process ends:
// kept, for to be collected would close it too.
type guard struct {
	group int
	alive io.Closer
}

// watchdog starts the watchdog once.
var watchdog = sync.OnceValues(func() (dog guard, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("no watchdog for the test's processes: %w", err)
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return dog, err
	}
	folder, err := os.MkdirTemp("", "saltsql-")
	if err != nil {
		return dog, err
	}
	if err := os.Chmod(folder, 0o711); err != nil { // PostgreSQL runs as another user
		return dog, err
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"saltsql-watchdog"} // not to be killed by the test program's name
	cmd.Env = append(os.Environ(), folderToWatch+"="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if dog.alive, err = cmd.StdinPipe(); err != nil {
		return dog, err
	}
	watches, err := cmd.StdoutPipe()
	if err != nil {
		return dog, err
	}
	if err := cmd.Start(); err != nil {
		return dog, err
	}
	if _, err := watches.Read(make([]byte, 1)); err != nil {
		return dog, err
	}
	watches.Close()
	dog.group = cmd.Process.Pid
	return dog, os.Setenv("TMPDIR", folder)
})
