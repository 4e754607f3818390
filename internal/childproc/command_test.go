package childproc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/childproc/childproctest"
)

// TestNothingIsLeft starts what is hard to end: a process that ignores what it can, one that is
// stopped, and one that has left the group, as PostgreSQL's backends do. A shell whose child is
// killed starts another.
func TestNothingIsLeft(t *testing.T) {
	// With the shells run the test's process and the watchdog.
	childproctest.NothingIsLeft(t, 2+5, func(t *testing.T) {
		if err := childproc.Watch(); err != nil {
			t.Fatal(err)
		}
		ready := filepath.Join(t.TempDir(), "ready")
		for i, script := range []string{
			"trap '' INT QUIT TERM HUP; touch $1; while :; do sleep 1000; done",
			"touch $1; while :; do sleep 1000; done",
			// The kernel hangs up on a group that loses its last tie while one of it is stopped.
			"trap '' HUP; setsid sh -c 'trap \"\" INT QUIT TERM HUP; touch $1; while :; do sleep 1000; done' sh $1; :",
		} {
			at := fmt.Sprint(ready, i)
			cmd := childproc.Command("sh", "-c", script, "sh", at)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for _, err := os.Stat(at); err != nil; _, err = os.Stat(at) {
			}
			if i == 1 {
				if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestCommand runs a command to its end; what it leaves in the temporary folder is where this
// process's files are.
func TestCommand(t *testing.T) {
	out, err := childproc.Command("sh", "-c", "echo $TMPDIR").Output()
	if err != nil || string(out) != os.TempDir()+"\n" {
		t.Errorf("%q, %v: the folder is %q", out, err, os.TempDir())
	}
	if _, err := childproc.Command("no such program").Output(); err == nil {
		t.Error("a program that is not there ran")
	}
}
