package servers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

var (
	clusterTime  = flag.Duration("cluster.time", time.Duration(seeds.Amount(4, 10))*time.Second, "how long TestCluster runs; the promise is 10m")
	clusterEvery = flag.Duration("cluster.every", 2*time.Second, "how often TestCluster restarts or kills a server; the promise is 20s")
)

// TestCluster restarts or kills one of three servers again and again, while clients of all of them
// write an indexed table, change it, empty another, draw from a sequence and take a lock. What was
// acknowledged is there, entries are those of the rows, no number is drawn twice, and no two have the
// lock.
func TestCluster(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 5))
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	start := func() *harness.Process {
		return harness.Start(t, testInstance, "--catalog-refresh", "50ms", "--lease", "3s")
	}
	ps := []*harness.Process{start(), start(), start()}
	admin := ps[0].Connect(t)
	for _, sql := range []string{
		"CREATE TABLE kx (id INT PRIMARY KEY, a INT, u INT UNIQUE, c TEXT) SALT_BUCKETS = 4",
		"CREATE INDEX kx_a ON kx (a) INCLUDE (c)", "CREATE INDEX kx_c ON kx (c, a) WHERE a > 3 SALT_BUCKETS = 4",
		"CREATE TABLE emptied (k INT PRIMARY KEY, v INT)", "CREATE INDEX emptied_v ON emptied (v)", "CREATE SEQUENCE q",
	} {
		harness.MustExec(t, admin, sql)
	}
	writers := make([]*indexedWriter, 6)
	for i := range writers {
		writers[i] = &indexedWriter{id: i + 1, rows: map[int]int{}, unknown: map[int]bool{}}
	}
	c := cluster{drawn: map[int]bool{}, did: map[string]int{}}
	round := 0
	for began := time.Now(); time.Since(began) < *clusterTime && !t.Failed(); round++ {
		stop := make(chan struct{})
		var all sync.WaitGroup
		to := func(i int) string { return dsn(ps[i%len(ps)].Host, ps[i%len(ps)].Port, "tester") }
		for i, w := range writers {
			wr, to := rand.New(rand.NewPCG(seed, uint64(1000*round+i))), to(i)
			all.Go(func() { w.run(t, to, wr, stop) })
		}
		for i, work := range []func(*testing.T, *pgx.Conn, *rand.Rand) error{c.alter, c.empty, c.draw, c.draw, c.lock, c.lock, c.lock} {
			wr, to := rand.New(rand.NewPCG(seed, uint64(1000*round+100+i))), to(i+round)
			all.Go(func() { c.again(t, to, wr, stop, work) })
		}
		time.Sleep(*clusterEvery/2 + time.Duration(r.Int64N(int64(*clusterEvery))))
		victim := r.IntN(len(ps))
		if round%2 == 0 {
			ps[victim].Kill()
		} else {
			ps[victim].Stop(t)
		}
		time.Sleep(50 * time.Millisecond)
		close(stop)
		all.Wait()
		ps[victim] = start()
		checkIndexed(t, ps[(victim+1)%len(ps)], writers, round)
	}
	checked, err := ps[0].Connect(t).Query(context.Background(), "CHECK TABLE emptied ALL")
	if err != nil {
		t.Fatal(err)
	}
	defer checked.Close()
	for checked.Next() {
		if vals, err := checked.Values(); err != nil || fmt.Sprint(vals[2:6]) != "[0 0 0 0]" {
			t.Errorf("CHECK TABLE emptied: %v, %v", vals, err)
		}
	}
	t.Logf("seed %d: %d rounds; %d numbers drawn; done: %v", seed, round, len(c.drawn), c.did)
}

// cluster is what clients of several servers know together.
type cluster struct {
	mu    sync.Mutex
	drawn map[int]bool
	did   map[string]int // by what was done, and how it ended
	since []int          // rows of the table that is emptied; only its client has it
	doubt bool           // it is not known what that has
	next  int
	held  atomic.Int64 // who has the lock
	names atomic.Int64
}

// again does work by a connection until stop is closed or the server is gone. Statements may end
// with what a server that goes, and DDL of another, have them end with.
func (c *cluster) again(t *testing.T, dsn string, r *rand.Rand, stop chan struct{}, work func(*testing.T, *pgx.Conn, *rand.Rand) error) {
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		return
	}
	defer conn.Close(context.Background())
	for {
		select {
		case <-stop:
			return
		default:
		}
		err := work(t, conn, r)
		switch code := harness.SQLState(err); {
		case err == nil:
		case conn.IsClosed():
			return
		case strings.HasPrefix(code, "57") || slices.Contains([]string{"40001", "40003", "08006", "55P03"}, code):
		default:
			t.Error(err)
			return
		}
	}
}

func (c *cluster) count(what string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		what += " " + harness.SQLState(err)
	}
	c.did[what]++
}

// alter changes the table that all write.
func (c *cluster) alter(_ *testing.T, conn *pgx.Conn, r *rand.Rand) error {
	sql := []string{
		"ALTER TABLE kx ADD COLUMN IF NOT EXISTS z INT DEFAULT 4", "ALTER TABLE kx DROP COLUMN IF EXISTS z",
		fmt.Sprintf("ALTER TABLE kx SET SALT_BUCKETS = %d", r.IntN(6)),
		"CREATE INDEX IF NOT EXISTS kx_more ON kx (a, u)", "DROP INDEX IF EXISTS kx_more", "CREATE UNIQUE INDEX IF NOT EXISTS kx_one ON kx (u, a)", "DROP INDEX IF EXISTS kx_one",
	}[r.IntN(7)]
	_, err := conn.Exec(context.Background(), sql)
	c.count(strings.Join(strings.Fields(sql)[:2], " "), err)
	if code := harness.SQLState(err); code == "0A000" || code == "42P07" || code == "42704" || code == "55000" || code == "55006" {
		return nil // another server's job is at work on the table, or has just ended
	}
	return err
}

// empty writes a few rows, reads them by the table and by its index, and empties the table.
func (c *cluster) empty(t *testing.T, conn *pgx.Conn, r *rand.Rand) error {
	ctx := context.Background()
	if c.doubt || r.IntN(4) == 0 {
		_, err := conn.Exec(ctx, "TRUNCATE emptied")
		c.count("TRUNCATE", err)
		if c.doubt = err != nil; c.doubt {
			return err
		}
		c.since = c.since[:0]
	}
	c.next++
	if _, err := conn.Exec(ctx, "INSERT INTO emptied VALUES ($1, $1)", c.next); err != nil {
		c.doubt = true
		return err
	}
	c.since = append(c.since, c.next)
	for _, by := range []string{"/*+ NO_INDEX */", "/*+ INDEX(emptied emptied_v) */"} {
		var got []int
		err := conn.QueryRow(ctx, "SELECT "+by+" coalesce(array_agg(v ORDER BY v), '{}') FROM emptied WHERE v > 0").Scan(&got)
		if err == nil && !slices.Equal(got, c.since) {
			t.Errorf("%s: rows %v, acknowledged were %v", by, got, c.since)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// draw takes a number that nobody else has.
func (c *cluster) draw(t *testing.T, conn *pgx.Conn, _ *rand.Rand) error {
	var n int
	err := conn.QueryRow(context.Background(), "SELECT nextval('q')").Scan(&n)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drawn[n] {
		t.Errorf("%d is drawn twice", n)
	}
	c.drawn[n] = true
	return nil
}

// lock takes a lock that nobody else has meanwhile.
func (c *cluster) lock(t *testing.T, conn *pgx.Conn, _ *rand.Rand) error {
	ctx, me := context.Background(), c.names.Add(1)
	var got bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(7)").Scan(&got); err != nil || !got {
		return err
	}
	if !c.held.CompareAndSwap(0, me) {
		t.Errorf("two have the lock")
	}
	_, err := conn.Exec(ctx, "SELECT 1")
	c.held.CompareAndSwap(me, 0)
	c.count("lock", err)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT pg_advisory_unlock(7)")
	return err
}
