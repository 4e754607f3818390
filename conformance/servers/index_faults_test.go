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

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

var indexFaults = flag.Int("indexes.faults", 0, "number of faults in TestIndexFaults, chosen at random among all; 0 is as many as there is time for")

// looseStore is a store that promises no more than Bigtable does: one atomic row.
type looseStore struct{ storage.Store }

func (s looseStore) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Name, c.AtomicBatch, c.Snapshots, c.Exclusive = "loose", false, false, false
	return c
}

func (s looseStore) Batch() (storage.Batch, error) {
	return nil, storage.Unsupported("loose", storage.OpBatch, "batch")
}

func (s looseStore) Snapshot(context.Context) (storage.Snapshot, error) {
	return nil, storage.Unsupported("loose", storage.OpSnapshot, "snapshot")
}

// faultPlan says what a scriptedStore does at a call of the tables named faults…, counted from
// when it is armed.
type faultPlan struct {
	at    int // 0 is no call
	lost  bool
	refus bool
	pause func()
	die   int  // from this call on the server is dead; 0 is never
	apply bool // the call that it dies at is still done
}

func (p faultPlan) String() string {
	switch {
	case p.lost:
		return fmt.Sprintf("the answer of call %d is lost", p.at)
	case p.refus:
		return fmt.Sprintf("call %d is refused", p.at)
	case p.pause != nil:
		return fmt.Sprintf("others work before call %d, death at %d (applied: %v)", p.at, p.die, p.apply)
	}
	return fmt.Sprintf("death at call %d (applied: %v)", p.die, p.apply)
}

// scriptedStore is what one server sees of a store.
type scriptedStore struct {
	storage.Store
	mu    sync.Mutex
	armed bool
	plan  faultPlan
	n     int
	wait  sync.WaitGroup // for the plan's pause: other reads of the server go on meanwhile
}

func (s *scriptedStore) arm(p faultPlan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed, s.plan, s.n = true, p, 0
}

func (s *scriptedStore) Table(name string) storage.Table {
	return &scriptedTable{s.Store.Table(name), s, strings.Contains(name, "faults"), name}
}

// call makes one call of op under the plan.
func (s *scriptedStore) call(op, table string, of bool, do func() error) error {
	s.mu.Lock()
	if !s.armed || !of {
		s.mu.Unlock()
		return do()
	}
	s.n++
	n, p := s.n, s.plan
	if n == p.at && p.pause != nil {
		s.wait.Add(1)
		defer s.wait.Done()
	}
	s.mu.Unlock()
	dead := storage.Errorf(storage.CodeClosed, op, table, "the process has died")
	switch {
	case p.die > 0 && n == p.die && p.apply:
		_ = do()
		return dead
	case p.die > 0 && n >= p.die:
		return dead
	case n != p.at:
		return do()
	case p.refus:
		return storage.Errorf(storage.CodeUnavailable, op, table, "refused")
	case p.lost:
		_ = do()
		if op == storage.OpMutate || op == storage.OpCheckAndMutate {
			return storage.Errorf(storage.CodeAmbiguous, op, table, "the answer is lost")
		}
		return storage.Errorf(storage.CodeUnavailable, op, table, "the answer is lost")
	}
	p.pause()
	return do()
}

type scriptedTable struct {
	storage.Table
	s    *scriptedStore
	of   bool
	name string
}

func (t *scriptedTable) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}

func (t *scriptedTable) Scan(ctx context.Context, req *storage.ScanRequest) (sc storage.Scanner, err error) {
	err = t.s.call(storage.OpScan, t.name, t.of, func() (err error) { sc, err = t.Table.Scan(ctx, req); return err })
	if err != nil && sc != nil {
		_ = sc.Close()
		sc = nil
	}
	return sc, err
}

func (t *scriptedTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (n int, err error) {
	was := dst.Len()
	err = t.s.call(storage.OpMultiGet, t.name, t.of, func() (err error) { n, err = t.Table.MultiGet(ctx, keys, req, dst); return err })
	if err != nil {
		dst.Truncate(was)
	}
	return n, err
}

func (t *scriptedTable) Mutate(ctx context.Context, rows []storage.RowMutation, o storage.WriteOptions) error {
	return t.s.call(storage.OpMutate, t.name, t.of, func() error { return t.Table.Mutate(ctx, rows, o) })
}

func (t *scriptedTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (ok bool, err error) {
	err = t.s.call(storage.OpCheckAndMutate, t.name, t.of, func() (err error) { ok, err = t.Table.CheckAndMutate(ctx, m); return err })
	return ok && err == nil, err
}

// faultOps are what a server does when it fails. Each row is written by at most one statement.
var faultOps = [][]string{
	{"INSERT INTO faults VALUES (10, 4, 'x', 10, 9)"},
	{"INSERT INTO faults VALUES (10, 4, 'x', 10, 9), (11, NULL, 'y', 11, 1), (12, 4, NULL, NULL, 9)"},
	{"INSERT INTO faults VALUES (1, 1, 'b1', 1, 9)"},
	{"INSERT INTO faults VALUES (10, 4, 'x', 1, 9)"},
	{"INSERT INTO faults VALUES (1, 7, 'z', 1, 7) ON CONFLICT (id) DO UPDATE SET a = excluded.a, c = faults.c + 1"},
	{"INSERT INTO faults VALUES (10, 7, 'z', 1, 7), (11, 7, 'z', 11, 7) ON CONFLICT (u) DO UPDATE SET b = 'changed'"},
	{"UPSERT INTO faults VALUES (1, 5, 'new', 20, 8), (13, 5, 'new', 21, 8)"},
	{"UPDATE faults SET a = 40 WHERE id = 1"},
	{"UPDATE faults SET a = a + 1"},
	{"UPDATE faults SET c = c + 10 WHERE a = 1"},
	{"UPDATE faults SET u = u + 100 WHERE id <= 2"},
	{"UPDATE faults SET id = 50, u = 51 WHERE id = 1"},
	{"UPDATE faults SET b = b || '!' WHERE id = 2"},
	{"DELETE FROM faults WHERE id = 1"},
	{"DELETE FROM faults WHERE a = 1"},
	{"BEGIN", "INSERT INTO faults VALUES (10, 4, 'x', 10, 9)", "UPDATE faults SET a = 41, u = 42 WHERE id = 1", "DELETE FROM faults WHERE id = 2", "COMMIT"},
	{"MERGE INTO faults f USING (VALUES (1, 60), (14, 61)) AS v(id, u) ON f.id = v.id WHEN MATCHED THEN UPDATE SET u = v.u, a = 0 WHEN NOT MATCHED THEN INSERT VALUES (v.id, 0, 'm', v.u, 6)"},
}

// otherOps are what another server does in between, to the same rows.
var otherOps = [][]string{
	{"INSERT INTO faults VALUES (10, 4, 'x', 70, 9)", "DELETE FROM faults WHERE id = 10"},
	{"DELETE FROM faults WHERE id = 1", "INSERT INTO faults VALUES (1, 1, 'b1', 71, 9)"},
	{"UPDATE faults SET a = a + 1 WHERE id <= 2", "UPDATE faults SET a = a - 1 WHERE id <= 2"},
	{"UPDATE faults SET c = 99 WHERE id = 1"},
	{"DELETE FROM faults WHERE id IN (1, 2)"},
	{"UPDATE faults SET b = 'other' WHERE id = 1", "CHECK TABLE faults ALL REPAIR"},
	{"SELECT a, c FROM faults WHERE a = 1"},
	{"UPDATE faults SET c = c + 50 WHERE id IN (1, 2, 10)", "DELETE FROM faults WHERE id IN (1, 2, 10)"}, // the first leaves entries alone
	{"BEGIN", "UPDATE faults SET b = 'kept' WHERE id IN (1, 2, 10)", "COMMIT", "DELETE FROM faults WHERE id IN (1, 2, 10)", "INSERT INTO faults VALUES (10, 4, 'x', 10, 9)"},
	{"UPDATE faults SET c = c + 50 WHERE id IN (1, 2, 10)", "UPDATE faults SET u = u + 300 WHERE id IN (1, 2, 10)"},
}

const faultsDDL = `CREATE TABLE faults (id INT PRIMARY KEY, a INT, b TEXT, u INT UNIQUE, c INT NOT NULL) SALT_BUCKETS = 4;
	CREATE INDEX faults_a ON faults (a) INCLUDE (c);
	CREATE INDEX faults_b ON faults (lower(b), a DESC) WHERE c > 5 SALT_BUCKETS = 4;
	INSERT INTO faults VALUES (1, 1, 'b1', 1, 9), (2, 1, 'b2', 2, 1), (3, 2, NULL, 3, 8), (4, NULL, 'b4', NULL, 7)`

type faultServer struct {
	db *saltsql.DB
	s  *saltsql.Session
}

func openFaultServer(t *testing.T, store storage.Store, ahead time.Duration) *faultServer {
	t.Helper()
	now := func() time.Time { return time.Now().Add(ahead) }
	if ahead > 0 { // the store's clock, too
		later := fault.Wrap(store)
		later.SetClock(now)
		store = later
	}
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: time.Hour, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"statement_timeout": "60s"}})
	if err != nil {
		t.Fatal(err)
	}
	return &faultServer{db, s}
}

func (f *faultServer) close() {
	f.s.Close()
	_ = f.db.Close()
}

func (f *faultServer) run(ops []string) error {
	for _, sql := range ops {
		if _, err := f.s.Exec(context.Background(), sql); err != nil {
			_, _ = f.s.Exec(context.Background(), "ROLLBACK")
			return err
		}
	}
	return nil
}

func (f *faultServer) rows(t *testing.T, sql string) []string {
	t.Helper()
	rows, err := f.s.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		out = append(out, fmt.Sprint(rows.Values()))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	slices.Sort(out)
	return out
}

// agree reads by each index and by none.
func (f *faultServer) agree(t *testing.T, what string) {
	t.Helper()
	for _, q := range []string{
		"SELECT %s a, c, id FROM faults WHERE a IN (0, 1, 2, 3, 4, 5, 7, 40, 41)", "SELECT %s * FROM faults WHERE a >= 1",
		"SELECT %s * FROM faults WHERE c > 5 AND lower(b) >= 'b'", "SELECT %s u, id FROM faults WHERE u > 0", "SELECT %s * FROM faults WHERE u IN (1, 2, 10, 20, 42, 51, 60, 101)",
		"SELECT %s a, id FROM faults WHERE a > 0 ORDER BY a, id LIMIT 2",
	} {
		want := f.rows(t, fmt.Sprintf(q, "/*+ NO_INDEX */"))
		for _, ix := range []string{"faults_a", "faults_b", "faults_u_key"} {
			if got := f.rows(t, fmt.Sprintf(q, "/*+ INDEX(faults "+ix+") */")); !slices.Equal(got, want) {
				t.Errorf("%s: %s: by %s %v, by none %v", what, q, ix, got, want)
			}
		}
	}
}

// faultsIn counts what CHECK TABLE finds: missing, wrong and stale entries; wrong are those that
// two rows have, too, and stale are marks of writes that have died.
func (f *faultServer) faultsIn(t *testing.T, sql string) (missing, wrong, stale int) {
	t.Helper()
	rows, err := f.s.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var at [4]int
		for i := range at {
			_, _ = fmt.Sscan(fmt.Sprint(rows.Values()[2+i]), &at[i])
		}
		if sample := fmt.Sprint(rows.Values()[7]); at == [4]int{} && strings.HasPrefix(sample, entry.Abandoned.String()) {
			stale++
		}
		missing, wrong, stale = missing+at[0], wrong+at[1]+at[3], stale+at[2]
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return missing, wrong, stale
}

const allFaults = "SELECT * FROM faults"

// TestIndexFaults lets a server fail at each storage call of a write of an indexed table:
// refused, its answer lost, dead before or after it, and others at work in between. Whatever
// happens, no entry is missing, queries by indexes and by none agree, what was acknowledged is
// there, and a repair leaves nothing to be found.
func TestIndexFaults(t *testing.T) {
	t.Parallel()
	type fault struct {
		op, other int // other is -1 for none
		plan      faultPlan
	}
	var all []fault
	const most = 30
	for op := range faultOps {
		for n := 1; n <= most; n++ {
			all = append(all,
				fault{op, -1, faultPlan{at: n, lost: true}}, fault{op, -1, faultPlan{at: n, refus: true}},
				fault{op, -1, faultPlan{die: n}}, fault{op, -1, faultPlan{die: n, apply: true}})
			for other := range otherOps {
				for die := n; die < n+4; die++ {
					all = append(all, fault{op, other, faultPlan{at: n, die: die + 1}}, fault{op, other, faultPlan{at: n, die: die, apply: die > n}})
				}
				all = append(all, fault{op, other, faultPlan{at: n}})
			}
		}
	}
	r := rand.New(rand.NewPCG(seeds.Daily(t), 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	reached, more := 0, seeds.Until(*indexFaults, 15*time.Second)
	for _, f := range all {
		if !more(reached) || t.Failed() {
			break
		}
		if oneIndexFault(t, f.op, f.other, f.plan) {
			reached++
		}
	}
	t.Logf("%d faults", reached)
}

// TestConflictsBesideOthers lets others work before each storage call of statements that look for
// a row in conflict: it may be gone when it is updated, and another one be there.
func TestConflictsBesideOthers(t *testing.T) {
	t.Parallel()
	met, cases := 0, 0
	for i := range seeds.Part(t, len(faultOps)*len(otherOps), 15*time.Second) {
		cases++
		op, other := i/len(otherOps), i%len(otherOps)
		if !strings.Contains(faultOps[op][0], "ON CONFLICT") {
			continue
		}
		for n := 1; oneIndexFault(t, op, other, faultPlan{at: n}) && !t.Failed(); n++ {
			met++
		}
	}
	if cases == len(faultOps)*len(otherOps) && met < 100 {
		t.Errorf("only %d calls had others before them", met)
	}
}

// oneIndexFault says whether the fault was met.
func oneIndexFault(t *testing.T, op, other int, p faultPlan) bool {
	inner := looseStore{mem.New()}
	defer inner.Close()
	sa := &scriptedStore{Store: inner}
	a, b := openFaultServer(t, sa, 0), (*faultServer)(nil)
	defer a.close()
	if _, err := a.s.Exec(context.Background(), faultsDDL); err != nil {
		t.Fatal(err)
	}
	b = openFaultServer(t, inner, 0)
	defer b.close()
	before := b.rows(t, allFaults)
	met := false
	if other >= 0 {
		p.pause = func() { met = true; _ = b.run(otherOps[other]) }
	}
	what := fmt.Sprintf("%v; %v", faultOps[op], p)
	if other >= 0 {
		what += fmt.Sprintf("; other: %v", otherOps[other])
	}
	sa.arm(p)
	err := a.run(faultOps[op])
	sa.wait.Wait()
	if sqlerr.CodeOf(err) == sqlerr.QueryCanceled {
		t.Errorf("%s: it does not end: %v", what, err)
	}
	if met = met || sa.n >= max(p.at, p.die); !met {
		return false
	}
	what += fmt.Sprintf(" (%v)", err)
	b.agree(t, what)
	if missing, wrong, stale := b.faultsIn(t, "CHECK TABLE faults ALL"); missing+wrong+stale > 0 {
		t.Errorf("%s: %d entries missing, %d wrong, %d stale", what, missing, wrong, stale)
	}
	if err == nil && other < 0 {
		if want := appliedFault(t, op); !slices.Equal(b.rows(t, allFaults), want) {
			t.Errorf("%s: acknowledged, and the rows are %v, not %v", what, b.rows(t, allFaults), want)
		}
	} else if other < 0 {
		want := append(appliedFault(t, op), before...)
		for _, row := range b.rows(t, allFaults) {
			if !slices.Contains(want, row) {
				t.Errorf("%s: row %s is neither of before nor of after", what, row)
			}
		}
	}
	agreesLater(t, inner, what)
	return true
}

// agreesLater looks at the table when what was broken off is old enough to be mended, and again
// once it is repaired.
func agreesLater(t *testing.T, inner storage.Store, what string) {
	t.Helper()
	later := openFaultServer(t, inner, 2*time.Hour)
	defer later.close()
	later.agree(t, what+", later")
	later.faultsIn(t, "CHECK TABLE faults ALL REPAIR")
	if missing, wrong, stale := later.faultsIn(t, "CHECK TABLE faults ALL"); missing+wrong+stale > 0 {
		t.Errorf("%s: after the repair %d entries missing, %d wrong, %d stale", what, missing, wrong, stale)
	}
	later.agree(t, what+", repaired")
}

var applied sync.Map

// appliedFault gives the rows after an operation that does not fail.
func appliedFault(t *testing.T, op int) []string {
	if rows, ok := applied.Load(op); ok {
		return slices.Clone(rows.([]string))
	}
	store := looseStore{mem.New()}
	defer store.Close()
	f := openFaultServer(t, store, 0)
	defer f.close()
	if _, err := f.s.Exec(context.Background(), faultsDDL); err != nil {
		t.Fatal(err)
	}
	_ = f.run(faultOps[op])
	rows := f.rows(t, allFaults)
	applied.Store(op, rows)
	return slices.Clone(rows)
}
