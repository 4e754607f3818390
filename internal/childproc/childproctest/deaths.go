package childproctest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/childproc"
)

const (
	death = "SALTSQL_TEST_DEATH" // in the environment: how the process shall die
	ready = "all is started"
)

// most is what package childproc promises: after it, nothing is left.
const most = 5 * time.Second

// NothingIsLeft runs the test that calls it once more, in a process of its own for each way to
// die. There start starts processes, at least as many as wanted, and the process dies: killed, in
// a panic, or by go test's timeout, none of which runs a Cleanup. After five seconds none of the
// processes and of the temporary folders is there. It needs Linux, and skips the test elsewhere.
func NothingIsLeft(t *testing.T, wanted int, start func(t *testing.T)) {
	if how := os.Getenv(death); how != "" {
		start(t)
		fmt.Println(ready)
		if how == "panic" {
			go panic("as the test asks")
		}
		for {
			time.Sleep(time.Hour)
		}
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("processes are found by /proc: ", err)
	}
	t.Parallel()
	for _, how := range []string{"kill", "panic", "timeout"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			// One that has not started all in time dies too, but shows less.
			for limit := 5 * time.Second; !dies(t, how, limit, wanted); limit *= 3 {
			}
		})
	}
}

// dies is false where the process died before all was started.
func dies(t *testing.T, how string, limit time.Duration, wanted int) bool {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := childproc.Watch(); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "death-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o711); err != nil { // PostgreSQL runs as another user
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	if how != "timeout" {
		limit = 0 // none
	}
	cmd := childproc.Command(self, "-test.run=^"+name+"$", "-test.timeout="+limit.String())
	// Processes are known by the folder that they work in.
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), death+"="+how, "TMPDIR="+folder)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() != ready {
			fmt.Fprintln(&log, lines.Text())
			continue
		}
		started = true
		if how == "kill" {
			if n := len(worksIn(folder)); n < wanted {
				t.Errorf("%d processes, not %d, before the kill: %q", n, wanted, worksIn(folder))
			}
			_ = cmd.Process.Kill()
		}
	}
	err = cmd.Wait()
	if err == nil || !started && how != "timeout" {
		t.Fatalf("it ended before all was started: %v\n%s", err, log.String())
	}
	for died := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		left, files := worksIn(folder), filesIn(folder)
		if len(left) == 0 && len(files) == 0 {
			t.Logf("all is gone %s after its death", time.Since(died).Round(time.Millisecond))
			return started
		}
		if time.Since(died) > most {
			t.Fatalf("left are %q and %q", left, files)
		}
	}
}

// worksIn gives the command lines of the processes that work in folder or below it.
func worksIn(folder string) (all []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if dir, _ := os.Readlink(l); dir == folder || strings.HasPrefix(dir, folder+"/") {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(l), "cmdline"))
			all = append(all, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return all
}

func filesIn(folder string) (all []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
