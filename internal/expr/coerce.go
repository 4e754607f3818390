package expr

import (
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// coerce converts x to type to, modifier included; ok is false if the context
// allows no such cast.
func coerce(x Expr, to types.T, ctx CastContext, pos int) (y Expr, ok bool, err error) {
	from := x.Type()
	if to.Domain() != nil {
		return coerceToDomain(x, to, ctx, pos)
	}
	if from.Kind == types.Unknown {
		y, err = coerceUnknown(x, to, ctx, pos)
		return y, true, err
	}
	if from.Domain() == nil && (from.Base() == to.Base() && (to.Typmod() < 0 || to == from) || from.Bare() == to) {
		return x, true, nil
	}
	if _, ok := FindCast(from, to, ctx); !ok {
		return nil, false, nil
	}
	return &Cast{X: x, To: to, Explicit: ctx == Explicit, At: castPos(x, pos)}, true, nil
}

// coerceToDomain converts x to the type under all domains, and has the result tested.
func coerceToDomain(x Expr, to types.T, ctx CastContext, pos int) (y Expr, ok bool, err error) {
	if x.Type() == to {
		return x, true, nil
	}
	if y, ok, err = coerce(x, to.Plain(), ctx, pos); !ok || err != nil {
		return y, ok, err
	}
	return &CoerceToDomain{X: y, To: to, Explicit: ctx == Explicit, At: castPos(x, pos)}, true, nil
}

func castPos(x Expr, pos int) int {
	if pos != 0 {
		return pos
	}
	return x.Pos()
}

// coerceUnknown gives an untyped literal or parameter the type its context asks
// for. A literal is read at once, so that its fault is reported at its place.
func coerceUnknown(x Expr, to types.T, ctx CastContext, pos int) (Expr, error) {
	switch x := x.(type) {
	case *MakeArray:
		if to.Kind == types.Array {
			return &MakeArray{T: to.Base(), At: x.At}, nil
		}
		return nil, checkArray(x)
	case *Param:
		if x.types != nil {
			if err := x.types.set(x.N, to, x.At); err != nil {
				return nil, err
			}
		}
		p := &Param{N: x.N, T: to.Base(), At: x.At, types: x.types}
		if to.Typmod() >= 0 {
			return &Cast{X: p, To: to, Explicit: ctx == Explicit, At: castPos(x, pos)}, nil
		}
		return p, nil
	case *Const:
		if x.Value.Null {
			return &Const{Value: types.NullDatum, T: to, At: x.At}, nil
		}
		return parseLiteral(x, to, ctx)
	}
	// An unknown expression of another kind: its value is text.
	return &Cast{X: x, To: to, Explicit: ctx == Explicit, At: castPos(x, pos)}, nil
}

func parseLiteral(x *Const, to types.T, ctx CastContext) (Expr, error) {
	later := func() Expr {
		// Still an untyped literal: a cast of text would have to be asked for.
		text := &Const{Value: x.Value, T: tUnk, At: x.At}
		return &Cast{X: text, To: to, Explicit: ctx == Explicit, At: x.At}
	}
	elem := to.Kind
	if elem == types.Array {
		elem = to.Elem
	}
	if namesObject(elem) {
		return later(), nil
	}
	// The modifier is applied afterwards: what does not fit fails when it is run. An
	// interval's tells what its numbers mean, but not in an array.
	read := to.Base()
	if to.Kind == types.Interval {
		read = to
	}
	var io types.IOEnv
	if x.Read != nil && readByStyle(elem) {
		if c, ok := readNow(x, read, to, ctx); ok {
			return c, nil
		}
	}
	d, err := types.ParseText(read, x.Value.Bytes, &io)
	if err != nil {
		if io.UsedContext && (elem == types.Regtype || readByStyle(elem)) {
			return later(), nil
		}
		if e := sqlerr.As(err); e != nil {
			return nil, e.At(x.At)
		}
		return nil, err
	}
	if io.UsedContext {
		return later(), nil
	}
	fitted, err := types.CoerceTypmod(to, d, ctx == Explicit)
	if err != nil {
		return &Cast{X: &Const{Value: d, T: to.Base(), At: x.At}, To: to, Explicit: ctx == Explicit, At: x.At}, nil
	}
	return &Const{Value: fitted, T: to, At: x.At}, nil
}

// readNow reads a literal by the settings that it has. What is wrong, and what the clock tells, is left
// to the run.
func readNow(x *Const, read, to types.T, ctx CastContext) (Expr, bool) {
	var values [2]types.Datum
	for i := range values {
		io := *x.Read
		io.Now = time.Unix(1e9*int64(i), 0)
		var err error
		if values[i], err = types.ParseText(read, x.Value.Bytes, &io); err != nil {
			return nil, false
		}
	}
	if types.Compare(read, values[0], values[1]) != 0 {
		return nil, false
	}
	fitted, err := types.CoerceTypmod(to, values[0], ctx == Explicit)
	return &Const{Value: fitted, T: to, At: x.At}, err == nil
}

// readByStyle says that what a text of the kind means may depend on DateStyle or IntervalStyle.
func readByStyle(k types.Kind) bool {
	switch k {
	case types.Date, types.Timestamp, types.Timestamptz, types.Interval:
		return true
	}
	return false
}

// ResolveCast converts x to type to, with to's modifier. 42846 if there is no
// such cast in the context.
func ResolveCast(x Expr, to types.T, ctx CastContext, pos int) (Expr, error) {
	y, ok, err := coerce(x, to, ctx, pos)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, CannotCast(x.Type(), to, castPos(x, pos))
	}
	return y, nil
}

// ResolveAssign converts x for storing it in column: 42804 with Postgres's
// hint if there is no assignment cast.
func ResolveAssign(x Expr, column string, to types.T, pos int) (Expr, error) {
	y, ok, err := coerce(x, to, Assignment, pos)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, `column "%s" is of type %s but expression is of type %s`,
			column, TypeName(to), TypeName(x.Type())).
			WithHint("You will need to rewrite or cast the expression.").At(castPos(x, pos))
	}
	return y, nil
}

// ResolveUnknown gives an expression of unknown type (a bare literal or
// parameter) the type text; others are returned as they are.
func ResolveUnknown(x Expr) (Expr, error) {
	if x.Type().Kind != types.Unknown {
		return x, nil
	}
	return coerceUnknown(x, tText, Implicit, 0)
}

// ResolveBool converts x, the argument of AND, OR, NOT, WHERE, … (named by
// context as in "argument of WHERE must be type boolean, not type integer"), to
// boolean: 42804.
func ResolveBool(x Expr, context string) (Expr, error) {
	return resolveTo(x, tBool, context)
}

func resolveTo(x Expr, to types.T, context string) (Expr, error) {
	ctx := Implicit
	if to.Kind != types.Bool {
		ctx = Assignment
	}
	y, ok, err := coerce(x, to, ctx, 0)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type %s, not type %s",
			context, TypeName(to), TypeName(x.Type())).At(x.Pos())
	}
	return y, nil
}

// SelectCommonType gives the type that CASE, UNION, ARRAY, VALUES and the like
// give to alternatives: 42804 "CASE types x and y cannot be matched".
func SelectCommonType(context string, exprs []Expr) (types.T, error) {
	t, bad := commonType(exprs)
	if bad != nil {
		return types.T{}, sqlerr.New(sqlerr.DatatypeMismatch, "%s types %s and %s cannot be matched",
			context, TypeName(t), TypeName(bad.Type())).At(bad.Pos())
	}
	return t, nil
}

// commonType gives the common type, or the first expression that does not fit
// and the type it was held against.
func commonType(exprs []Expr) (t types.T, bad Expr) {
	ts := make([]types.T, len(exprs))
	for i, e := range exprs {
		ts[i] = e.Type()
	}
	t, at := commonOf(ts)
	if at >= 0 {
		return t, exprs[at]
	}
	return t, nil
}

// commonOf follows select_common_type; bad is the index of the first type that
// does not fit, or -1.
func commonOf(ts []types.T) (t types.T, bad int) {
	if len(ts) == 0 {
		return tText, -1
	}
	same := ts[0].Kind != types.Unknown
	for _, n := range ts[1:] {
		same = same && n == ts[0]
	}
	if same {
		return ts[0], -1
	}
	t = ts[0].Base()
	for i, n := range ts[1:] {
		n = n.Base()
		switch {
		case n.Kind == types.Unknown || n == t:
		case n.Bare() == t.Bare(): // records of two shapes, or arrays of them
			switch {
			case n.Shape().Table() != t.Shape().Table():
				return t, i + 1
			case !t.Shape().Table():
				t = t.Bare()
			}
		case t.Kind == types.Unknown:
			t = n
		case n.Category() != t.Category():
			return t, i + 1
		case !t.Preferred() && canCoerce(t, n, Implicit) && !canCoerce(n, t, Implicit):
			t = n
		}
	}
	if t.Kind == types.Unknown {
		t = tText
	}
	return t, -1
}

// Unify casts exprs to their common type, in a new slice.
func Unify(context string, exprs []Expr) ([]Expr, types.T, error) {
	t, err := SelectCommonType(context, exprs)
	if err != nil {
		return nil, types.T{}, err
	}
	if context == "CASE" {
		context = "CASE/WHEN"
	}
	out, err := coerceAll(context, exprs, t)
	return out, t, err
}

// LosesLength says that a char(n), or an array of it, loses its length: its values then get
// the blanks that they are shown with, which no length gives back.
func LosesLength(from, to types.T) bool {
	if from.Kind == types.Array && to.Kind == types.Array {
		from, to = from.ElemType(), to.ElemType()
	}
	return from.Kind == types.Bpchar && to.Kind == types.Bpchar && from.Typmod() >= 0 && to.Typmod() < 0
}

// ResolveCommon converts x, one of several expressions, to the type that stands for all.
func ResolveCommon(x Expr, t types.T, pos int) (Expr, error) {
	y, err := ResolveCast(x, t, Implicit, pos)
	if err == nil && LosesLength(x.Type(), t) {
		y = &Cast{X: x, To: t, At: castPos(x, pos)}
	}
	return y, err
}

func coerceAll(context string, exprs []Expr, t types.T) ([]Expr, error) {
	out := make([]Expr, len(exprs))
	for i, e := range exprs {
		y, ok, err := coerce(e, t, Implicit, 0)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, sqlerr.New(sqlerr.CannotCoerce, "%s could not convert type %s to %s",
				context, TypeName(e.Type()), TypeName(t)).At(e.Pos())
		}
		if LosesLength(e.Type(), t) && context != "IN" {
			y = &Cast{X: e, To: t, At: e.Pos()}
		}
		out[i] = y
	}
	return out, nil
}
