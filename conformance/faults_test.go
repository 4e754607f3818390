package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/fault"
)

var (
	faultSchedules = flag.Int("faults", 0, "number of random fault schedules; 0 runs them for some time")
	faultSeed      = flag.Uint64("faults.seed", 1, "seed of the first random fault schedule")
	faultMatrix    = flag.Bool("faults.all", false, "run every file under every fault on every store, and while tablets move unsalted and salted")
)

// faulty is a DB over a store that fails by plan.
type faulty struct {
	engine
	store *fault.Store
}

func openFaulty(t testing.TB, v variant) faulty {
	store := fault.Wrap(harness.Stores[v.store](t))
	// No polling: which call meets a fault must follow from the statements.
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		store.Reset()
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return faulty{engine{v, db}, store}
}

// What a statement may answer when the store fails it.
var cleanErrors = []sqlerr.Code{
	sqlerr.CannotConnectNow, sqlerr.ConnectionFailure, sqlerr.ConfigurationLimitExceeded,
	sqlerr.StatementCompletionUnknown, sqlerr.QueryCanceled, sqlerr.SerializationFailure,
}

// runFaulty runs a file under rules. Every answer must be right or a clean
// error. After the first error the faults end: a query must then give its right
// answer, and so must a statement whose error says that nothing happened. Where
// it is not known what happened, the file ends, and the catalog must be sound.
// It gives how the run went, for the log.
func runFaulty(ctx context.Context, t testing.TB, f *slt.File, e faulty, rules []fault.Rule) (how string) {
	t.Helper()
	conns := map[string]slt.Conn{}
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	name := ""
	e.store.Reset()
	e.store.Add(rules...)
	for _, rec := range f.Records {
		switch {
		case !rec.Applies(e.Names()), rec.Kind == "work", rec.Kind == "explain":
			continue
		case rec.Kind == "session":
			name = rec.Name
			continue
		}
		if conns[name] == nil {
			c, err := e.Open(ctx)
			if err != nil {
				t.Fatal(err)
			}
			conns[name] = c
		}
		c := conns[name]
		inBlock := c.(sessionConn).s.TxStatus() != saltsql.TxIdle
		_, err := slt.Check(ctx, e, c, rec)
		if err == nil {
			continue
		}
		where := fmt.Sprintf("%s:%d, under %v", f.Path, rec.Line, rules)
		code := sqlerr.CodeOf(err)
		if e.store.Fired() == 0 || !slices.Contains(cleanErrors, code) {
			t.Errorf("%s: %v\n%s", where, err, rec.SQL)
			return "wrong"
		}
		e.store.Reset()
		se := sqlerr.As(err)
		nothing := (code == sqlerr.CannotConnectNow || code == sqlerr.ConfigurationLimitExceeded) && !strings.Contains(se.Detail, "written")
		if len(session.Behind(e.db).Catalog().Snapshot().Sequences()) > 0 {
			nothing = false // values drawn from a sequence stay drawn
		}
		if inBlock || !reads(rec) && !nothing {
			if ps, err := session.Behind(e.db).Catalog().Check(ctx); err != nil || slices.ContainsFunc(ps, func(p live.Problem) bool { return !p.Pending }) {
				t.Errorf("%s: the catalog: %v %v", where, err, ps)
			}
			return "not known"
		}
		if _, again := slt.Check(ctx, e, c, rec); again != nil {
			t.Errorf("%s: it failed with %v, and when repeated without faults:\n%v\n%s", where, err, again, rec.SQL)
			return "wrong"
		}
		how = "repeated"
	}
	switch {
	case how != "":
	case e.store.Fired() > 0:
		how = "borne"
	default:
		how = "not met"
	}
	return how
}

// reads says that a record's statement writes nothing.
func reads(rec *slt.Record) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(rec.SQL), " ")
	return slices.Contains([]string{"SELECT", "VALUES", "SHOW", "TABLE"}, strings.ToUpper(verb))
}

func parseFiles(t testing.TB) []*slt.File {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.slt"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	files := make([]*slt.File, len(paths))
	for i, p := range paths {
		if files[i], err = slt.Parse(p); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// withoutGaps leaves out the files that draw from sequences: a value whose drawing a fault left in
// doubt is drawn again, and the first is a gap, as everywhere.
func withoutGaps(files []*slt.File) []*slt.File {
	return slices.DeleteFunc(files, func(f *slt.File) bool {
		return filepath.Base(f.Path) == "upsert_select.slt" || slices.ContainsFunc(f.Records, func(r *slt.Record) bool {
			sql := strings.ToLower(r.SQL)
			return strings.Contains(sql, "nextval(") || strings.Contains(sql, "next value for")
		})
	})
}

// TestFaultMatrix runs the files on each store under each kind of fault, which
// meets a call now and then. Each store and fault has one file by turns, in the gate every eighth;
// -faults.all has all.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	files := withoutGaps(parseFiles(t))
	stores, actions := []string{"mem", "pebble", "bigtable"}, fault.Actions()
	for i := range seeds.Part(t, len(stores)*len(actions), 20*time.Second) {
		store, do := stores[i/len(actions)], actions[i%len(actions)]
		t.Run(store+"/"+strings.ReplaceAll(do.String(), " ", "_"), func(t *testing.T) {
			next, each := seeds.Turn(1+i, len(files)), seeds.Amount(len(files), 8)
			if *faultMatrix {
				each = 1
			}
			for i := next % each; i < len(files); i += each {
				f := files[i]
				e := openFaulty(t, variant{store, []int{0, 4, 16}[(next+i/each)%3], false})
				rule := fault.Rule{Do: do, Nth: 20, Every: 7, Times: -1, Rows: 1, Delay: 50 * time.Microsecond}
				t.Log(f.Path, runFaulty(context.Background(), t, f, e, []fault.Rule{rule}))
			}
		})
	}
}

// TestFaultSchedules runs the files under random faults. A seed names a
// schedule: -faults.seed=N -faults=1 runs it again.
func TestFaultSchedules(t *testing.T) {
	t.Parallel()
	files := withoutGaps(parseFiles(t))
	went := map[string]int{}
	i := 0
	for more := seeds.Until(*faultSchedules, 15*time.Second); more(i); i++ {
		seed := *faultSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 0))
		v := variant{"mem", []int{0, 1, 4, 16}[r.IntN(4)], r.IntN(4) == 0}
		switch n := r.IntN(10); {
		case n < 2:
			v.store = "pebble"
		case n < 3:
			v.store = "bigtable"
		}
		f := files[r.IntN(len(files))]
		rules := fault.Random(r, 6, 60)
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			went[runFaulty(context.Background(), t, f, openFaulty(t, v), rules)]++
		})
	}
	t.Logf("seeds %d to %d: %v", *faultSeed, *faultSeed+uint64(i)-1, went)
	if i >= 50 && (went["repeated"] == 0 || went["borne"] == 0) {
		t.Error("hardly a fault was met: the schedules test nothing")
	}
}
