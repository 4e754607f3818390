package scope

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

var int4T = types.Of(types.Int4)

// relation makes one whose columns have IDs from first on.
func relation(name string, first int, columns ...string) *Relation {
	r := &Relation{Name: name}
	for i, c := range columns {
		r.Cols = append(r.Cols, Column{Name: c, T: int4T, ID: first + i})
	}
	return r
}

// TestLocal: what a name alone means, in an item of FROM with others to its left.
func TestLocal(t *testing.T) {
	left, other := ScopeOf(relation("l", 0, "a", "b")), ScopeOf(relation("o", 2, "b", "c"))
	other.Barred = true
	own := ScopeOf(relation("n", 4, "d"))
	own.Rels[0].System = []Column{{Name: "xmin", T: int4T, ID: 5}, {Name: "d", T: int4T, ID: 6}}
	own.Next, left.Next = left, other
	l := NewLevel(nil)
	l.Scope = own
	p := &Place{Level: l}
	var none sqlerr.Code
	for _, tt := range []struct {
		name string
		id   int
		code sqlerr.Code
	}{
		{"a", 0, none}, {"d", 4, none}, {"xmin", 5, none}, {"nosuch", -1, none},
		{"b", 0, sqlerr.AmbiguousColumn},
		{"c", 0, sqlerr.InvalidColumnReference}, // seen, and not to be named by this join
	} {
		var e expr.Expr
		err := fail.Try(func() { e = p.Local(l, tt.name, 7) })
		if tt.code != none {
			if s := sqlerr.As(err); s == nil || s.Code != tt.code || s.Position != 7 {
				t.Errorf("%s: %v, %v", tt.name, e, err)
			}
			continue
		}
		c, ok := e.(*expr.Col)
		if err != nil || ok != (tt.id >= 0) || ok && (c.Index != tt.id || c.At != 7) {
			t.Errorf("%s: %v, %v", tt.name, e, err)
		}
	}
	if !left.Used || other.Used {
		t.Errorf("lateral to the left %t, to the barred %t", left.Used, other.Used)
	}
}

// TestNamedBy: the innermost level that is named decides of which query an aggregate is, however
// deep the expression stands that names it.
func TestNamedBy(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		var levels []*Level
		var at *Place
		for i := range 1 + r.IntN(4) {
			l := NewLevel(at)
			l.Scope = ScopeOf(relation(fmt.Sprint("r", i), i, fmt.Sprint("c", i)))
			levels, at = append(levels, l), &Place{Level: l}
		}
		in := len(levels) - 1
		outer, names := -1, []int(nil)
		for range r.IntN(3) {
			names = append(names, r.IntN(len(levels)))
		}
		for range r.IntN(2) {
			outer = max(outer, r.IntN(len(levels)))
		}
		name := func(i int) { at.Local(levels[i], fmt.Sprint("c", i), 0) }
		if outer >= 0 {
			name(outer)
		}
		got := levels[in].NamedBy(func() {
			for _, i := range names {
				name(i)
			}
		})
		want, all := in, outer
		if len(names) > 0 {
			want = slices.Max(names)
			all = max(all, want)
		}
		if got != levels[want] || levels[in].Deepest != all {
			t.Fatalf("%d levels, named before %d, then %v: level %d, deepest %d", len(levels), outer, names, got.Depth, levels[in].Deepest)
		}
	}
}

// TestCallsOnce: calls that are equal are computed once, and those that differ in one thing are not.
func TestCallsOnce(t *testing.T) {
	m := logical.NewMeta(0)
	a, b := &expr.Col{Index: m.Add(logical.Column{Type: int4T}), T: int4T}, &expr.Col{Index: m.Add(logical.Column{Type: int4T}), T: int4T}
	volatile := &expr.Call{Fn: &expr.Func{Name: "random", Volatile: true}}
	key := func(e expr.Expr, desc bool) []plan.SortKey { return []plan.SortKey{{Expr: e, Desc: desc}} }
	var aggs Aggs
	calls := []plan.AggCall{
		{Args: []expr.Expr{a}}, {Args: []expr.Expr{b}}, {Args: []expr.Expr{a, b}}, {Args: []expr.Expr{a}, Distinct: true},
		{Args: []expr.Expr{a}, Filter: a}, {Args: []expr.Expr{a}, Filter: b}, {Args: []expr.Expr{a}, OrderBy: key(b, false)}, {Args: []expr.Expr{a}, OrderBy: key(b, true)},
	}
	agg := &expr.Agg{Name: "f", T: int4T}
	for range 3 {
		for i, c := range calls {
			c.Agg = agg
			if got := aggs.Add(m, c, 0).(*expr.Col); got.Index != aggs.IDs[i] {
				t.Errorf("call %d is column %d of %v", i, got.Index, aggs.IDs)
			}
		}
	}
	for _, c := range []plan.AggCall{{Agg: agg, Args: []expr.Expr{volatile}}, {Agg: agg, Args: []expr.Expr{a}, Filter: volatile}} {
		if x, y := aggs.Add(m, c, 0).(*expr.Col), aggs.Add(m, c, 0).(*expr.Col); x.Index == y.Index {
			t.Errorf("%+v is computed once", c)
		}
	}
	if len(aggs.Calls) != len(calls)+4 {
		t.Errorf("%d calls", len(aggs.Calls))
	}

	var w Windows
	specs := []*WindowSpec{{Partition: []expr.Expr{a}}, {Partition: []expr.Expr{b}}, {Partition: []expr.Expr{a}, Order: key(b, false)}, {Partition: []expr.Expr{a}, Order: key(b, true)}}
	seen := map[int]bool{}
	for range 2 {
		for _, s := range specs {
			for _, c := range []plan.WindowCall{{Text: "f"}, {Text: "g"}, {Text: "f", Args: []expr.Expr{a}}, {Text: "f", Filter: a}, {Text: "f", Frame: plan.Frame{Mode: 1}}} {
				seen[w.Add(m, s, c, 0).(*expr.Col).Index] = true
			}
		}
	}
	if len(w.List) != len(specs) || len(seen) != 5*len(specs) {
		t.Errorf("%d windows of %d calls", len(w.List), len(seen))
	}
	if x, y := w.Add(m, specs[0], plan.WindowCall{Args: []expr.Expr{volatile}}, 0).(*expr.Col), w.Add(m, specs[0], plan.WindowCall{Args: []expr.Expr{volatile}}, 0).(*expr.Col); x.Index == y.Index {
		t.Error("a volatile call over a window is computed once")
	}
	if e := (&expr.And{Args: []expr.Expr{a, &expr.Col{Index: w.List[0].Cols[0]}}}); !w.In(e) || w.In(a) || aggs.In(e) || !aggs.In(&expr.Col{Index: aggs.IDs[0]}) {
		t.Error("calls are not found in expressions, or found where they are not")
	}
}

// TestSetsOver: a set-returning function comes above those in its arguments, and beside all others
// of its depth; each is computed once.
func TestSetsOver(t *testing.T) {
	var s Sets
	for i, depth := range []int{1, 0, 2, 0, 1} {
		s.List = append(s.List, &SetItem{ID: i, Depth: depth})
	}
	under := &logical.Values{}
	node := s.Over(under, func(x *SetItem) bool { return x.ID != 3 })
	node = s.Over(node, AllSets)
	var got []string
	for {
		p, ok := node.(*logical.ProjectSet)
		if !ok {
			break
		}
		got = append(got, fmt.Sprint(p.Cols))
		node = p.Input
	}
	if want := "[3] [2] [0 4] [1]"; strings.Join(got, " ") != want || node != logical.Node(under) {
		t.Errorf("from above: %v, want %s", got, want)
	}
}
