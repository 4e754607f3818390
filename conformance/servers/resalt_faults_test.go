package servers

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
)

var resaltFaults = flag.Int("resalt.every", 0, "TestResaltFaults fails each n-th call of a change of salt; 1 is all, 0 calls at random for some time")

// TestResaltFaults fails each call of a change of salt, on every store, while somebody
// writes: once, or the server dies there and another goes on. The change can be repeated
// until it is made; then every acknowledged write is there, no row twice and none too many.
func TestResaltFaults(t *testing.T) {
	t.Parallel()
	testJobFaults(t, "ALTER TABLE t SET SALT_BUCKETS = 5", "")
}

// TestResaltIndexedFaults is TestResaltFaults of a table that has indexes.
func TestResaltIndexedFaults(t *testing.T) {
	t.Parallel()
	testJobFaults(t, "ALTER TABLE t SET SALT_BUCKETS = 5", "CREATE INDEX t_v ON t (v); CREATE UNIQUE INDEX t_u ON t (k) INCLUDE (v) SALT_BUCKETS = 3")
}

// TestIndexJobFaults is TestResaltFaults of the making of an index.
func TestIndexJobFaults(t *testing.T) {
	t.Parallel()
	testJobFaults(t, "CREATE UNIQUE INDEX IF NOT EXISTS t_v ON t (v, k)", "")
}

// testJobFaults fails the calls of a change of a table that indexes has made more of.
func testJobFaults(t *testing.T, change, indexes string) {
	dead := storage.Errorf(storage.CodeClosed, "test", "", "the process has died")
	hows := []struct {
		name string
		do   fault.Action
		dies bool
	}{
		{"fail before", fault.FailBefore, false}, {"fail after", fault.FailAfter, false},
		{"cut", fault.Cut, false}, {"partial", fault.Partial, false}, {"throttle", fault.Throttle, false},
		{"die before", fault.FailBefore, true}, {"die after", fault.FailAfter, true},
	}
	stores := slices.Sorted(maps.Keys(harness.Stores))
	// met says that there is a call of this number, which has failed.
	met := func(store string, how, at int) (met bool) {
		h := hows[how]
		rules := []fault.Rule{{Do: h.do, Nth: at, Rows: 1}}
		if h.dies {
			rules[0].Err = dead
			rules = append(rules, fault.Rule{Nth: at + 1, Times: -1, Err: dead})
		}
		t.Run(fmt.Sprintf("%s/%s/%d", store, h.name, at), func(t *testing.T) {
			met = jobFaulty(t, fmt.Sprintf("call %d", at), store, change, indexes, rules, h.dies)
		})
		return met && !t.Failed()
	}
	if *resaltFaults > 0 {
		for _, store := range stores {
			for how := range hows {
				for at := 1; met(store, how, at); at += *resaltFaults {
				}
			}
		}
		return
	}
	r := rand.New(rand.NewPCG(seeds.Daily(t), 0))
	last := map[string]int{} // the greatest number that may be of a call
	for n, more := 0, seeds.Until(0, 15*time.Second); more(n) && !t.Failed(); n++ {
		store, how := stores[r.IntN(len(stores))], r.IntN(len(hows))
		if last[store] == 0 {
			last[store] = 400
		}
		if at := 1 + r.IntN(last[store]); !met(store, how, at) {
			last[store] = max(1, at-1)
		}
	}
	t.Log("up to calls ", last)
}

// jobFaulty changes a table under rules, and says whether the change met one.
func jobFaulty(t *testing.T, what, store, change, indexes string, rules []fault.Rule, dies bool) bool {
	ctx := context.Background()
	inner := harness.Stores[store](t)
	defer inner.Close()
	faulty := fault.Wrap(inner)
	db, err := saltsql.Open(ctx, faulty, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: time.Hour, NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	const keys = 30
	execAll(t, db, "CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL) SALT_BUCKETS = 2", fmt.Sprintf("INSERT INTO t SELECT i, 1 FROM generate_series(0, %d) i", keys-1))
	if indexes != "" {
		execAll(t, db, indexes)
	}
	faulty.Reset()
	faulty.Add(rules...)
	var lo, hi [keys]int // the last write acknowledged, and sent
	for k := range keys {
		lo[k], hi[k] = 1, 1
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			k := i * 7 % keys
			hi[k]++
			sql := fmt.Sprintf("UPSERT INTO t VALUES (%d, %d)", k, hi[k])
			if hi[k]%3 == 0 {
				sql = fmt.Sprintf("DELETE FROM t WHERE k = %d", k)
			}
			if _, err := db.Exec(ctx, sql); err == nil {
				lo[k] = hi[k]
			}
			time.Sleep(200 * time.Microsecond)
		}
	})
	short, cancel := context.WithTimeout(ctx, harness.Patience)
	_, err = db.Exec(short, change)
	cancel()
	met := faulty.Fired() > 0
	close(stop)
	wg.Wait()
	if err != nil && !met {
		t.Errorf("%s: %v", what, err)
	}
	// What fills an index at once is not begun again where the store fails: 08006.
	if code := sqlerr.CodeOf(err); err != nil && !dies && code != sqlerr.CannotConnectNow && code != sqlerr.ConnectionFailure && code != sqlerr.StatementCompletionUnknown && code != sqlerr.ConfigurationLimitExceeded {
		t.Errorf("%s: %v", what, err)
	}
	faulty.Reset()
	if dies {
		faulty.Add(rules[1])
		_ = db.Close()
		db, err = openLater(inner, time.Hour)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	defer func() { _ = db.Close() }()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		jobs, _, err := runOne(db, "SELECT job_id, state, server FROM saltsql.jobs")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if jobs == "" {
			break
		}
		if time.Since(start) > harness.Patience {
			t.Fatalf("%s: the job does not end: %s", what, jobs)
		}
	}
	if _, err := db.Exec(ctx, change); err != nil {
		t.Errorf("%s: again: %v", what, err)
	}
	rows, err := db.Query(ctx, "SELECT k, v FROM t ORDER BY k")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got := map[int64]int64{}
	for rows.Next() {
		var k, v int64
		if err := rows.Scan(&k, &v); err != nil {
			t.Fatal(err)
		}
		if _, twice := got[k]; twice {
			t.Errorf("%s: row %d twice", what, k)
		}
		got[k] = v
	}
	if err := rows.Close(); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for k := range keys {
		v, there := got[int64(k)]
		ok := false
		for n := lo[k]; n <= hi[k]; n++ {
			gone := n%3 == 0
			ok = ok || gone != there && (gone || n == int(v))
		}
		if !ok {
			t.Errorf("%s: row %d is %d, %v; acknowledged was %d, sent %d", what, k, v, there, lo[k], hi[k])
		}
	}
	checkFaulty(t, what, db, dies)
	// The next server sweeps what could not be deleted.
	_ = db.Close()
	db, err = openLater(inner, 2*time.Hour)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		ps, err := session.Behind(db).Catalog().Check(ctx)
		// A descriptor that nothing names any more is swept by whoever opens the store next.
		ps = slices.DeleteFunc(ps, func(p live.Problem) bool { return p.Pending && strings.HasPrefix(p.Object, "row desc/") })
		if err == nil && len(ps) == 0 {
			break
		}
		if time.Since(start) > harness.Patience {
			t.Errorf("%s: the catalog: %v %v", what, ps, err)
			break
		}
	}
	return met
}

// checkFaulty has CHECK TABLE find nothing of a table t, and its indexes give what its rows do. What a
// dead server has left may be stale, until it is repaired.
func checkFaulty(t *testing.T, what string, db *saltsql.DB, died bool) {
	t.Helper()
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	indexed := 0
	check := func(sql string, stale bool) {
		t.Helper()
		rows, _, err := harness.Run(ctx, s, sql)
		if err != nil {
			t.Errorf("%s: %s: %v", what, sql, err)
		}
		indexed = len(rows) - 1
		for _, r := range rows {
			if *r[2] != "0" || *r[3] != "0" || *r[5] != "0" || *r[4] != "0" && !stale {
				t.Errorf("%s: %s: %s of %s rows: %s missing, %s wrong, %s stale, %s duplicates: %s", what, sql, *r[0], *r[1], *r[2], *r[3], *r[4], *r[5], *r[7])
			}
		}
	}
	agree := func() {
		t.Helper()
		if indexed == 0 {
			return
		}
		want, _, err := runOne(db, "SELECT /*+ NO_INDEX(t) */ k, v FROM t WHERE v >= 0 ORDER BY k")
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, ix := range []string{"t_v", "t_u"} {
			got, _, err := runOne(db, "SELECT /*+ INDEX(t "+ix+") */ k, v FROM t WHERE v >= 0 ORDER BY k")
			if err != nil || got != want {
				t.Errorf("%s: by %s %s, by none %s, %v", what, ix, got, want, err)
			}
		}
	}
	check("CHECK TABLE t ALL", died)
	agree()
	if died {
		check("CHECK TABLE t ALL REPAIR", true)
		check("CHECK TABLE t ALL", false)
		agree()
	}
}

// openLater opens a store as after a while, by its own clock too.
func openLater(store storage.Store, after time.Duration) (*saltsql.DB, error) {
	now := func() time.Time { return time.Now().Add(after) }
	later := fault.Wrap(store)
	later.SetClock(now)
	return saltsql.Open(context.Background(), later, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: time.Hour, NoEstimates: true, Now: now})
}
