package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// comparison resolves an operator that must give boolean.
func comparison(op string, x, y Expr, pos int) (*Func, []Expr, error) {
	e, err := ResolveOp(op, x, y, pos)
	if err != nil {
		return nil, nil, err
	}
	c, ok := e.(*Call)
	if !ok || c.T.Kind != types.Bool {
		return nil, nil, sqlerr.New(sqlerr.DatatypeMismatch, "operator %s must return type boolean, not type %s",
			op, TypeName(e.Type())).At(pos)
	}
	return c.Fn, c.Args, nil
}

// MakeIn makes X [NOT] IN (list).
func MakeIn(x Expr, list []Expr, not bool, pos int) (Expr, error) {
	list, err := unifyList(x, list)
	if err != nil {
		return nil, err
	}
	in := &InList{At: pos, List: make([]Expr, len(list))}
	for i, y := range list {
		eq, args, err := comparison("=", x, y, pos)
		if err != nil {
			return nil, err
		}
		if in.Eq != nil && in.Eq != eq {
			return orOfEquals(x, list, not, pos)
		}
		in.Eq, in.X, in.List[i] = eq, args[0], args[1]
	}
	if not {
		return &Not{X: in, At: pos}, nil
	}
	return in, nil
}

// unifyList gives the items of an IN list without columns one type, as those of
// an array have; X keeps its own where an operator between the two exists. A
// single one is compared like a Y of X = Y, and so are items with columns.
func unifyList(x Expr, list []Expr) ([]Expr, error) {
	var fixed []Expr
	for _, y := range list {
		if !hasCols(y) {
			fixed = append(fixed, y)
		}
	}
	if len(fixed) < 2 {
		return list, nil
	}
	t, bad := commonType(append([]Expr{x}, fixed...))
	if bad != nil {
		return list, nil
	}
	fixed, err := coerceAll("IN", fixed, t.Base())
	if err != nil {
		return nil, err
	}
	out := make([]Expr, len(list))
	for i, y := range list {
		if out[i] = y; !hasCols(y) {
			out[i], fixed = fixed[0], fixed[1:]
		}
	}
	return out, nil
}

func hasCols(e Expr) bool {
	return anyNodeOf(e, func(x Expr) bool {
		_, col := x.(*Col)
		return col || IsForeign(x)
	})
}

func orOfEquals(x Expr, list []Expr, not bool, pos int) (Expr, error) {
	arms := make([]Expr, len(list))
	for i, y := range list {
		e, err := ResolveOp("=", x, y, pos)
		if err != nil {
			return nil, err
		}
		arms[i] = e
	}
	e, err := MakeOr(arms, pos)
	if err == nil && not {
		return MakeNot(e, pos)
	}
	return e, err
}

// MakeAnyAll makes X op ANY(array), or ALL with all.
func MakeAnyAll(op string, x, array Expr, all bool, pos int) (Expr, error) {
	if op == "!=" {
		op = "<>"
	}
	at := array.Type()
	var elem Expr
	switch at.Kind {
	case types.Unknown:
		elem = &Const{Value: types.NullDatum, T: tUnk, At: array.Pos()}
	case types.Array:
		elem = &Const{Value: types.NullDatum, T: at.ElemType().Base(), At: array.Pos()}
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires array on right side").At(pos)
	}
	f, args, err := comparison(op, x, elem, pos)
	if err != nil {
		if sqlerr.CodeOf(err) == sqlerr.DatatypeMismatch {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean").At(pos)
		}
		return nil, err
	}
	arr, err := ResolveCast(array, types.ArrayOf(args[1].Type().Base()), Implicit, pos)
	if err != nil {
		return nil, err
	}
	return &AnyAll{X: args[0], Array: arr, Op: f, All: all, At: pos}, nil
}

// MakeRowCmp compares two rows: op is one of = <> < <= > >=. 42601 "unequal
// number of entries in row expressions".
func MakeRowCmp(op string, l, r []Expr, pos int) (Expr, error) {
	if len(l) != len(r) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(pos)
	}
	if len(l) == 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot compare rows of zero length").At(pos)
	}
	if op == "=" || op == "<>" || op == "!=" {
		arms := make([]Expr, len(l))
		for i := range l {
			e, err := ResolveOp(op, l[i], r[i], pos)
			if err != nil {
				return nil, err
			}
			arms[i] = e
		}
		if op == "=" {
			return MakeAnd(arms, pos)
		}
		return MakeOr(arms, pos)
	}
	c := &RowCmp{Op: op, At: pos}
	for i := range l {
		if err := orders(op, l[i], r[i], pos); err != nil {
			return nil, err
		}
		lt, args, err := comparison("<", l[i], r[i], pos)
		if err != nil {
			return nil, err
		}
		eq, _, err := comparison("=", args[0], args[1], pos)
		if err != nil {
			return nil, err
		}
		c.L, c.R = append(c.L, args[0]), append(c.R, args[1])
		c.Lt, c.Eq = append(c.Lt, lt), append(c.Eq, eq)
	}
	return c, nil
}

// orders refuses operators by which rows have no order: 42804 where one does not compare, and
// else 0A000.
func orders(op string, l, r Expr, pos int) error {
	switch op {
	case "<", "<=", ">", ">=":
		return nil
	}
	e, err := ResolveOp(op, l, r, pos)
	if err != nil {
		return err
	}
	if t := e.Type(); t.Kind != types.Bool {
		return sqlerr.New(sqlerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s", TypeName(t)).At(pos)
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", op).
		WithHint("Row comparison operators must be associated with btree operator families.").At(pos)
}

// MakeBetween makes x [NOT] BETWEEN [SYMMETRIC] lo AND hi.
func MakeBetween(x, lo, hi Expr, not, symmetric bool, pos int) (Expr, error) {
	// Each comparison reads the operands anew: a parameter has the type that the one before gave it.
	pair := func(low string, lo Expr, high string, hi Expr, connect func([]Expr, int) (Expr, error)) (Expr, error) {
		a, err := ResolveOp(low, typed(x), typed(lo), pos)
		if err != nil {
			return nil, err
		}
		b, err := ResolveOp(high, typed(x), typed(hi), pos)
		if err != nil {
			return nil, err
		}
		return connect([]Expr{a, b}, pos)
	}
	both := func(lo, hi Expr) (Expr, error) { return pair(">=", lo, "<=", hi, MakeAnd) }
	if not && !symmetric {
		return pair("<", lo, ">", hi, MakeOr)
	}
	e, err := both(lo, hi)
	if err != nil || !symmetric {
		return e, err
	}
	f, err := both(hi, lo)
	if err != nil {
		return nil, err
	}
	if e, err = MakeOr([]Expr{e, f}, pos); err == nil && not {
		return MakeNot(e, pos)
	}
	return e, err
}
