package expr_test

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// TestDistinct: a set tells expressions apart as Equal does, few and many.
func TestDistinct(t *testing.T) {
	var all []expr.Expr
	for i := range 30 {
		n := &expr.Const{Value: types.NewInt(int64(i)), T: types.Of(types.Int4)}
		c := &expr.Col{Index: i, T: types.Of(types.Bool)}
		all = append(all, n, c, &expr.Not{X: c}, &expr.And{Args: []expr.Expr{c, &expr.Not{X: c}}}, &expr.Or{Args: []expr.Expr{c, &expr.Not{X: c}}},
			&expr.Const{Value: types.NewBytes([]byte{byte(i)}), T: types.Of(types.Text)}, &expr.Const{Value: types.NullDatum, T: types.Of(types.Int4).WithLength(i)})
	}
	var d expr.Distinct
	for i, e := range all {
		_, was := d.Has(e), expr.IndexExpr(all[:i], e) >= 0
		if d.Has(e) != was || d.Add(e) == was || !d.Has(e) {
			t.Errorf("%d: %#v", i, e)
		}
		if again := expr.WithChildren(e, expr.Children(e)); d.Add(again) {
			t.Errorf("%d: equal, and added: %#v", i, e)
		}
	}
}

// TestCopies: one copy of each expression is free, a few more of short ones are.
func TestCopies(t *testing.T) {
	x := &expr.Col{T: types.Of(types.Int4)}
	twice := func(e expr.Expr) expr.Expr { return &expr.RowCmp{L: []expr.Expr{e}, R: []expr.Expr{e}} }
	long := expr.Expr(x)
	for range 200 {
		long = &expr.Not{X: long}
	}
	for _, c := range []struct {
		e, by expr.Expr
		want  bool
	}{{x, long, false}, {twice(x), long, true}, {twice(twice(x)), &expr.Not{X: x}, false}, {&expr.Not{X: x}, long, false}} {
		if got := expr.Copies(c.e, func(*expr.Col) expr.Expr { return c.by }); got != c.want {
			t.Errorf("%v", got)
		}
	}
}
