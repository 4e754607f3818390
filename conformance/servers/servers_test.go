package servers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

var (
	serversDDL   = flag.Int("servers.ddl", seeds.Amount(18, 200), "number of random DDL statements in TestServers")
	serversDML   = flag.Int("servers.dml", seeds.Amount(900, 20_000), "number of DML statements in TestServers")
	serversCount = flag.Int("servers.increments", 480, "number of increments of one row in TestConcurrentIncrements")
	serversSeed  = flag.Uint64("servers.seed", 0, "seed of TestServers; 0 takes that of internal/seeds")
)

const testInstance = "bigtable://test/test?timeout=20s"

// startServers runs n servers in processes of their own over one emulator,
// which they find by the environment.
func startServers(t *testing.T, n int) []*harness.Process {
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	ps := make([]*harness.Process, n)
	for i := range ps {
		ps[i] = harness.Start(t, testInstance, "--catalog-refresh", "50ms")
	}
	return ps
}

// Codes that a statement may have because another server was faster.
var (
	ddlLosses = []string{"42P07", "42P01", "42701", "42703", "2BP01", "40001", "23502", "0A000", "42P06", "3F000"}
	dmlLosses = []string{"42P01", "42703", "40001", "0A000"}
)

// ledger is what the writers of TestServers were told.
type ledger struct {
	mu      sync.Mutex
	rows    map[int]int // id -> v; absent: deleted
	unknown map[int]bool
}

func (l *ledger) done(id, v int, there bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		l.unknown[id] = true
	case there:
		l.rows[id] = v
	default:
		delete(l.rows, id)
	}
}

// TestServers lets three server processes work on one emulator at once: random
// DDL on a few tables and on the table that all write, and writes whose answers
// are kept. In the end the catalog is sound, every acknowledged row is there
// and has its value, and all servers give the same.
func TestServers(t *testing.T) {
	seed := *serversSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	t.Logf("seed %d", seed)
	ps := startServers(t, 3)
	admin := ps[0].Connect(t)
	harness.MustExec(t, admin, "CREATE TABLE load (id INT PRIMARY KEY, v INT NOT NULL, s TEXT, d INT DEFAULT 7) SALT_BUCKETS = 4")
	harness.MustExec(t, admin, "CREATE TABLE counter (k INT PRIMARY KEY, n INT NOT NULL)")
	harness.MustExec(t, admin, "INSERT INTO counter VALUES (1, 0)")
	l := &ledger{rows: map[int]int{}, unknown: map[int]bool{}}
	var wg sync.WaitGroup
	const writers = 6
	for i, p := range ps {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		c := p.Connect(t)
		wg.Go(func() { randomSchema(t, c, r, share(*serversDDL, len(ps))) })
	}
	counted := make([]int, writers)
	for w := range writers {
		r := rand.New(rand.NewPCG(seed, uint64(100+w)))
		c := ps[w%len(ps)].Connect(t)
		wg.Go(func() { counted[w] = randomLoad(t, c, r, l, w, share(*serversDML, writers)) })
	}
	wg.Wait()
	total := 0
	for _, n := range counted {
		total += n
	}
	for i, p := range ps {
		c := p.Connect(t)
		checkLedger(t, fmt.Sprintf("server %d", i), c, l)
		var n int
		if err := c.QueryRow(context.Background(), "SELECT n FROM counter WHERE k = 1").Scan(&n); err != nil || n != total {
			t.Errorf("server %d: counted to %d, want %d, %v", i, n, total, err)
		}
		readAll(t, c)
	}
	for _, p := range ps {
		p.Stop(t)
	}
	checkCatalog(t)
	t.Logf("%d DDL and %d DML statements sent; %d rows, %d not known, counted to %d",
		share(*serversDDL, len(ps))*len(ps), share(*serversDML, writers)*writers, len(l.rows), len(l.unknown), total)
}

// share is how many of n statements each of k sends: at least n in all.
func share(n, k int) int { return (n + k - 1) / k }

// pick chooses a row of writer w of which it is known whether it is there.
func (l *ledger) pick(r *rand.Rand, w int) (id int, there bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		id = w*1_000_000 + r.IntN(100)
		if !l.unknown[id] {
			_, there = l.rows[id]
			return id, there
		}
	}
}

// randomSchema makes random DDL statements.
func randomSchema(t *testing.T, c *pgx.Conn, r *rand.Rand, n int) {
	for range n {
		name := fmt.Sprintf("d%d", r.IntN(3))
		col := fmt.Sprintf("c%d", r.IntN(3))
		var sql string
		switch r.IntN(11) {
		case 0, 1, 2:
			sql = fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, v INT) SALT_BUCKETS = %d", name, r.IntN(5))
		case 3:
			sql = "DROP TABLE " + name
		case 4:
			sql = fmt.Sprintf("ALTER TABLE %s RENAME TO d%d", name, r.IntN(3))
		case 5:
			sql = fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s INT", name, col)
		case 6:
			sql = fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", name, col)
		case 7, 8:
			sql = fmt.Sprintf("ALTER TABLE load ADD COLUMN %s TEXT", col)
		case 9:
			sql = fmt.Sprintf("ALTER TABLE load DROP COLUMN %s", col)
		case 10:
			sql = fmt.Sprintf("ALTER TABLE load ALTER COLUMN d SET DEFAULT %d", r.IntN(10))
		}
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		if _, err := c.Exec(ctx, sql); err != nil && !slices.Contains(ddlLosses, harness.SQLState(err)) {
			t.Errorf("%s: %v", sql, err)
		}
		cancel()
		if _, err := c.Exec(context.Background(), fmt.Sprintf("UPSERT INTO %s (id, v) VALUES ($1, 1)", name), r.IntN(50)); err != nil && !slices.Contains(dmlLosses, harness.SQLState(err)) {
			t.Errorf("write to %s: %v", name, err)
		}
	}
}

// randomLoad writes rows of its own, and a counter that all share. It gives how
// often it counted. No statement may fail but for an ALTER TABLE in between.
func randomLoad(t *testing.T, c *pgx.Conn, r *rand.Rand, l *ledger, w, n int) (counted int) {
	ctx := context.Background()
	for i := range n {
		id, there := l.pick(r, w)
		var err error
		var tag pgconn.CommandTag
		v, stays := i, true
		want := int64(1)
		switch op := r.IntN(10); {
		case op == 0:
			if _, err = c.Exec(ctx, "UPDATE counter SET n = n + 1 WHERE k = 1"); err == nil {
				counted++
				continue
			}
			t.Errorf("count: %v", err)
			continue
		case op < 3 && there:
			tag, err = c.Exec(ctx, "DELETE FROM load WHERE id = $1", id)
			stays = false
		case op < 5 && there:
			tag, err = c.Exec(ctx, "UPDATE load SET v = $2, s = 'updated' WHERE id = $1", id, v)
		case op < 7 && !there:
			tag, err = c.Exec(ctx, "INSERT INTO load (id, v) VALUES ($1, $2)", id, v)
		case op < 9:
			tag, err = c.Exec(ctx, "UPSERT INTO load (id, v, s) VALUES ($1, $2, 'upserted')", id, v)
		default: // a whole row, as the server knows it
			tag, err = c.Exec(ctx, "UPSERT INTO load (id, v, s, d) VALUES ($1, $2, 'whole', 1)", id, v)
		}
		l.done(id, v, stays, err)
		switch {
		case err != nil && harness.SQLState(err) != "40001":
			t.Errorf("row %d: %v", id, err)
		case err == nil && tag.RowsAffected() != want:
			t.Errorf("row %d: %v", id, tag)
		}
	}
	return counted
}

func checkLedger(t *testing.T, who string, c *pgx.Conn, l *ledger) {
	t.Helper()
	rows, err := c.Query(context.Background(), "SELECT id, v, s FROM load ORDER BY id")
	if err != nil {
		t.Fatal(who, err)
	}
	got := map[int]int{}
	last := -1
	for rows.Next() {
		var id, v int
		var s *string
		if err := rows.Scan(&id, &v, &s); err != nil {
			t.Fatal(who, err)
		}
		if id <= last {
			t.Errorf("%s: row %d after %d", who, id, last)
		}
		got[id], last = v, id
	}
	if err := rows.Err(); err != nil {
		t.Fatal(who, err)
	}
	for id, v := range l.rows {
		if g, ok := got[id]; !l.unknown[id] && (!ok || g != v) {
			t.Errorf("%s: row %d is %d (%v), was acknowledged as %d", who, id, g, ok, v)
		}
	}
	for id := range got {
		if _, ok := l.rows[id]; !ok && !l.unknown[id] {
			t.Errorf("%s: row %d is there and was never written or was deleted", who, id)
		}
	}
}

// readAll reads every table there is.
func readAll(t *testing.T, c *pgx.Conn) {
	t.Helper()
	ctx := context.Background()
	tables := func() []string {
		rows, err := c.Query(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
		if err != nil {
			t.Fatal(err)
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for _, n := range tables() {
		_, err := c.Exec(ctx, "SELECT * FROM "+n)
		// Another server's DROP, of which this one hears when it next looks.
		for end := time.Now().Add(harness.Patience); harness.SQLState(err) == "42P01" && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if !slices.Contains(tables(), n) {
				err = nil
			}
		}
		if err != nil {
			t.Errorf("table %s: %v", n, err)
		}
	}
}

// checkCatalog looks at what the servers left.
func checkCatalog(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	store, err := bigtable.Open(ctx, bigtable.Config{Project: "test", Instance: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c, err := live.Open(ctx, store, live.Serving(store), live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if ps, err := c.Check(ctx); err != nil || len(ps) > 0 {
		t.Errorf("check: %v %v", err, ps)
	}
}

// TestConcurrentIncrements: 16 sessions on two servers count one row up, and
// lose none.
func TestConcurrentIncrements(t *testing.T) {
	seeds.Sometimes(t)
	sessions, times := 16, *serversCount/16
	ps := startServers(t, 2)
	ctx := context.Background()
	c := ps[0].Connect(t)
	harness.MustExec(t, c, "CREATE TABLE t (k INT PRIMARY KEY, n INT NOT NULL, s TEXT)")
	harness.MustExec(t, c, "INSERT INTO t VALUES (1, 0, '')")
	var wg sync.WaitGroup
	for i := range sessions {
		c := ps[i%len(ps)].Connect(t)
		wg.Go(func() {
			for range times {
				if tag, err := c.Exec(ctx, "UPDATE t SET n = n + 1 WHERE k = 1"); err != nil || tag.RowsAffected() != 1 {
					t.Errorf("%v: %v", tag, err)
					return
				}
			}
		})
	}
	wg.Wait()
	var n int
	if err := c.QueryRow(ctx, "SELECT n FROM t WHERE k = 1").Scan(&n); err != nil || n != sessions*times {
		t.Errorf("counted to %d, want %d, %v", n, sessions*times, err)
	}
	for _, p := range ps {
		p.Stop(t)
	}
}

// TestSeesOthersDDL: what one server made, another finds at the next
// statement, without a restart; prepared statements follow.
func TestSeesOthersDDL(t *testing.T) {
	ps := startServers(t, 2)
	ctx := context.Background()
	a, b := ps[0].Connect(t), ps[1].Connect(t)
	harness.MustExec(t, a, "CREATE TABLE t (k INT PRIMARY KEY, v INT)")
	harness.MustExec(t, b, "UPSERT INTO t VALUES (1, 1)")
	harness.MustExec(t, a, "ALTER TABLE t ADD COLUMN w INT")
	harness.MustExec(t, b, "UPSERT INTO t (k, v, w) VALUES (2, 2, 2)")
	for range 3 { // pgx prepares it at the first
		harness.MustExec(t, b, "UPSERT INTO t (k, v) VALUES (1, 5)")
	}
	harness.MustExec(t, a, "ALTER TABLE t RENAME COLUMN v TO x")
	harness.MustExec(t, b, "UPSERT INTO t (k, x) VALUES (2, 7)")
	var got string
	if err := b.QueryRow(ctx, "SELECT string_agg(k || ':' || x || ':' || coalesce(w, 0), ' ' ORDER BY k) FROM t").Scan(&got); err != nil || got != "1:5:0 2:7:2" {
		t.Errorf("%q, %v", got, err)
	}
	harness.MustExec(t, a, "DROP TABLE t")
	for {
		_, err := b.Exec(ctx, "UPSERT INTO t VALUES (3, 3, 3)")
		if harness.SQLState(err) == "42P01" {
			break
		}
		if err != nil && !strings.Contains(err.Error(), "40001") {
			t.Fatal(err)
		}
	}
}

// TestKilledServer: the first ALTER TABLE after a server was killed waits for
// its lease to end, says so while it waits, and can be canceled.
func TestKilledServer(t *testing.T) {
	ps := startServers(t, 2)
	ctx := context.Background()
	a := ps[0].Connect(t)
	harness.MustExec(t, a, "CREATE TABLE t (k INT PRIMARY KEY, v INT)")
	harness.MustExec(t, ps[1].Connect(t), "UPSERT INTO t VALUES (1, 1)")
	ps[1].Kill()
	config := a.Config().Copy()
	notices := make(chan *pgconn.Notice, 10)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices <- n }
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(ctx, "ALTER TABLE t ADD COLUMN w INT")
		done <- err
	}()
	select {
	case n := <-notices:
		if n.Message != "waiting for another server to see the change of the catalog" || !strings.Contains(n.Detail, "gave its last sign") {
			t.Errorf("%s: %s", n.Message, n.Detail)
		}
	case err := <-done:
		t.Fatalf("not a word, and then %v", err)
	}
	if err := c.PgConn().CancelRequest(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; harness.SQLState(err) != "57014" {
		t.Errorf("canceled: %v", err)
	}
	harness.MustExec(t, a, "UPSERT INTO t VALUES (2, 2)") // nothing is left frozen
}
