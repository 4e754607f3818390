package servers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// one reads the only value that a statement gives, as text.
func one(t *testing.T, c *pgx.Conn, sql string) string {
	t.Helper()
	var v any
	if err := c.QueryRow(context.Background(), sql).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return fmt.Sprint(v)
}

// later runs a statement beside the test.
func later(c *pgx.Conn, sql string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), sql)
		done <- err
	}()
	return done
}

// waitsFor waits until a session waits for an advisory lock, as its own server shows it.
func waitsFor(t *testing.T, watch *pgx.Conn, c *pgx.Conn) {
	t.Helper()
	soon(t, "the wait", func() bool {
		var n int
		err := watch.QueryRow(context.Background(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid = $1", c.PgConn().PID()).Scan(&n)
		return err == nil && n == 1
	})
}

// TestAdvisoryOfServers: what one server's session holds another's waits for, and gets once it is
// given back, by word through the door and without one. Waits end when they are cancelled, or
// by lock_timeout.
func TestAdvisoryOfServers(t *testing.T) {
	t.Parallel()
	for _, door := range []string{"127.0.0.1:0", ""} {
		ctx, store := context.Background(), emulator.Start(t)
		_, first := openPeer(t, store, door)
		_, second := openPeer(t, store, door)
		a, b, watch := connectAs(t, first, "saltsql"), connectAs(t, second, "saltsql"), connectAs(t, second, "saltsql")
		one(t, a, "SELECT pg_advisory_lock(7)")
		if got := one(t, b, "SELECT pg_try_advisory_lock(7)"); got != "false" {
			t.Errorf("held on another server, and taken: %s", got)
		}
		waits := later(b, "SELECT pg_advisory_lock(7)")
		waitsFor(t, watch, b)
		if got := one(t, a, "SELECT pg_advisory_unlock(7)"); got != "true" {
			t.Errorf("unlock: %s", got)
		}
		if err := <-waits; err != nil {
			t.Error(err)
		}
		waits = later(a, "BEGIN; SELECT pg_advisory_xact_lock_shared(7); COMMIT")
		waitsFor(t, connectAs(t, first, "saltsql"), a)
		one(t, connectAs(t, first, "saltsql"), fmt.Sprintf("SELECT pg_cancel_backend(%d)", a.PgConn().PID()))
		if err := <-waits; err == nil || !strings.Contains(err.Error(), "57014") {
			t.Errorf("a wait that is cancelled: %v", err)
		}
		harness.MustExec(t, a, "ROLLBACK; SET lock_timeout = '50ms'")
		if _, err := a.Exec(ctx, "SELECT pg_advisory_lock(7)"); err == nil || !strings.Contains(err.Error(), "55P03") {
			t.Errorf("lock_timeout: %v", err)
		}
		b.Close(ctx)
		soon(t, "the end of the session's locks", func() bool { return one(t, a, "SELECT pg_try_advisory_lock(7)") == "true" })
	}
}

// startLocking runs two servers in processes of their own, of a lease of two seconds.
func startLocking(t *testing.T) (a, b *harness.Process) {
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	start := func() *harness.Process {
		return harness.Start(t, testInstance, "--catalog-refresh", "50ms", "--lease", "2s")
	}
	return start(), start()
}

// TestAdvisoryOfTheDead: the locks of a server that was killed are free after its lease. One that
// was stopped for longer ends its sessions with locks, and they write nothing more.
func TestAdvisoryOfTheDead(t *testing.T) {
	seeds.Sometimes(t)
	a, b := startLocking(t)
	ctx := context.Background()
	paused, free, other := a.Connect(t), a.Connect(t), b.Connect(t)
	harness.MustExec(t, other, "CREATE TABLE t (k INT PRIMARY KEY)")
	one(t, paused, "SELECT pg_advisory_lock(1)")
	one(t, paused, "SELECT pg_advisory_lock(2)")
	if err := a.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	one(t, other, "SELECT pg_advisory_lock(1)")
	write := later(paused, "INSERT INTO t VALUES (1)")
	if err := a.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := <-write; err == nil || !strings.Contains(err.Error(), "57P01") {
		t.Errorf("a session that has lost its locks: %v", err)
	}
	if got := one(t, other, "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("%s rows of a session that has lost its locks", got)
	}
	if got := one(t, free, "SELECT pg_try_advisory_lock(1)"); got != "false" { // a session without goes on
		t.Errorf("another's lock: %s", got)
	}
	one(t, free, "SELECT pg_advisory_lock(3)")
	a.Kill()
	for _, key := range []int{2, 3} {
		if _, err := other.Exec(ctx, "SELECT pg_advisory_lock($1)", key); err != nil {
			t.Error(err)
		}
	}
}

// TestAdvisoryCounter: sessions of three servers, one of which is stopped and another killed now and
// then, count by reading and then writing a number under an advisory lock: no count is lost.
func TestAdvisoryCounter(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for leases")
	}
	seeds.Sometimes(t)
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	start := func() *harness.Process {
		return harness.Start(t, testInstance, "--catalog-refresh", "50ms", "--lease", "2s")
	}
	var mu sync.Mutex
	ps := []*harness.Process{start(), start(), start()}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	admin := ps[0].Connect(t)
	harness.MustExec(t, admin, "CREATE TABLE counter (k INT PRIMARY KEY, n INT NOT NULL)")
	harness.MustExec(t, admin, "INSERT INTO counter VALUES (1, 0)")
	var sure, unsure atomic.Int64
	var work sync.WaitGroup
	seed := seeds.First(t)
	for w := range 6 {
		work.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			for ctx.Err() == nil {
				mu.Lock()
				p := ps[w%len(ps)]
				mu.Unlock()
				c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=saltsql dbname=saltsql sslmode=disable", p.Host, p.Port))
				if err != nil {
					time.Sleep(10 * time.Millisecond)
					continue
				}
				for err == nil {
					err = count(ctx, c, r.IntN(2) == 0, &sure, &unsure)
				}
				c.Close(context.Background())
			}
		})
	}
	more := seeds.Until(0, 15*time.Second)
	for round := 0; more(round); round++ {
		time.Sleep(time.Second)
		if round%2 == 0 {
			ps[0].Pause(t, 2500*time.Millisecond)
			continue
		}
		ps[1].Kill()
		next := start()
		mu.Lock()
		ps[1] = next
		mu.Unlock()
	}
	cancel()
	work.Wait()
	var n int64
	if err := ps[2].Connect(t).QueryRow(context.Background(), "SELECT n FROM counter").Scan(&n); err != nil {
		t.Fatal(err)
	}
	t.Logf("counted to %d: %d acknowledged, %d not known", n, sure.Load(), unsure.Load())
	if n < sure.Load() || n > sure.Load()+unsure.Load() {
		t.Errorf("counted to %d, %d were acknowledged and %d are not known", n, sure.Load(), unsure.Load())
	}
}

// count adds one to the counter: it reads, and writes what it has read and one more.
func count(ctx context.Context, c *pgx.Conn, xact bool, sure, unsure *atomic.Int64) error {
	lock, unlock := "SELECT pg_advisory_lock(5)", "SELECT pg_advisory_unlock(5)"
	if xact {
		lock, unlock = "BEGIN; SELECT pg_advisory_xact_lock(5)", "COMMIT"
	}
	if _, err := c.Exec(ctx, lock); err != nil {
		return err
	}
	var n int
	if err := c.QueryRow(ctx, "SELECT n FROM counter WHERE k = 1").Scan(&n); err != nil {
		return err
	}
	_, err := c.Exec(ctx, fmt.Sprintf("UPSERT INTO counter VALUES (1, %d)", n+1))
	if err == nil {
		_, err = c.Exec(ctx, unlock)
	} else {
		unsure.Add(1)
		return err
	}
	switch {
	case err == nil:
		sure.Add(1)
	case xact:
		unsure.Add(1)
	default:
		sure.Add(1) // written, if not given back
	}
	return err
}

// migrations are what programs send that migrate a schema, before and after: each waits for the
// others, or tries again.
var migrations = []struct {
	name, lock, unlock string
	try                bool
}{
	{name: "golang-migrate", lock: "SELECT pg_advisory_lock(4711815)", unlock: "SELECT pg_advisory_unlock(4711815)"},
	{name: "Prisma", lock: "SELECT pg_advisory_lock(72707369)", unlock: "SELECT pg_advisory_unlock(72707369)"},
	{name: "Flyway", lock: "SELECT pg_try_advisory_lock(77431708279161)", unlock: "SELECT pg_advisory_unlock(77431708279161)", try: true},
	{name: "Flyway in a transaction", lock: "BEGIN; SELECT pg_advisory_xact_lock(77431708279162)", unlock: "COMMIT"},
}

// TestMigrationsAtOnce: two runs of a migration through two servers at once, which seldom look for
// each other's changes. One of them makes the table and fills it, the other finds it.
func TestMigrationsAtOnce(t *testing.T) {
	t.Parallel()
	store := emulator.Start(t)
	_, first := openPeerEvery(t, store, "127.0.0.1:0", 5*time.Second)
	_, second := openPeerEvery(t, store, "127.0.0.1:0", 5*time.Second)
	for i, m := range migrations {
		table := fmt.Sprintf("m%d", i)
		var runs sync.WaitGroup
		for _, addr := range []string{first, second} {
			c := connectAs(t, addr, "saltsql")
			runs.Go(func() {
				ctx := context.Background()
				must := func(sql string) {
					if _, err := c.Exec(ctx, sql); err != nil {
						t.Errorf("%s: %s: %v", m.name, sql, err)
					}
				}
				for got := false; m.try && !got; {
					if err := c.QueryRow(ctx, m.lock).Scan(&got); err != nil {
						t.Error(err)
						return
					}
				}
				if !m.try {
					must(m.lock)
				}
				var there bool
				if err := c.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE tablename = $1)", table).Scan(&there); err != nil {
					t.Error(err)
				}
				if !there {
					must("CREATE TABLE " + table + " (k INT PRIMARY KEY)")
					must("INSERT INTO " + table + " VALUES (1)")
				}
				must(m.unlock)
			})
		}
		runs.Wait()
		if got := one(t, connectAs(t, first, "saltsql"), "SELECT count(*) FROM "+table); got != "1" {
			t.Errorf("%s: %s rows", m.name, got)
		}
	}
}
