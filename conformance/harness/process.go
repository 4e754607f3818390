package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/childproc"
)

// Build makes the command once per test run, in a folder that goes with it.
var Build = sync.OnceValues(func() (string, error) {
	if err := childproc.Watch(); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "bin-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "saltsql")
	// Without the shipped program's profile, so that its packages are those that the tests are built of.
	out, err := childproc.Command("go", "build", "-tags", "parquet", "-ldflags=-s -w", "-o", path, "github.com/saltsql/saltsql/cmd/saltsql").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// Main runs a package's tests: what TestMain does in each that starts processes. Their temporary
// folders go with the process too.
func Main(m *testing.M) {
	if os.Getenv(emulatorProcess) != "" {
		runEmulator()
		return
	}
	if err := childproc.Watch(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Process is a server in a process of its own.
type Process struct {
	Cmd  *exec.Cmd
	Host string
	Port int
	Log  *ProcessLog
	end  sync.Once
	err  error // of Wait
}

// ProcessLog is what a process writes as its log, to be read while it runs too.
type ProcessLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *ProcessLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *ProcessLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var servesOn = regexp.MustCompile(`psql -h (\S+) -p (\d+)`)

// Start runs `saltsql serve` on a free port and waits for its address.
func Start(t testing.TB, store string, extra ...string) *Process {
	t.Helper()
	p, err := TryStart(t, store, extra...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TryStart is Start that gives the error.
func TryStart(t testing.TB, store string, extra ...string) (*Process, error) {
	path, err := Build()
	if err != nil {
		return nil, err
	}
	return runServer(t, path, ServeArgs(store, extra...)...)
}

// ServeArgs are those of a server of a store on a free port, which logs warnings.
func ServeArgs(store string, extra ...string) []string {
	return append([]string{"serve", "--store", store, "--listen", "127.0.0.1:0", "--log-level", "warn"}, extra...)
}

// StartCommand runs a command that ends up serving, and waits for its address.
func StartCommand(t testing.TB, path string, args ...string) *Process {
	t.Helper()
	p, err := runServer(t, path, args...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runServer(t testing.TB, path string, args ...string) (*Process, error) {
	return RunLogging(t, &ProcessLog{}, path, args...)
}

// RunLogging is runServer with a log that can be read before the server serves.
func RunLogging(t testing.TB, log *ProcessLog, path string, args ...string) (*Process, error) {
	return RunCommand(t, log, childproc.Command(path, args...))
}

// RunCommand runs a command that ends up serving, with its log.
func RunCommand(t testing.TB, log *ProcessLog, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Log: log, Cmd: cmd}
	out, err := p.Cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.Cmd.Stderr = p.Log
	if err := p.Cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() { p.Kill() })
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		if m := servesOn.FindStringSubmatch(sc.Text()); m != nil {
			p.Host = m[1]
			p.Port, _ = strconv.Atoi(m[2])
			return p, nil
		}
	}
	err = p.Wait()
	return nil, fmt.Errorf("the server ended: %v\n%s", err, p.Log)
}

// Kill ends the process at once, as a power failure would.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill()
	_ = p.Wait()
}

// Pause stops the process for d, in the middle of what it does, and has it go on.
func (p *Process) Pause(t testing.TB, d time.Duration) {
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := p.Cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		if sig == syscall.SIGSTOP {
			time.Sleep(d)
		}
	}
}

// Wait reaps the process; any number may wait.
func (p *Process) Wait() error {
	p.end.Do(func() { p.err = p.Cmd.Wait() })
	return p.err
}

// Stop ends the process as an operator would.
func (p *Process) Stop(t testing.TB) {
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("the server did not end well: %v\n%s", err, p.Log)
	}
}

// Connect makes a client as long as t lives.
func (p *Process) Connect(t testing.TB) *pgx.Conn { return Connect(t, p.Host, p.Port) }

// ConnectAs is Connect as a user.
func (p *Process) ConnectAs(t testing.TB, user string) *pgx.Conn {
	c, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%d user=%s dbname=saltsql sslmode=disable", p.Host, p.Port, user))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// Command runs the program to its end and gives its exit status.
func Command(t testing.TB, args ...string) (out string, status int) {
	t.Helper()
	path, err := Build()
	if err != nil {
		t.Fatal(err)
	}
	b, err := childproc.Command(path, args...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(b), exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(b), 0
}

// MustCommand runs the program, and ends the test where it fails.
func MustCommand(t testing.TB, args ...string) string {
	t.Helper()
	out, status := Command(t, args...)
	if status != 0 {
		t.Fatalf("saltsql %s ended with status %d:\n%s", strings.Join(args, " "), status, out)
	}
	return out
}
