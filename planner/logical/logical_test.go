package logical_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Sets of columns do what sets do, whatever the sizes of their sides.
func TestColSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() (logical.ColSet, []logical.ColumnID) {
		var ids []logical.ColumnID
		for range rng.IntN(8) {
			ids = append(ids, rng.IntN(1+rng.IntN(200)))
		}
		s := logical.SetOf(ids...)
		slices.Sort(ids)
		return s, slices.Compact(ids)
	}
	where := func(ids []logical.ColumnID, keep func(logical.ColumnID) bool) (out []logical.ColumnID) {
		for _, id := range ids {
			if keep(id) {
				out = append(out, id)
			}
		}
		return out
	}
	for range 2000 {
		a, as := random()
		b, bs := random()
		inB := func(id logical.ColumnID) bool { return slices.Contains(bs, id) }
		both, either := where(as, inB), append(slices.Clone(as), bs...)
		slices.Sort(either)
		either = slices.Compact(either)
		for what, tt := range map[string]struct{ got, want []logical.ColumnID }{
			"cols":      {a.Cols(), as},
			"union":     {a.Union(b).Cols(), either},
			"intersect": {a.Intersect(b).Cols(), both},
			"minus":     {a.Minus(b).Cols(), where(as, func(id logical.ColumnID) bool { return !inB(id) })},
		} {
			if !slices.Equal(tt.got, tt.want) {
				t.Fatalf("%s of %v and %v: %v, want %v", what, as, bs, tt.got, tt.want)
			}
		}
		if a.Len() != len(as) || a.Empty() != (len(as) == 0) || a.Intersects(b) != (len(both) > 0) || a.SubsetOf(b) != (len(both) == len(as)) {
			t.Fatalf("%v and %v: %d, %v, %v, %v", as, bs, a.Len(), a.Empty(), a.Intersects(b), a.SubsetOf(b))
		}
		c := a.Copy()
		c.AddAll(b)
		c.Remove(a)
		if !slices.Equal(a.Cols(), as) || c.Intersects(a) {
			t.Fatalf("a copy of %v is not apart: %v", as, c.Cols())
		}
	}
}

func TestConjuncts(t *testing.T) {
	a, b, c := &expr.Col{Index: 1}, &expr.Col{Index: 2}, &expr.Col{Index: 3}
	nested := &expr.And{Args: []expr.Expr{a, &expr.And{Args: []expr.Expr{b, c}}}}
	for i, tt := range []struct {
		e    expr.Expr
		want []expr.Expr
	}{
		{nil, nil}, {a, []expr.Expr{a}}, {nested, []expr.Expr{a, b, c}},
		{logical.And(nil, a, nil), []expr.Expr{a}}, {logical.And(nested, nil, a), []expr.Expr{a, b, c, a}}, {logical.And(nil, nil), nil},
	} {
		if got := logical.Conjuncts(tt.e); !slices.Equal(got, tt.want) {
			t.Errorf("case %d: %v, want %v", i, got, tt.want)
		}
	}
}

// What a NULL makes not true, through AND, OR, NOT and IS NULL.
func TestNullRejected(t *testing.T) {
	col := func(id int) expr.Expr { return &expr.Col{Index: id, T: types.Of(types.Bool)} }
	and := func(list ...expr.Expr) expr.Expr { return &expr.And{Args: list} }
	or := func(list ...expr.Expr) expr.Expr { return &expr.Or{Args: list} }
	not := func(e expr.Expr) expr.Expr { return &expr.Not{X: e} }
	isNull := func(e expr.Expr) expr.Expr { return &expr.IsNull{X: e} }
	for i, tt := range []struct {
		cond expr.Expr
		want []logical.ColumnID
	}{
		{nil, nil},
		{col(1), []logical.ColumnID{1}},
		{and(col(1), col(2)), []logical.ColumnID{1, 2}},
		{or(col(1), col(2)), nil},
		{or(and(col(1), col(2)), and(col(1), col(3))), []logical.ColumnID{1}},
		{not(col(1)), []logical.ColumnID{1}},
		{not(or(col(1), col(2))), []logical.ColumnID{1, 2}},
		{not(and(col(1), col(2))), nil},
		{isNull(col(1)), nil},
		{not(isNull(col(1))), []logical.ColumnID{1}},
		{not(not(and(col(1), col(2)))), []logical.ColumnID{1, 2}},
	} {
		if got := logical.NullRejected(tt.cond).Cols(); !slices.Equal(got, tt.want) {
			t.Errorf("case %d: %v, want %v", i, got, tt.want)
		}
	}
}

// A copy of a window that computes less gives less.
func TestWindowOut(t *testing.T) {
	in := &logical.Values{Cols: []logical.ColumnID{1}}
	w := &logical.Window{Input: in, Calls: make([]plan.WindowCall, 2), Cols: []logical.ColumnID{2, 3}}
	w.Out()
	for i, c := range w.Cols {
		one := *w
		one.Calls, one.Cols = w.Calls[i:i+1], []logical.ColumnID{c}
		if got, want := one.Out(), []logical.ColumnID{1, c}; !slices.Equal(got, want) {
			t.Errorf("with column %d alone it gives %v, want %v", c, got, want)
		}
	}
}
