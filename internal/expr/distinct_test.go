package expr

import (
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

// TestDistinct: a set tells expressions apart as Equal does, few and many.
func TestDistinct(t *testing.T) {
	var all []Expr
	for i := range 30 {
		n := &Const{Value: types.NewInt(int64(i)), T: types.Of(types.Int4)}
		c := &Col{Index: i, T: types.Of(types.Bool)}
		all = append(all, n, c, &Not{X: c}, &And{Args: []Expr{c, &Not{X: c}}}, &Or{Args: []Expr{c, &Not{X: c}}},
			&Const{Value: types.NewBytes([]byte{byte(i)}), T: types.Of(types.Text)}, &Const{Value: types.NullDatum, T: types.Of(types.Int4).WithLength(i)})
	}
	var d Distinct
	for i, e := range all {
		_, was := d.Has(e), IndexExpr(all[:i], e) >= 0
		if d.Has(e) != was || d.Add(e) == was || !d.Has(e) {
			t.Errorf("%d: %#v", i, e)
		}
		if again := WithChildren(e, Children(e)); d.Add(again) {
			t.Errorf("%d: equal, and added: %#v", i, e)
		}
	}
}

// TestCopies: one copy of each expression is free, a few more of short ones are.
func TestCopies(t *testing.T) {
	x := &Col{T: types.Of(types.Int4)}
	twice := func(e Expr) Expr { return &RowCmp{L: []Expr{e}, R: []Expr{e}} }
	long := Expr(x)
	for range 200 {
		long = &Not{X: long}
	}
	for _, c := range []struct {
		e, by Expr
		want  bool
	}{{x, long, false}, {twice(x), long, true}, {twice(twice(x)), &Not{X: x}, false}, {&Not{X: x}, long, false}} {
		if got := Copies(c.e, func(*Col) Expr { return c.by }); got != c.want {
			t.Errorf("%v", got)
		}
	}
}
