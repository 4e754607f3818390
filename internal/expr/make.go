package expr

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// MakeAnd joins boolean arguments: nested ANDs are flattened, a single argument
// is returned as it is. Arguments must be boolean or untyped: 42804.
func MakeAnd(args []Expr, pos int) (Expr, error) {
	out, err := boolArgs("AND", args)
	if err != nil {
		return nil, err
	}
	var flat []Expr
	for _, a := range out {
		if x, ok := a.(*And); ok {
			flat = append(flat, x.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	if len(flat) == 1 {
		return flat[0], nil
	}
	return &And{Args: flat, At: pos}, nil
}

// MakeOr is MakeAnd's twin.
func MakeOr(args []Expr, pos int) (Expr, error) {
	out, err := boolArgs("OR", args)
	if err != nil {
		return nil, err
	}
	var flat []Expr
	for _, a := range out {
		if x, ok := a.(*Or); ok {
			flat = append(flat, x.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	if len(flat) == 1 {
		return flat[0], nil
	}
	return &Or{Args: flat, At: pos}, nil
}

func boolArgs(context string, args []Expr) ([]Expr, error) {
	out := make([]Expr, len(args))
	for i, a := range args {
		y, err := ResolveBool(a, context)
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return out, nil
}

// MakeNot negates x.
func MakeNot(x Expr, pos int) (Expr, error) {
	y, err := ResolveBool(x, "NOT")
	if err != nil {
		return nil, err
	}
	return &Not{X: y, At: pos}, nil
}

// MakeIsNull makes X IS NULL.
func MakeIsNull(x Expr, pos int) (Expr, error) {
	x, err := ResolveUnknown(x)
	if err != nil {
		return nil, err
	}
	return &IsNull{X: x, At: pos}, nil
}

// MakeIsTest makes X IS [NOT] TRUE, FALSE or UNKNOWN; test is "true", "false"
// or "unknown".
func MakeIsTest(x Expr, test string, not bool, pos int) (Expr, error) {
	name := map[string]string{"true": "IS TRUE", "false": "IS FALSE", "unknown": "IS UNKNOWN"}[test]
	if not {
		name = "IS NOT" + name[2:]
	}
	x, err := ResolveBool(x, name)
	if err != nil {
		return nil, err
	}
	return &Call{Fn: isTests[name], Args: []Expr{x}, T: tBool, At: pos}, nil
}

// MakeIsDistinct makes X IS DISTINCT FROM Y. With a plain NULL it is IS NOT NULL, which
// types without equality have too.
func MakeIsDistinct(x, y Expr, pos int) (Expr, error) {
	if plainNull(x) {
		x, y = y, x
	}
	if plainNull(y) {
		null, err := MakeIsNull(x, pos)
		if err != nil {
			return nil, err
		}
		return &Not{X: null, At: pos}, nil
	}
	eq, args, err := comparison("=", x, y, pos)
	if err != nil {
		return nil, err
	}
	return &IsDistinct{X: args[0], Y: args[1], Eq: eq, At: pos}, nil
}

// plainNull says that e is the literal NULL without a type.
func plainNull(e Expr) bool {
	c, ok := e.(*Const)
	return ok && c.Value.Null && c.T == tUnk
}

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

// MakeCase makes CASE [operand] WHEN … THEN … [ELSE …] END; operand and els may
// be nil. 0A000 for an operand that changes from one evaluation to the next.
func MakeCase(operand Expr, whens []When, els Expr, pos int) (Expr, error) {
	if operand != nil {
		var err error
		if operand, err = ResolveUnknown(operand); err != nil {
			return nil, err
		}
		if Volatile(operand) {
			return nil, sqlerr.Unsupported("CASE over a volatile operand is not supported",
				"Compute the operand in a subquery and use its column.").At(pos)
		}
	}
	// The ELSE is the most significant for the result's type, as in Postgres.
	results := []Expr{&Const{Value: types.NullDatum, T: tUnk, At: pos}}
	if els != nil {
		results[0] = els
	}
	conds := make([]Expr, len(whens))
	for i, w := range whens {
		c := w.Cond
		var err error
		if operand != nil {
			if c, err = ResolveOp("=", operand, c, c.Pos()); err != nil {
				return nil, err
			}
		}
		if conds[i], err = ResolveBool(c, "CASE/WHEN"); err != nil {
			return nil, err
		}
		results = append(results, w.Then)
	}
	out, t, err := Unify("CASE", results)
	if err != nil {
		return nil, err
	}
	c := &Case{T: t, At: pos}
	for i := range whens {
		c.Whens = append(c.Whens, When{Cond: conds[i], Then: out[i+1]})
	}
	if els != nil {
		c.Else = out[0]
	}
	return c, nil
}

// MakeCoalesce makes COALESCE(args).
func MakeCoalesce(args []Expr, pos int) (Expr, error) {
	out, t, err := Unify("COALESCE", args)
	if err != nil {
		return nil, err
	}
	return &Coalesce{Args: out, T: t, At: pos}, nil
}

// MakeNullIf makes NULLIF(x, y).
func MakeNullIf(x, y Expr, pos int) (Expr, error) {
	eq, args, err := comparison("=", x, y, pos)
	if err != nil {
		return nil, err
	}
	t := args[0].Type()
	return &Call{Fn: nullIfFunc(eq, t), Args: args, T: t, At: pos}, nil
}

// MakeGreatest makes GREATEST(args), or LEAST(args).
func MakeGreatest(args []Expr, least bool, pos int) (Expr, error) {
	context := "GREATEST"
	if least {
		context = "LEAST"
	}
	out, t, err := Unify(context, args)
	if err != nil {
		return nil, err
	}
	if !orderable(t) {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "could not identify a comparison function for type %s", TypeName(t)).At(pos)
	}
	return &Call{Fn: greatestFunc(context, t), Args: out, T: t, At: pos}, nil
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

// MakeBetween makes x [NOT] BETWEEN [SYMMETRIC] lo AND hi.
func MakeBetween(x, lo, hi Expr, not, symmetric bool, pos int) (Expr, error) {
	both := func(lo, hi Expr) (Expr, error) {
		a, err := ResolveOp(">=", x, lo, pos)
		if err != nil {
			return nil, err
		}
		b, err := ResolveOp("<=", x, hi, pos)
		if err != nil {
			return nil, err
		}
		return MakeAnd([]Expr{a, b}, pos)
	}
	if not && !symmetric {
		a, err := ResolveOp("<", x, lo, pos)
		if err != nil {
			return nil, err
		}
		b, err := ResolveOp(">", x, hi, pos)
		if err != nil {
			return nil, err
		}
		return MakeOr([]Expr{a, b}, pos)
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

// MakeArrayExpr makes ARRAY[elems]. An empty one has type unknown until a cast
// gives it one; ResolveUnknown refuses it with 42P18.
func MakeArrayExpr(elems []Expr, pos int) (Expr, error) {
	if len(elems) == 0 {
		return &MakeArray{T: tUnk, At: pos}, nil
	}
	out, t, err := Unify("ARRAY", elems)
	if err != nil {
		return nil, err
	}
	if t.Kind == types.Array {
		return &MakeArray{Elems: out, T: t, At: pos}, nil
	}
	if types.ArrayOf(t).ArrayOID() == 0 {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", TypeName(t)).At(pos)
	}
	return &MakeArray{Elems: out, T: types.ArrayOf(t), At: pos}, nil
}

// MakeArrayOf makes ARRAY[elems]::t, which casts each element to t's, as
// Postgres does for a cast right above the constructor. Elements that are ARRAYs
// themselves are made with the same t.
func MakeArrayOf(elems []Expr, t types.T, pos int) (Expr, error) {
	if t.Kind != types.Array {
		a, err := MakeArrayExpr(elems, pos)
		if err != nil {
			return nil, err
		}
		return ResolveCast(a, t, Explicit, pos)
	}
	out := make([]Expr, len(elems))
	for i, e := range elems {
		to := t.ElemType()
		if e.Type().Kind == types.Array {
			to = t
		}
		y, err := ResolveCast(e, to, Explicit, pos)
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return &MakeArray{Elems: out, T: t, At: pos}, nil
}

// checkArray refuses an ARRAY[] that no cast has given a type: 42P18.
func checkArray(e Expr) error {
	if m, ok := e.(*MakeArray); ok && m.T.Kind == types.Unknown {
		return sqlerr.New(sqlerr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].").At(m.At)
	}
	return nil
}

// SubscriptRange is what stands between brackets: an index, or with Slice a range whose
// bounds may be nil.
type SubscriptRange struct {
	Range
	Slice bool
}

// MakeSubscript makes x[i], x[i][j] and, where one of them is a range, a slice. 42804 for a
// type that has no elements, 54000 beyond MaxDims.
func MakeSubscript(x Expr, subs []SubscriptRange, pos int) (Expr, error) {
	t := x.Type()
	slice := slices.ContainsFunc(subs, func(s SubscriptRange) bool { return s.Slice })
	switch {
	case t.Kind == types.JSONB && slice:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices").At(pos)
	case t.Kind == types.JSONB:
		for _, s := range subs {
			var err error
			if x, err = ResolveOp("->", x, s.High, pos); err != nil {
				return nil, err
			}
		}
		return x, nil
	case t.Kind == types.Name && slice:
		return nil, sqlerr.Unsupported("slices of fixed-length arrays not implemented", "Use substr.").At(pos)
	case t.Kind != types.Array && (t.Kind != types.Name || len(subs) > 1):
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", TypeName(t)).At(x.Pos())
	case len(subs) > types.MaxDims:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(subs), types.MaxDims).At(pos)
	}
	ranges := make([]Range, len(subs))
	for i, s := range subs {
		for _, b := range []struct {
			from Expr
			to   *Expr
		}{{s.Low, &ranges[i].Low}, {s.High, &ranges[i].High}} {
			if b.from == nil {
				continue
			}
			y, ok, err := coerce(b.from, tInt4, Assignment, 0)
			if err != nil {
				return nil, err
			}
			if !ok {
				return nil, sqlerr.New(sqlerr.DatatypeMismatch, "array subscript must have type integer").At(b.from.Pos())
			}
			*b.to = y
		}
		if slice && !s.Slice {
			ranges[i].Low = &Const{Value: types.NewInt(1), T: tInt4}
		}
	}
	switch {
	case slice:
		return &Subscripts{X: x, Ranges: ranges, Slice: true, T: types.ArrayOf(t.ElemType()), At: pos}, nil
	case len(ranges) > 1:
		return &Subscripts{X: x, Ranges: ranges, T: t.ElemType(), At: pos}, nil
	case t.Kind == types.Name:
		return &Subscript{X: x, I: ranges[0].High, T: types.Of(types.CharOne), At: pos}, nil
	}
	return &Subscript{X: x, I: ranges[0].High, T: t.ElemType(), At: pos}, nil
}
