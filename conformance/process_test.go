package conformance

import (
	"bufio"
	"context"
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
)

// builtIn is the folder of the command, once it is made.
var builtIn string

// buildOnce makes the command once per test run.
var buildOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "saltsql-bin-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "saltsql")
	// Without the profile, the packages are those that the tests are built of.
	out, err := exec.Command("go", "build", "-pgo=off", "-o", path, "github.com/saltsql/saltsql/cmd/saltsql").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if os.Getenv(emulatorProcess) != "" {
		runEmulator()
		return
	}
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// process is a server in a process of its own.
type process struct {
	cmd  *exec.Cmd
	host string
	port int
	log  *processLog
	end  sync.Once
	err  error // of Wait
}

// processLog is what a process writes as its log, to be read while it runs too.
type processLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *processLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var servesOn = regexp.MustCompile(`psql -h (\S+) -p (\d+)`)

// startProcess runs `saltsql serve` on a free port and waits for its address.
func startProcess(t testing.TB, store string, extra ...string) *process {
	t.Helper()
	p, err := tryProcess(t, store, extra...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryProcess(t testing.TB, store string, extra ...string) (*process, error) {
	path, err := buildOnce()
	if err != nil {
		return nil, err
	}
	return runServer(t, path, serveArgs(store, extra...)...)
}

// serveArgs are those of a server of a store on a free port, which logs warnings.
func serveArgs(store string, extra ...string) []string {
	return append([]string{"serve", "--store", store, "--listen", "127.0.0.1:0", "--log-level", "warn"}, extra...)
}

// startServer runs a command that ends up serving, and waits for its address.
func startServer(t testing.TB, path string, args ...string) *process {
	t.Helper()
	p, err := runServer(t, path, args...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runServer(t testing.TB, path string, args ...string) (*process, error) {
	return runServerLogging(t, &processLog{}, path, args...)
}

// runServerLogging is runServer with a log that can be read before the server serves.
func runServerLogging(t testing.TB, log *processLog, path string, args ...string) (*process, error) {
	return runCommand(t, log, exec.Command(path, args...))
}

func runCommand(t testing.TB, log *processLog, cmd *exec.Cmd) (*process, error) {
	p := &process{log: log, cmd: cmd}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() { p.kill() })
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		if m := servesOn.FindStringSubmatch(sc.Text()); m != nil {
			p.host = m[1]
			p.port, _ = strconv.Atoi(m[2])
			return p, nil
		}
	}
	err = p.wait()
	return nil, fmt.Errorf("the server ended: %v\n%s", err, p.log)
}

// kill ends the process at once, as a power failure would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.wait()
}

// pause stops the process for d, in the middle of what it does, and has it go on.
func (p *process) pause(t testing.TB, d time.Duration) {
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := p.cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		if sig == syscall.SIGSTOP {
			time.Sleep(d)
		}
	}
}

// wait reaps the process; any number may wait.
func (p *process) wait() error {
	p.end.Do(func() { p.err = p.cmd.Wait() })
	return p.err
}

// stop ends the process as an operator would.
func (p *process) stop(t testing.TB) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("the server did not end well: %v\n%s", err, p.log)
	}
}

func (p *process) connect(t testing.TB) *pgx.Conn { return connect(t, p.host, p.port) }

func (p *process) connectAs(t testing.TB, user string) *pgx.Conn {
	c, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%d user=%s dbname=saltsql sslmode=disable", p.host, p.port, user))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// TestKill kills the server during single-row INSERTs and a COPY. Every
// acknowledged row must be there, each row whole, COPY all or nothing.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	dir := filepath.Join(t.TempDir(), "store")
	acked := map[int]bool{}
	next, copies := 0, 0
	for round := range rounds {
		p := startProcess(t, "pebble:"+dir)
		c := p.connect(t)
		if round == 0 {
			mustExec(t, c, "CREATE TABLE k (id INT, a INT NOT NULL, b VARCHAR NOT NULL, PRIMARY KEY (id)) SALT_BUCKETS = 8")
			mustExec(t, c, "CREATE TABLE kc (batch INT, id INT, v VARCHAR NOT NULL, PRIMARY KEY (batch, id)) SALT_BUCKETS = 8")
		}
		checkKilled(t, c, acked)
		var wg sync.WaitGroup
		copyAcked := make(chan bool, 1)
		wg.Add(1)
		go func() {
			defer wg.Done()
			copyAcked <- copyBatch(p, copies, 20_000)
		}()
		timer := time.AfterFunc(time.Duration(50+37*round)*time.Millisecond, p.kill)
		for {
			if _, err := c.Exec(context.Background(), "INSERT INTO k VALUES ($1, $2, $3)", next, next*2, strconv.Itoa(next)); err != nil {
				next++ // its outcome is not known
				break
			}
			acked[next] = true
			next++
		}
		wg.Wait()
		timer.Stop()
		p.kill()
		c.Close(context.Background())
		copies = checkCopies(t, dir, copies, <-copyAcked)
	}
	t.Logf("%d rounds, %d acknowledged rows, %d COPY batches", rounds, len(acked), copies)
	p := startProcess(t, "pebble:"+dir)
	checkKilled(t, p.connect(t), acked)
	p.stop(t)
}

func copyBatch(p *process, batch, rows int) bool {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.host, p.port))
	if err != nil {
		return false
	}
	defer c.Close(ctx)
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d\t%d\tv%d\n", batch, i, i)
	}
	_, err = c.PgConn().CopyFrom(ctx, strings.NewReader(b.String()), "COPY kc FROM STDIN")
	return err == nil
}

// checkKilled reads k after a restart: acknowledged rows are there, no row is half.
func checkKilled(t *testing.T, c *pgx.Conn, acked map[int]bool) {
	t.Helper()
	rows, err := c.Query(context.Background(), "SELECT id, a, b FROM k ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for rows.Next() {
		var id, a int
		var b string
		if err := rows.Scan(&id, &a, &b); err != nil {
			t.Fatal(err)
		}
		if a != id*2 || b != strconv.Itoa(id) {
			t.Fatalf("row %d is half: a=%d b=%q", id, a, b)
		}
		seen[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for id := range acked {
		if !seen[id] {
			t.Fatalf("acknowledged row %d is lost", id)
		}
	}
}

// checkCopies restarts the server and gives the next batch's number.
func checkCopies(t *testing.T, dir string, batch int, acked bool) int {
	p := startProcess(t, "pebble:"+dir)
	defer p.kill()
	var n int
	if err := p.connect(t).QueryRow(context.Background(), "SELECT count(*) FROM kc WHERE batch = $1", batch).Scan(&n); err != nil {
		t.Fatal(err)
	}
	switch {
	case n != 0 && n != 20_000:
		t.Fatalf("batch %d has %d rows: COPY is all or nothing", batch, n)
	case n == 0 && acked:
		t.Fatalf("acknowledged batch %d is lost", batch)
	case n == 0:
		return batch
	}
	return batch + 1
}

// TestSecondServer wants a clear refusal for a second process on one folder.
func TestSecondServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	p := startProcess(t, "pebble:"+dir)
	if _, err := tryProcess(t, "pebble:"+dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second server on the folder: %v", err)
	}
	mustExec(t, p.connect(t), "SELECT 1")
	p.stop(t)
}
