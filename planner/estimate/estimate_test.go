package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

var int4T = types.Of(types.Int4)

// exact is an Estimator that has all rows of a table, and counts them.
type exact struct {
	table *catalog.Table
	rows  [][3]int64
	told  map[string]histogram.Spread
}

func newExact(t *testing.T, r *rand.Rand) *exact {
	tab := &catalog.Table{ID: 1, Schema: "public", Name: "t", NextColumnID: 4, NextQualifier: rowcodec.FirstQualifier, PrimaryKeyName: "pk", PrimaryKey: []int{0, 1, 2}}
	tab.Options = catalog.Options{Hash: catalog.DefaultHash, ColumnEncodedBytes: 2, DefaultFamily: "0", Versions: 1}
	for i, name := range []string{"a", "b", "c"} {
		tab.Columns = append(tab.Columns, catalog.Column{ID: i + 1, Name: name, Type: int4T, NotNull: true, KeyPos: i,
			Store: rowcodec.Column{Type: rowcodec.Integer, SQL: int4T}})
	}
	if err := tab.Finish(); err != nil {
		t.Fatal(err)
	}
	x := &exact{table: tab, told: map[string]histogram.Spread{}}
	for n := range int64(8 * 8 * 64) {
		if b := n / 64 % 8; r.Int64N(8) >= b { // the more b, the fewer rows
			x.rows = append(x.rows, [3]int64{n / 512, b, n % 64})
		}
	}
	return x
}

func (x *exact) count(cond *plan.KeyCond) (out [][3]int64) {
	for _, row := range x.rows {
		if cond == nil || slices.ContainsFunc(cond.Or, func(c plan.KeyConj) bool {
			return !slices.ContainsFunc(c.Terms, func(t plan.KeyTerm) bool {
				return !slices.ContainsFunc(t.Args, func(a expr.Expr) bool { return a.(*expr.Const).Value.Int == row[t.Columns[0]] })
			})
		}) {
			out = append(out, row)
		}
	}
	return out
}

// prefixes is how many values the first k columns have in rows, which are sorted.
func prefixes(rows [][3]int64, k int) (n float64) {
	for i, row := range rows {
		if i == 0 || !slices.Equal(row[:k], rows[i-1][:k]) {
			n++
		}
	}
	return n
}

func (x *exact) Spread(_ *catalog.Table, cond *plan.KeyCond, _ int, _ *expr.Env) (s histogram.Spread, ok bool) {
	key := ""
	if cond != nil {
		for _, t := range cond.Or[0].Terms {
			for _, a := range t.Args {
				key += fmt.Sprint(a.(*expr.Const).Value.Int, " ")
			}
			key += "/"
		}
	}
	if s, ok = x.told[key]; !ok {
		rows := x.count(cond)
		s.Rows = float64(len(rows))
		for k := range 4 {
			s.Distinct = append(s.Distinct, prefixes(rows, k))
		}
		x.told[key] = s
	}
	s.Distinct = slices.Clone(s.Distinct)
	s.Runs = slices.Clone(s.Distinct) // of one bucket
	return s, true
}

func (x *exact) TableRows(*catalog.Table) (int64, bool) { return int64(len(x.rows)), true }
func (x *exact) Part(*catalog.Table, *plan.KeyCond, *plan.KeyCond, int, *expr.Env) (float64, bool) {
	return 0, false
}
func (x *exact) Column(*catalog.Table, int) *colstats.Column { return nil }
func (x *exact) SeekRows() float64                           { return 32 }

func number(n int64) expr.Expr { return &expr.Const{Value: types.NewInt(n), T: int4T} }

func about(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, b) }

// drawTerms binds the first k columns, each to a value or to a few.
func drawTerms(r *rand.Rand, k int) (terms []plan.KeyTerm) {
	for i := range k {
		t := plan.KeyTerm{Op: plan.KeyEq, Columns: []int{i}, Args: []expr.Expr{number(r.Int64N(8))}}
		if r.IntN(3) == 0 {
			t.Op = plan.KeyIn
			for _, n := range r.Perm(8)[:1+r.IntN(3)] {
				t.Args = append(t.Args, number(int64(n)))
			}
			t.Args = t.Args[1:]
		}
		terms = append(terms, t)
	}
	return terms
}

func (x *exact) scan(terms []plan.KeyTerm) *plan.Scan {
	s := &plan.Scan{Source: plan.Source{Table: x.table, Cols: []int{0, 1, 2}}}
	if len(terms) > 0 {
		s.Key, s.Access = &plan.KeyCond{Or: []plan.KeyConj{{Terms: terms}}}, plan.RangeScan
	}
	return s
}

// TestKnownRows: where the Estimator knows all rows, so do the estimates: of spans whose values are
// known, of the groups of a prefix of the key within them, and up to a limit.
func TestKnownRows(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	x := newExact(t, r)
	by := Known{Estimator: x}
	for range 200 {
		terms := drawTerms(r, r.IntN(3))
		s := x.scan(terms)
		rows := x.count(s.Key)
		if got, ok := ScanRows(by, s); !ok || !about(got, max(float64(len(rows)), min(got, 1))) {
			t.Fatalf("%+v: %g rows, %d are", terms, got, len(rows))
		}
		k := 1 + r.IntN(3)
		agg := &plan.Aggregate{Input: s}
		for _, i := range r.Perm(k) {
			agg.Groups = append(agg.Groups, &expr.Col{Index: i, T: int4T})
		}
		most := r.Int64N(40)
		limit := &plan.Limit{Input: agg, Count: number(most)}
		got := PlanRows(by, &plan.Plan{Root: limit})
		want := int64(prefixes(rows, k))
		if got[agg] != want || got[limit] != min(want, most) || got[s] != max(int64(len(rows)), min(got[s], 1)) {
			t.Fatalf("%+v: %d groups of %d columns, %d up to %d; %d are", terms, got[agg], k, got[limit], most, want)
		}
	}
}

// TestParameter: of a value that is not known yet the estimate is the average over those that are
// there, in what is known to be bound before it; of a range, a part by rule. What is behind a
// column that nothing is said of makes no difference.
func TestParameter(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	x := newExact(t, r)
	if prefixes(x.rows, 2) != 64 {
		t.Fatal("not every a has each b")
	}
	by := Known{Estimator: x}
	param := &expr.Param{T: int4T}
	for range 200 {
		k := r.IntN(2)
		terms := drawTerms(r, k)
		params := 1 + r.IntN(2-k)
		all := slices.Clone(terms)
		for i := range params {
			all = append(all, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{k + i}, Args: []expr.Expr{param}})
		}
		rows := x.count(x.scan(terms).Key)
		values := map[[2]int64]bool{}
		for _, row := range rows {
			var v [2]int64
			copy(v[:], row[k:k+params])
			values[v] = true
		}
		want := float64(len(rows)) / float64(len(values))
		next := k + params
		switch r.IntN(3) {
		case 0:
			all = append(all, plan.KeyTerm{Op: plan.KeyGt, Columns: []int{next}, Args: []expr.Expr{param}})
			want *= PercentRange / 100.0
		case 1:
			if next == 1 {
				all = append(all, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{2}, Args: []expr.Expr{param}})
			}
		}
		if got, ok := ScanRows(by, x.scan(all)); !ok || !about(got, max(want, 1)) {
			t.Fatalf("%+v: %g rows, on an average %g", all, got, want)
		}
	}
}

// TestCostGrows: what reads or keeps more does not cost less.
func TestCostGrows(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	x := newExact(t, r)
	by := Known{Estimator: x}
	cost := func(n plan.Node) float64 { return Cost(by, n) }
	for range 200 {
		var terms []plan.KeyTerm
		for i := range 2 {
			terms = append(terms, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{i}, Args: []expr.Expr{number(r.Int64N(8))}})
		}
		k := r.IntN(2)
		wide, narrow := x.scan(terms[:k]), x.scan(terms[:k+1])
		keys := []plan.SortKey{{Expr: &expr.Col{Index: 2, T: int4T}}}
		most := number(r.Int64N(100))
		for _, over := range []func(plan.Node) plan.Node{
			func(n plan.Node) plan.Node { return n },
			func(n plan.Node) plan.Node { return &plan.Sort{Input: n, Keys: keys} },
			func(n plan.Node) plan.Node { return &plan.Aggregate{Input: n, Groups: []expr.Expr{keys[0].Expr}} },
			func(n plan.Node) plan.Node { return &plan.HashJoin{Join: plan.Join{Left: n, Right: n}} },
			func(n plan.Node) plan.Node { return &plan.Apply{Join: plan.Join{Left: n, Right: n}} },
		} {
			less, more := cost(over(narrow)), cost(over(wide))
			if less > more || less <= 0 {
				t.Fatalf("%T of %v costs %g, of %v %g", over(wide), terms[:k+1], less, terms[:k], more)
			}
			if limited := cost(&plan.Limit{Input: over(wide), Count: most}); limited > more {
				t.Fatalf("up to a limit %T costs %g, without %g", over(wide), limited, more)
			}
		}
		each := len(x.count(wide.Key))
		if got := cost(&plan.Apply{Join: plan.Join{Left: wide, Right: narrow}}); got < float64(each)*cost(narrow) {
			t.Fatalf("%d runs of what costs %g cost %g", each, cost(narrow), got)
		}
		for _, all := range []plan.Node{&plan.Sort{Input: wide, Keys: keys}, &plan.Aggregate{Input: wide, Groups: []expr.Expr{keys[0].Expr}}, &plan.HashJoin{Join: plan.Join{Left: wide, Right: wide}}} {
			if first := cost(&plan.Limit{Input: all, Count: number(1)}); first < cost(all) {
				t.Fatalf("the first row of a %T costs %g, all %g", all, first, cost(all))
			}
		}
		sorted := &plan.Sort{Input: wide, Keys: keys}
		if top, all := cost(&plan.TopN{Input: wide, Keys: keys, Count: most}), cost(sorted); top > all {
			t.Fatalf("the first rows cost %g, all of the sort %g", top, all)
		}
		ordered := &plan.Aggregate{Input: wide, Groups: []expr.Expr{&expr.Col{T: int4T}}}
		hashed := *ordered
		ordered.Ordered = true
		if few, all := cost(&plan.Limit{Input: ordered, Count: number(1)}), cost(&plan.Limit{Input: &hashed, Count: number(1)}); few > all {
			t.Fatalf("the first group costs %g where groups stream, %g where they are hashed", few, all)
		}
	}
}
