package expr

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// AssignPart makes what a column's value becomes by the assignment of one of its elements, a
// slice or a part of a document: SET a[2] = 5 is SET a = saltsql.set_element(a, 5, 2). of is the
// value before, of the column's type or of the type under its domain. 42804 for what has no
// such parts or another type. target and pos are where the column and the value stand.
func AssignPart(of Expr, subs []SubscriptRange, value Expr, column string, target, pos int) (Expr, error) {
	t := of.Type().Plain()
	slice := slices.ContainsFunc(subs, func(s SubscriptRange) bool { return s.Slice })
	switch {
	case t.Kind == types.JSONB && slice:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices").At(target)
	case t.Kind == types.JSONB:
		return assignInDocument(of, subs, value, column, pos)
	case t.Kind != types.Array:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", TypeName(t)).At(target)
	case len(subs) > types.MaxDims:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(subs), types.MaxDims).At(target)
	case len(subs) > 1:
		return nil, sqlerr.Unsupported("assigning to an element of more than one dimension is not supported", "Assign the whole array.").At(target)
	}
	r, err := subs[0].bounds()
	if err != nil {
		return nil, err
	}
	if !slice {
		if value, err = assigned(value, t.ElemType(), column, pos); err != nil {
			return nil, err
		}
		return ResolveFunc("saltsql.set_element", []Expr{of, value, r.High}, pos)
	}
	if value, err = assigned(value, types.ArrayOf(t.ElemType()), column, pos); err != nil {
		return nil, err
	}
	args := []Expr{of, value, r.Low, r.High, &Const{Value: types.NewText(r.form()), T: tText}}
	for i := range args {
		if args[i] == nil {
			args[i] = &Const{Value: types.NullDatum, T: tInt4}
		}
	}
	return ResolveFunc("saltsql.set_slice", args, pos)
}

// PartType is the type of the part of a value that subs name: t itself where it has no such parts.
func PartType(t types.T, subs []SubscriptRange) types.T {
	t = t.Plain()
	if t.Kind == types.Array && !slices.ContainsFunc(subs, func(s SubscriptRange) bool { return s.Slice }) {
		return t.ElemType()
	}
	return t
}

// assigned is the value for a part of type to.
func assigned(value Expr, to types.T, column string, pos int) (Expr, error) {
	y, ok, err := coerce(value, to, Assignment, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch, `subscripted assignment to "%s" requires type %s but expression is of type %s`,
			column, TypeName(to), TypeName(value.Type())).WithHint("You will need to rewrite or cast the expression.").At(castPos(value, pos))
	}
	return y, err
}

// assignInDocument is AssignPart of jsonb, whose subscripts are texts and integers.
func assignInDocument(of Expr, subs []SubscriptRange, value Expr, column string, pos int) (Expr, error) {
	value, err := assigned(value, types.Of(types.JSONB), column, pos)
	if err != nil {
		return nil, err
	}
	path, first, err := documentPath(subs, pos)
	if err != nil {
		return nil, err
	}
	return ResolveFunc("saltsql.set_part", []Expr{of, value, path, &Const{Value: types.NewBool(first), T: tBool}}, pos)
}

// documentPath gives subscripts of jsonb as the path that #> takes, and whether the first one is an
// integer: 42804 for what is neither integer nor text.
func documentPath(subs []SubscriptRange, pos int) (path *MakeArray, first bool, err error) {
	path = &MakeArray{T: types.ArrayOf(tText), At: pos}
	for i, s := range subs {
		x := s.High
		if x.Type().Kind != types.Unknown {
			n, ok, err := coerce(x, tInt4, Implicit, 0)
			if err != nil {
				return nil, false, err
			}
			if first = first || ok && i == 0; ok {
				if x, err = ResolveCast(n, tText, Explicit, 0); err != nil {
					return nil, false, err
				}
			}
		}
		y, ok, err := coerce(x, tText, Implicit, 0)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return nil, false, sqlerr.New(sqlerr.DatatypeMismatch, "subscript type %s is not supported", TypeName(s.High.Type())).
				WithHint("jsonb subscript must be coercible to either integer or text.").At(s.High.Pos())
		}
		path.Elems = append(path.Elems, y)
	}
	return path, first, nil
}
