package stats_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// estimated is a session on a store for tests of estimates.
type estimated struct {
	t     *testing.T
	store storage.Store
	db    *session.DB
	s     *session.Session
	known map[string]int // the rows of queries: nil asks the store
}

func openEstimated(t *testing.T, store storage.Store) *estimated {
	t.Helper()
	db, err := session.Open(context.Background(), store, &session.Options{NoAutoAnalyze: true})
	if err != nil {
		t.Fatal(err)
	}
	db.Estimates().SetDeadlines(5 * time.Minute) // on a busy machine too
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &estimated{t: t, store: store, db: db, s: s}
}

func (e *estimated) close() {
	e.s.Close()
	e.db.Close()
	e.store.Close()
}

func (e *estimated) run(sql string) {
	e.t.Helper()
	if _, err := goapi.Exec(context.Background(), e.s, sql); err != nil {
		e.t.Fatalf("%s: %v", sql, err)
	}
}

func (e *estimated) lines(sql string) []string {
	e.t.Helper()
	rows, err := goapi.Query(context.Background(), e.s, sql)
	if err != nil {
		e.t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		out = append(out, rows.Text(0))
	}
	if err := rows.Err(); err != nil {
		e.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func (e *estimated) count(sql string) int {
	e.t.Helper()
	n, err := strconv.Atoi(e.lines(sql)[0])
	if err != nil {
		e.t.Fatal(err)
	}
	return n
}

var planRows = regexp.MustCompile(`"Plan Rows": (\d+)`)

// near compares the rows that EXPLAIN tells of a query with those it has.
func (e *estimated) near(query string) {
	e.t.Helper()
	text := strings.Join(e.lines("EXPLAIN (FORMAT JSON) "+query), "\n")
	m := planRows.FindStringSubmatch(text)
	if m == nil {
		e.t.Errorf("%s: no estimate:\n%s", query, text)
		return
	}
	got, _ := strconv.Atoi(m[1])
	want, ok := e.known[query]
	if !ok {
		want = e.count("SELECT count(*) FROM (" + query + ") AS q")
		if e.known != nil {
			e.known[query] = want
		}
	}
	most := 2
	if e.store.Caps().Name != "mem" {
		most = 3 // Bigtable's sampled keys are others each time, Pebble's files as its flushes fell
	}
	if got > most*want || want > most*got {
		e.t.Errorf("wrong: %s: estimated %d, has %d", query, got, want)
		return
	}
	e.t.Logf("%s: estimated %d, has %d", query, got, want)
}

// loadSkewed makes 50,000 rows, half of them of a tenth of 200 hosts.
func (e *estimated) loadSkewed(salt int) {
	e.t.Helper()
	e.run(fmt.Sprintf("CREATE TABLE m (host TEXT, day INT, seq INT, v INT, PRIMARY KEY (host, day, seq)) SALT_BUCKETS = %d", salt))
	const batch = 10_000
	for from := 0; from < 50_000; from += batch {
		e.run(fmt.Sprintf(`INSERT INTO m SELECT 'host-' || lpad(floor(200 * power(g * 7919 %% 50021 / 50021.0, 3))::text, 4, '0'),
			g * 31 %% 100, g, g FROM generate_series(%d, %d) AS x(g)`, from+1, from+batch))
	}
}

func (e *estimated) check() {
	e.t.Helper()
	for _, query := range []string{
		"SELECT * FROM m",
		"SELECT * FROM m WHERE host = 'host-0000'",
		"SELECT * FROM m WHERE host = 'host-0001'",
		"SELECT * FROM m WHERE host = 'host-0000' AND day >= 60",
		"SELECT * FROM m WHERE host = 'host-0000' AND day BETWEEN 20 AND 50",
		"SELECT * FROM m WHERE host >= 'host-0050'",
		"SELECT * FROM m WHERE host < 'host-0010'",
		"SELECT * FROM m WHERE host > 'host-0020' AND host <= 'host-0100'",
		"SELECT * FROM m WHERE day < 30",
		"SELECT * FROM m WHERE day BETWEEN 20 AND 70",
		"SELECT * FROM m WHERE host < 'host-0010' AND day >= 50",
		"SELECT DISTINCT host FROM m",
		"SELECT DISTINCT host, day FROM m",
		"SELECT DISTINCT day FROM m WHERE host = 'host-0000'",
		"SELECT host, count(*) FROM m GROUP BY host",
	} {
		e.near(query)
	}
}

// TestEstimates wants the rows of spans and the values of key prefixes told within a factor of 2,
// of 3 where what the store tells of its keys hangs on the moment, and the work of a measurement bounded.
func TestEstimates(t *testing.T) {
	if testing.Short() {
		t.Skip("loads 50,000 rows many times")
	}
	known := map[string]int{} // the rows are the same on all stores
	for _, salt := range []int{0, 16} {
		for name, open := range map[string]func(t *testing.T) storage.Store{
			"mem": func(*testing.T) storage.Store { return mem.New() },
			"bigtable": func(t *testing.T) storage.Store {
				s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "p", Instance: "i", Emulator: emulator.Start(t)})
				if err != nil {
					t.Fatal(err)
				}
				return s
			},
		} {
			if name == "bigtable" && (salt == 0 || !seeds.Full() && seeds.Turn(1, 4) > 0) {
				continue // the emulator is slow
			}
			t.Run(fmt.Sprintf("%s/salt=%d", name, salt), func(t *testing.T) {
				e := openEstimated(t, open(t))
				defer e.close()
				e.known = known
				e.loadSkewed(salt)
				e.check()
				e.bounded()
			})
		}
		t.Run(fmt.Sprintf("pebble/salt=%d", salt), func(t *testing.T) {
			dir := t.TempDir()
			open := func() storage.Store {
				s, err := pebble.Open(dir, &pebble.Options{NoSync: true})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			e := openEstimated(t, open())
			e.known = known
			e.loadSkewed(salt)
			e.check()
			e.bounded()
			e.close()
			e = openEstimated(t, open()) // which flushes
			defer e.close()
			e.known = known
			e.check()
			e.bounded()
			e.known = nil
			e.run("INSERT INTO m SELECT host, day, seq + 100000, v FROM m WHERE day < 50")
			e.check()
		})
	}
}

// bounded wants what measuring one table cost to be within what it may, whatever its size.
func (e *estimated) bounded() {
	e.t.Helper()
	calls, rows := e.db.Estimates().Work()
	if most := stats.MaxWork(); calls == 0 || calls > most || rows > most && e.store.Caps().Name != "mem" {
		e.t.Errorf("%d storage calls and %d rows for one table", calls, rows)
	}
	if !e.store.Caps().SmallScanSerial && calls > stats.MaxRemoteCalls {
		e.t.Errorf("%d storage calls over the network for one table", calls)
	}
	e.t.Logf("%d storage calls, %d rows", calls, rows)
}

// TestEstimatesInTheBackground has a query of an unknown table planned without estimates, and
// again with them.
func TestEstimatesInTheBackground(t *testing.T) {
	store := fault.Wrap(mem.New())
	e := openEstimated(t, store)
	defer e.close()
	e.run("CREATE TABLE m (a INT, b INT, PRIMARY KEY (a, b))")
	e.run("INSERT INTO m SELECT g, g FROM generate_series(1, 5000) AS x(g)")
	st, err := e.s.Prepare(context.Background(), "SELECT DISTINCT a FROM m", nil)
	if err != nil {
		t.Fatal(err)
	}
	z := e.db.Estimates()
	for deadline := time.Now().Add(5 * time.Minute); z.Version() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing is measured")
		}
	}
	planned := e.db.PlanStats().Misses
	rows, err := goapi.QueryStmt(context.Background(), e.s, st)
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	if e.db.PlanStats().Misses == planned {
		t.Error("the plan stays as it was")
	}
	scans := store.Calls(storage.OpScan)
	for range 100 {
		e.run("SELECT 1 FROM m WHERE b = 7 AND a > 1")
	}
	if n := store.Calls(storage.OpScan) - scans; n > 2*100 {
		t.Errorf("%d scans for 100 statements", n)
	}
	if tables, busy := z.Known(); busy != 0 || tables != 1 {
		t.Errorf("%d under way, %d tables known", busy, tables)
	}

	// A table that cannot be read is not tried again and again, and Close ends what is under way.
	store.Add(fault.Rule{Op: storage.OpScan, Do: fault.Delay, Delay: time.Hour})
	e.run("CREATE TABLE slow (a INT, b INT, PRIMARY KEY (a, b))")
	if _, err := e.s.Prepare(context.Background(), "SELECT DISTINCT a FROM slow", nil); err != nil {
		t.Fatal(err)
	}
}

// TestNoEstimates reads nothing in the background.
func TestNoEstimates(t *testing.T) {
	store := mem.New()
	db, err := session.Open(context.Background(), store, &session.Options{NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	e := &estimated{t: t, store: store, db: db}
	if e.s, err = db.NewSession(session.SessionOptions{}); err != nil {
		t.Fatal(err)
	}
	defer e.close()
	e.run("CREATE TABLE m (a INT, b INT, PRIMARY KEY (a, b))")
	e.run("SELECT DISTINCT a FROM m")
	if text := strings.Join(e.lines("EXPLAIN SELECT DISTINCT a FROM m"), "\n"); strings.Contains(text, "rows≈") {
		t.Error(text)
	}
	if n, _ := db.Estimates().Work(); n != 0 {
		t.Errorf("%d storage calls", n)
	}
}

// TestEstimatesAreForgotten holds that what is known goes with the table, and TRUNCATE of one table
// leaves what is known of others.
func TestEstimatesAreForgotten(t *testing.T) {
	e := openEstimated(t, mem.New())
	defer e.close()
	for i := range 20 {
		e.run(fmt.Sprintf("CREATE TABLE t%d (k INT PRIMARY KEY)", i))
		e.lines(fmt.Sprintf("EXPLAIN SELECT * FROM t%d WHERE k > 1", i))
		if i >= 2 {
			e.run(fmt.Sprintf("DROP TABLE t%d", i))
		}
	}
	known := func() (n int) {
		n, _ = e.db.Estimates().Known()
		return n
	}
	if n := known(); n > 3 { // the one dropped last may be there
		t.Errorf("%d tables are known", n)
	}
	was := known()
	e.run("TRUNCATE t1")
	if n := known(); n != was-1 {
		t.Errorf("TRUNCATE leaves %d of %d tables known", n, was)
	}
}
