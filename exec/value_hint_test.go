package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// asked keeps the scan requests that a store gets.
type asked struct {
	storage.Store
	mu    sync.Mutex
	scans []storage.ScanRequest
}

type askedTable struct {
	storage.Table
	a *asked
}

func (a *asked) Table(name string) storage.Table { return askedTable{a.Store.Table(name), a} }

func (t askedTable) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}

func (t askedTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	t.a.mu.Lock()
	t.a.scans = append(t.a.scans, *req)
	t.a.mu.Unlock()
	return t.Table.Scan(ctx, req)
}

func hintText(h *storage.Hint) string {
	if h == nil {
		return "none"
	}
	text := fmt.Sprintf("%X %X..%X", h.Col.Qualifier, h.Lo, h.Hi)
	for i := range h.And {
		text += " and " + hintText(&h.And[i])
	}
	return text
}

// TestValueHint pins what stores are told of a filter.
func TestValueHint(t *testing.T) {
	a := &asked{Store: mem.New()}
	f := newFixture(t, 4, withStore(remote{a}))
	f.load(20, 3)
	n, cpu, note := f.col("n"), f.col("cpu"), f.col("note")
	in := func(list ...expr.Expr) expr.Expr {
		e, err := expr.MakeIn(n, list, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	notNull := &expr.Not{X: &expr.IsNull{X: note}}
	const eight = "800000000000000" // and a digit: a bigint
	for _, tt := range []struct {
		filter expr.Expr
		want   string
	}{
		{opCall("=", n, lit(7)), "800B " + eight + "7.." + eight + "7"},
		{opCall("<", n, lit(7)), "800B .." + eight + "7"},
		{opCall(">", lit(7), n), "800B .." + eight + "7"},
		{and(opCall(">=", n, lit(2)), opCall("<", n, lit(7)), opCall("<", n, lit(9))), "800B " + eight + "2.." + eight + "7"},
		{and(opCall(">", cpu, lit(1.5)), opCall("=", n, lit(7))), "800B " + eight + "7.." + eight + "7 and 800C BFF8000000000001.."},
		{and(opCall("~~", note, lit("no%")), opCall("<", n, lit(7)), opCall(">=", n, lit(2))), "800D 6E6F..6E6FFF and 800B " + eight + "2.." + eight + "7"},
		{in(lit(5), lit(3), lit(9)), "800B " + eight + "3.." + eight + "9"},
		{opCall("~~", note, lit("no%e_")), "800D 6E6F..6E6FFF"},
		{opCall("~~", note, lit("%e")), "800D .."},
		{notNull, "800D .."},
		{opCall("=", note, lit("")), "800D .."},
		{opCall("<>", n, lit(7)), "none"},
		{opCall("=", n, &expr.Const{Value: lit(nil).(*expr.Const).Value, T: tInt8}), "none"},
		{opCall("=", opCall("+", n, lit(1)), lit(7)), "none"},
		{opCall("=", n, opCall("+", lit(3), lit(4))), "800B " + eight + "7.." + eight + "7"},
		{opCall("=", n, opCall("/", lit(3), lit(0))), "none"},
		{opCall("=", f.col("ts"), lit(7)), "none"}, // of the key
	} {
		s := f.scan()
		s.Filter = tt.filter
		a.scans = nil
		_, err := f.run(&plan.SaltGather{Input: s})
		if err != nil && !strings.Contains(err.Error(), "division by zero") {
			t.Fatal(err)
		}
		if len(a.scans) == 0 {
			t.Fatalf("%s: no scan", expr.ToText(tt.filter))
		}
		got := a.scans[0]
		if hintText(got.Hint) != tt.want {
			t.Errorf("%s: hint %s, want %s", expr.ToText(tt.filter), hintText(got.Hint), tt.want)
		}
		if marker := string(got.Project[0].Qualifier) == "\x00\x00\x00\x00"; marker != (tt.want == "none") {
			t.Errorf("%s: marker asked for: %v", expr.ToText(tt.filter), marker)
		}

		// Where few rows are wanted, or rows are counted, stores are told nothing.
		s.Limit = lit(3)
		a.scans = nil
		if _, err := f.run(&plan.SaltGather{Input: s}); err == nil && a.scans[0].Hint != nil {
			t.Errorf("%s: hint with a limit", expr.ToText(tt.filter))
		}
		s.Limit, f.set.MaxScanRows, a.scans = nil, 1000, nil
		if _, err := f.run(&plan.SaltGather{Input: s}); err == nil && a.scans[0].Hint != nil {
			t.Errorf("%s: hint where rows are counted", expr.ToText(tt.filter))
		}
		f.set.MaxScanRows = 0
	}
}

// TestValueHintsKeepRows runs random filters with hints, on a store that drops rows by
// them, and without.
func TestValueHintsKeepRows(t *testing.T) {
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 3))
	f := newFixture(t, 16, withStore(newPebble(t)))
	f.load(800, 5)
	for range 300 {
		filter := f.randomFilter(rng)
		s := f.scan()
		s.Filter = filter
		with, err := f.run(&plan.SaltMerge{Input: s})
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, expr.ToText(filter), err)
		}
		f.set.MaxScanRows = 1 << 40
		without := f.must(&plan.SaltMerge{Input: s})
		f.set.MaxScanRows = 0
		if with != without {
			t.Fatalf("seed %d: %s:\n%s\nwithout hints:\n%s", seed, expr.ToText(filter), with, without)
		}
	}
}

func (f *fixture) randomFilter(rng *rand.Rand) expr.Expr {
	ops := []string{"=", "<", "<=", ">", ">=", "<>"}
	var terms []expr.Expr
	for range 2 + rng.IntN(2) {
		o := ops[rng.IntN(len(ops))]
		switch rng.IntN(5) {
		case 0:
			terms = append(terms, opCall(o, f.col("n"), lit(rng.IntN(900)-50)))
		case 1:
			terms = append(terms, opCall(o, f.col("cpu"), lit(float64(rng.IntN(900))/2)))
		case 2:
			terms = append(terms, opCall(o, lit(fmt.Sprint("note ", rng.IntN(900))), f.col("note")))
		case 3:
			terms = append(terms, opCall("~~", f.col("note"), lit(fmt.Sprintf("note %d%%", rng.IntN(9)))))
		case 4:
			terms = append(terms, &expr.Not{X: &expr.IsNull{X: f.col("note")}})
		}
	}
	return and(terms...)
}
