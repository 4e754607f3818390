package expr

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

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
	if err := NoArrayOf(t, pos); err != nil {
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

// NoArrayOf refuses arrays of int2vector and oidvector, which are no arrays of more dimensions:
// 0A000.
func NoArrayOf(t types.T, pos int) error {
	if !t.IsVector() {
		return nil
	}
	return sqlerr.Unsupported("arrays of "+TypeName(t)+" are not supported", "Make an array of their texts: cast each to text.").At(pos)
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

// pos is where one of its bounds stands, or else.
func (s *SubscriptRange) pos(otherwise int) int {
	for _, b := range []Expr{s.High, s.Low} {
		if b != nil && b.Pos() > 0 {
			return b.Pos()
		}
	}
	return otherwise
}

// bounds makes integers of them, where they are there: 42804.
func (s *SubscriptRange) bounds() (r Range, err error) {
	for _, b := range []struct {
		from Expr
		to   *Expr
	}{{s.Low, &r.Low}, {s.High, &r.High}} {
		if b.from == nil {
			continue
		}
		y, ok, err := coerce(b.from, tInt4, Assignment, 0)
		if err != nil {
			return r, err
		}
		if !ok {
			return r, sqlerr.New(sqlerr.DatatypeMismatch, "array subscript must have type integer").At(b.from.Pos())
		}
		*b.to = y
	}
	return r, nil
}

// namesField says that a subscript of jsonb is a literal that can be no element's number: -> finds
// the same, and may be what an index is of.
func namesField(x Expr) bool {
	c, ok := x.(*Const)
	if !ok || c.Value.Null || c.T.Kind != types.Unknown && c.T.Kind != types.Text || len(c.Value.Bytes) == 0 {
		return false
	}
	b := c.Value.Bytes[0] | 0x20
	return b >= 'a' && b <= 'z'
}

// MakeSubscript makes x[i], x[i][j] and, where one of them is a range, a slice. 42804 for a
// type that has no elements, 54000 beyond MaxDims.
func MakeSubscript(x Expr, subs []SubscriptRange, pos int) (Expr, error) {
	t := x.Type()
	slice := slices.ContainsFunc(subs, func(s SubscriptRange) bool { return s.Slice })
	switch {
	case t.Kind == types.JSONB && slice:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices").At(subs[0].pos(pos))
	case t.Kind == types.JSONB:
		if !slices.ContainsFunc(subs, func(s SubscriptRange) bool { return !namesField(s.High) }) {
			for _, s := range subs {
				var err error
				if x, err = ResolveOp("->", x, s.High, pos); err != nil {
					return nil, err
				}
			}
			return x, nil
		}
		path, _, err := documentPath(subs, pos)
		if err != nil {
			return nil, err
		}
		return ResolveOp("#>", x, path, pos)
	case t.Kind == types.Name && slice:
		return nil, sqlerr.Unsupported("slices of fixed-length arrays not implemented", "Use substr.").At(pos)
	case t.Kind != types.Array && (t.Kind != types.Name || len(subs) > 1):
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", TypeName(t)).At(x.Pos())
	case len(subs) > types.MaxDims:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(subs), types.MaxDims).At(pos)
	}
	ranges := make([]Range, len(subs))
	for i, s := range subs {
		var err error
		if ranges[i], err = s.bounds(); err != nil {
			return nil, err
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
