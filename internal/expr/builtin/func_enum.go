package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions of enums: which values the type of the argument has. They are stable, as values are
// added.
func init() {
	expr.RegisterFuncs(
		fn("enum_first", ts(tAnyEn), tAnyEn, datumKernel(func(_ *expr.Env, t []types.T, _ []types.Datum) (types.Datum, error) {
			l, err := enumLabels(t[0])
			if err != nil {
				return types.NullDatum, err
			}
			return types.NewInt(l[0].Code), nil
		})).CalledOnNull().AsStable(),
		fn("enum_last", ts(tAnyEn), tAnyEn, datumKernel(func(_ *expr.Env, t []types.T, _ []types.Datum) (types.Datum, error) {
			l, err := enumLabels(t[0])
			if err != nil {
				return types.NullDatum, err
			}
			return types.NewInt(l[len(l)-1].Code), nil
		})).CalledOnNull().AsStable(),
		fn("enum_range", ts(tAnyEn), tAnyArr, datumKernel(func(_ *expr.Env, t []types.T, _ []types.Datum) (types.Datum, error) {
			return enumRange(t[0], types.NullDatum, types.NullDatum), nil
		})).CalledOnNull().AsStable(),
		fn("enum_range", ts(tAnyEn, tAnyEn), tAnyArr, datumKernel(func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			return enumRange(t[0], a[0], a[1]), nil
		})).CalledOnNull().AsStable(),
		fn("enum_larger", ts(tAnyEn, tAnyEn), tAnyEn, k2(func(a, b int64) int64 { return max(a, b) })),
		fn("enum_smaller", ts(tAnyEn, tAnyEn), tAnyEn, k2(func(a, b int64) int64 { return min(a, b) })),
	)
}

// usable are the values of an enum that may be written.
func usable(t types.T) []types.Label {
	var list []types.Label
	for _, l := range t.User().Def().Labels {
		if !l.Pending {
			list = append(list, l)
		}
	}
	return list
}

// enumLabels is usable of a type that must have values: 55000.
func enumLabels(t types.T) ([]types.Label, error) {
	l := usable(t)
	if len(l) == 0 {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "enum %s contains no values", t)
	}
	return l, nil
}

// enumRange is the array of the values from one to another; NULL is no bound.
func enumRange(t types.T, from, to types.Datum) types.Datum {
	var elems []types.Datum
	for _, l := range usable(t) {
		if (from.Null || l.Code >= from.Int) && (to.Null || l.Code <= to.Int) {
			elems = append(elems, types.NewInt(l.Code))
		}
	}
	return types.NewArray(t, elems)
}
