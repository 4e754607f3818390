package logical

import (
	"iter"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Conjuncts lists what a condition joins by AND; none for nil.
func Conjuncts(e expr.Expr) []expr.Expr {
	if e == nil {
		return nil
	}
	and, ok := e.(*expr.And)
	if !ok {
		return []expr.Expr{e}
	}
	list := make([]expr.Expr, 0, len(and.Args))
	for _, a := range and.Args {
		if _, nested := a.(*expr.And); nested {
			list = append(list, Conjuncts(a)...)
		} else {
			list = append(list, a)
		}
	}
	return list
}

// AndAll joins conditions by AND; nil for none.
func AndAll(list []expr.Expr) expr.Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &expr.And{Args: list}
}

// And joins conditions of which some may be nil, which is true.
func And(list ...expr.Expr) expr.Expr {
	var all []expr.Expr
	for _, e := range list {
		all = append(all, Conjuncts(e)...)
	}
	return AndAll(all)
}

// Equality gives the sides of an equality that can be hashed, brought to one type: x = y,
// or x IS NOT DISTINCT FROM y, for which two NULLs are equal. Values of one type that are
// equal have one hash and one place in the sort order; dates and timestamps, whose
// comparison depends on the session, are left out.
func Equality(e expr.Expr) (x, y expr.Expr, nullsEqual, ok bool) {
	switch e := e.(type) {
	case *expr.Call:
		if e.Fn.Name != "=" || len(e.Args) != 2 || e.Fn.Stable {
			return nil, nil, false, false
		}
		x, y = e.Args[0], e.Args[1]
	case *expr.Not:
		d, is := e.X.(*expr.IsDistinct)
		if !is || d.Eq == nil || d.Eq.Stable {
			return nil, nil, false, false
		}
		x, y, nullsEqual = d.X, d.Y, true
	default:
		return nil, nil, false, false
	}
	x, y, ok = oneType(x, y)
	return x, y, nullsEqual, ok
}

// EqualTo visits the columns that a condition says to equal something whose values have one
// form with theirs, with what they equal.
func EqualTo(e expr.Expr) iter.Seq2[*expr.Col, expr.Expr] {
	return func(yield func(*expr.Col, expr.Expr) bool) {
		call, ok := e.(*expr.Call)
		if !ok || call.Fn.Name != "=" || len(call.Args) != 2 || call.Fn.Stable {
			return
		}
		for i, a := range call.Args {
			value := call.Args[1-i]
			if col, ok := CastFree(a).(*expr.Col); ok && AlikeInForm(col.T, value.Type()) && !yield(col, value) {
				return
			}
		}
	}
}

// AlikeInForm says that values of two types are equal where their forms are.
func AlikeInForm(a, b types.T) bool {
	return a.Base() == b.Base() || a.IsString() && b.IsString() && a.Kind != types.Bpchar && b.Kind != types.Bpchar
}

// oneType casts two sides of a comparison to the wider type of both.
func oneType(x, y expr.Expr) (expr.Expr, expr.Expr, bool) {
	a, b := x.Type().Base(), y.Type().Base()
	if a == b {
		return x, y, true
	}
	to, ok := wider(a, b)
	if !ok {
		return x, y, false
	}
	cast := func(e expr.Expr) expr.Expr {
		if e.Type().Base() == to {
			return e
		}
		return &expr.Cast{X: e, To: to, At: e.Pos()}
	}
	return cast(x), cast(y), true
}

// wider gives the one of two types that holds every value of the other.
func wider(a, b types.T) (types.T, bool) {
	rank := func(t types.T) (family, rank int) {
		switch t.Kind {
		case types.Int2:
			return 1, 1
		case types.Int4:
			return 1, 2
		case types.Int8:
			return 1, 3
		case types.Float4:
			return 2, 1
		case types.Float8:
			return 2, 2
		case types.Varchar:
			return 3, 1
		case types.Text:
			return 3, 2
		}
		return 0, 0
	}
	fa, ra := rank(a)
	fb, rb := rank(b)
	switch {
	case fa == 0 || fa != fb:
		return types.T{}, false
	case ra >= rb:
		return a, true
	}
	return b, true
}
