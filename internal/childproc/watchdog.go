package childproc

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// folderToWatch in the environment makes this program a watchdog, and is the folder that it
// removes at last.
const folderToWatch = "SALTSQL_WATCHDOG"

func init() {
	if folder := os.Getenv(folderToWatch); folder != "" {
		watch(folder)
		os.Exit(0)
	}
}

const (
	patience = 1500 * time.Millisecond // for what was asked to end; then it is killed
	interval = 20 * time.Millisecond   // between looks at what is left
)

// watch says that it is there by a line, waits for the end of the process that started this one, and then ends all that is left.
func watch(folder string) {
	signal.Ignore() // what is sent to its group reaches it too
	_, _ = os.Stdout.WriteString("\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	group := syscall.Getpgrp()
	listed := endFamily(group)
	if !listed {
		_ = syscall.Kill(-group, syscall.SIGQUIT)
		time.Sleep(patience)
	}
	unmount(folder)
	_ = os.RemoveAll(folder)
	if !listed {
		_ = syscall.Kill(-group, syscall.SIGKILL) // and this process
	}
}

// endFamily ends the processes of this one's group and their descendants: a PostgreSQL's backends
// have groups of their own. It asks the group by SIGQUIT first, by which PostgreSQL gives its
// shared memory back. It is false where the system does not list its processes in /proc.
func endFamily(group int) bool {
	left := family{}
	if !left.look(group) {
		return false
	}
	for p, inGroup := range left {
		if inGroup {
			_ = syscall.Kill(p.pid, syscall.SIGQUIT)
		}
	}
	for asked := time.Now(); len(left) > 0; left.look(group) {
		if time.Since(asked) > patience {
			// One whose child is killed first starts another, which nobody would know: all stop
			// first, and who has come since is found by its parent.
			left.signal(syscall.SIGSTOP)
			left.look(group)
			left.signal(syscall.SIGKILL)
		}
		time.Sleep(interval)
	}
	return true
}

func (f family) signal(s syscall.Signal) {
	for p := range f {
		_ = syscall.Kill(p.pid, s)
	}
}

// unmount takes away the file systems that tests have mounted in folder.
func unmount(folder string) {
	mounts, _ := os.ReadFile("/proc/self/mounts")
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[1], folder+"/") {
			_ = exec.Command("umount", "-l", f[1]).Run()
		}
	}
}
