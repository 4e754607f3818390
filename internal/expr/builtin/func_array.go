package builtin

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	expr.RegisterFuncs(
		fn("array_length", ts(tAnyArr, tInt4), tInt4, datumKernel(arrayLength)),
		fn("array_upper", ts(tAnyArr, tInt4), tInt4, datumKernel(func(e *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			d, err := arrayLength(e, t, a)
			d.Int += int64(a[0].Array.Low)
			return d, err
		})),
		fn("array_lower", ts(tAnyArr, tInt4), tInt4, datumKernel(func(e *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			d, err := arrayLength(e, t, a)
			if !d.Null {
				d.Int = 1 + int64(a[0].Array.Low)
			}
			return d, err
		})),
		fn("array_ndims", ts(tAnyArr), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if n := len(a[0].Array.Dims); n > 0 {
				return types.NewInt(int64(n)), nil
			}
			return types.NullDatum, nil
		})),
		fn("array_dims", ts(tAnyArr), tText, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if len(a[0].Array.Dims) == 0 {
				return types.NullDatum, nil
			}
			s := ""
			for _, n := range a[0].Array.Dims {
				s += fmt.Sprintf("[%d:%d]", 1+a[0].Array.Low, n+a[0].Array.Low)
			}
			return types.NewText(s), nil
		})),
		fn("cardinality", ts(tAnyArr), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			return types.NewInt(int64(len(a[0].Array.Elems))), nil
		})),
		fn("array_position", ts(tCompAr, tCompat), tInt4, datumKernel(arrayPosition)).CalledOnNull(),
		fn("array_position", ts(tCompAr, tCompat, tInt4), tInt4, datumKernel(arrayPosition)).CalledOnNull(),
		fn("array_positions", ts(tCompAr, tCompat), types.ArrayOf(tInt4), datumKernel(arrayPositions)).CalledOnNull(),
		fn("array_remove", ts(tCompAr, tCompat), tCompAr, datumKernel(arrayRemove)).CalledOnNull(),
		fn("array_replace", ts(tCompAr, tCompat, tCompat), tCompAr, datumKernel(arrayReplace)).CalledOnNull(),
		fn("trim_array", ts(tAnyArr, tInt4), tAnyArr, datumKernel(trimArray)),
	)
	expr.RegisterOps(
		fn("@>", ts(tAnyArr, tAnyArr), tBool, datumKernel(func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			return types.NewBool(arrayContains(t[0].ElemType(), a[0].Array, a[1].Array)), nil
		})),
		fn("<@", ts(tAnyArr, tAnyArr), tBool, datumKernel(func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			return types.NewBool(arrayContains(t[0].ElemType(), a[1].Array, a[0].Array)), nil
		})),
		fn("&&", ts(tAnyArr, tAnyArr), tBool, datumKernel(func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			for _, x := range a[0].Array.Elems {
				if !x.Null && hasDatum(t[0].ElemType(), a[1].Array.Elems, x) {
					return types.NewBool(true), nil
				}
			}
			return types.NewBool(false), nil
		})),
	)
}

func arrayLength(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if d := a[1].Int; d >= 1 && d <= int64(len(a[0].Array.Dims)) {
		return types.NewInt(int64(a[0].Array.Dims[d-1])), nil
	}
	return types.NullDatum, nil
}

// sameElem is IS NOT DISTINCT FROM.
func sameElem(t types.T, a, b types.Datum) bool {
	return a.Null == b.Null && types.Compare(t, a, b) == 0
}

func hasDatum(t types.T, in []types.Datum, x types.Datum) bool {
	for _, e := range in {
		if !e.Null && types.Compare(t, e, x) == 0 {
			return true
		}
	}
	return false
}

// arrayContains: every element of b is one of a; NULL is never.
func arrayContains(t types.T, a, b *types.ArrayValue) bool {
	for _, x := range b.Elems {
		if x.Null || !hasDatum(t, a.Elems, x) {
			return false
		}
	}
	return true
}

func oneDim(a *types.ArrayValue, what string) error {
	if len(a.Dims) > 1 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s multidimensional arrays is not supported", what)
	}
	return nil
}

func arrayPosition(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, nil
	}
	if err := oneDim(a[0].Array, "searching for elements in"); err != nil {
		return types.NullDatum, err
	}
	low := int64(a[0].Array.Low)
	start := 1 + low
	if len(a) > 2 && len(a[0].Array.Elems) > 0 {
		if a[2].Null {
			return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "initial position must not be null")
		}
		start = a[2].Int
	}
	for i, e := range a[0].Array.Elems {
		if at := int64(i) + 1 + low; at >= start && sameElem(t[1], e, a[1]) {
			return types.NewInt(at), nil
		}
	}
	return types.NullDatum, nil
}

func arrayPositions(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, nil
	}
	if err := oneDim(a[0].Array, "searching for elements in"); err != nil {
		return types.NullDatum, err
	}
	var out []types.Datum
	for i, e := range a[0].Array.Elems {
		if sameElem(t[1], e, a[1]) {
			out = append(out, types.NewInt(int64(i)+1+int64(a[0].Array.Low)))
		}
	}
	return types.NewArray(tInt4, out), nil
}

func arrayRemove(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, nil
	}
	if err := oneDim(a[0].Array, "removing elements from"); err != nil {
		return types.NullDatum, err
	}
	var out []types.Datum
	for _, e := range a[0].Array.Elems {
		if !sameElem(t[1], e, a[1]) {
			out = append(out, e)
		}
	}
	left := types.NewArray(t[1].Base(), out)
	left.Array.Low = a[0].Array.Low
	return left, nil
}

func arrayReplace(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, nil
	}
	src := a[0].Array
	out := &types.ArrayValue{Elem: src.Elem, Dims: src.Dims, Low: src.Low, Elems: make([]types.Datum, len(src.Elems))}
	for i, e := range src.Elems {
		if sameElem(t[1], e, a[1]) {
			e = a[2].Clone(t[2])
		}
		out.Elems[i] = e
	}
	return types.Datum{Array: out}, nil
}

func trimArray(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	src := a[0].Array
	n := int64(0)
	if len(src.Dims) > 0 {
		n = int64(src.Dims[0])
	}
	if a[1].Int < 0 || a[1].Int > n {
		return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "number of elements to trim must be between 0 and %d", n)
	}
	left := n - a[1].Int
	if left == 0 {
		return types.NewArray(t[0].ElemType(), nil), nil
	}
	out := &types.ArrayValue{Elem: src.Elem, Dims: append([]int32{int32(left)}, src.Dims[1:]...), Low: src.Low}
	out.Elems = src.Elems[:int64(len(src.Elems))/n*left]
	return types.Datum{Array: out}, nil
}
