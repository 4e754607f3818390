package builtin

import (
	"bytes"
	"math/bits"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	inRange := func(s []byte, n int64) error {
		if n < 0 || n >= int64(len(s))*8 {
			return sqlerr.New(sqlerr.ArraySubscriptError, "index %d out of valid range, 0..%d", n, int64(len(s))*8-1)
		}
		return nil
	}
	expr.RegisterFuncs(
		fn("get_bit", ts(tBytea, tInt8), tInt4, k2e(func(s []byte, n int64) (int64, error) {
			if err := inRange(s, n); err != nil {
				return 0, err
			}
			return int64(s[n/8] >> (n % 8) & 1), nil
		})),
		fn("set_bit", ts(tBytea, tInt8, tInt4), tBytea, k3e(func(s []byte, n, v int64) ([]byte, error) {
			if err := inRange(s, n); err != nil {
				return nil, err
			}
			if v != 0 && v != 1 {
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, "new bit must be 0 or 1")
			}
			out := bytes.Clone(s)
			out[n/8] = out[n/8]&^(1<<(n%8)) | byte(v)<<(n%8)
			return out, nil
		})),
		fn("bit_count", ts(tBytea), tInt8, k1(func(s []byte) int64 {
			n := 0
			for _, b := range s {
				n += bits.OnesCount8(b)
			}
			return int64(n)
		})),
		fn("array_fill", ts(tAnyEl, types.ArrayOf(tInt4)), tAnyArr, datumKernel(arrayFill)).CalledOnNull(),
		fn("array_fill", ts(tAnyEl, types.ArrayOf(tInt4), types.ArrayOf(tInt4)), tAnyArr, datumKernel(arrayFill)).CalledOnNull(),
	)
}

// maxFilled is how many elements array_fill makes, and the assignment of one.
//
//saltsql:limit types: elements of an array made by array_fill or by the assignment of one (54000)
const maxFilled = 1 << 20

func arrayFill(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[1].Null || len(a) > 2 && a[2].Null {
		return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "dimension array or low bound array cannot be null")
	}
	for _, list := range a[1:] {
		if len(list.Array.Dims) > 1 {
			return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts").
				WithDetail("Dimension array must be one dimensional.")
		}
		for _, d := range list.Array.Elems {
			if d.Null {
				return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "dimension values cannot be null")
			}
		}
	}
	if len(a) > 2 {
		if len(a[2].Array.Elems) != len(a[1].Array.Elems) {
			return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts").
				WithDetail("Low bound array has different size than dimensions array.")
		}
		for _, lo := range a[2].Array.Elems {
			if lo.Int != 1 {
				return types.NullDatum, sqlerr.Unsupported("arrays with a lower bound other than 1 are not supported", "Leave the third argument out.")
			}
		}
	}
	out := &types.ArrayValue{Elem: t[0].Base()}
	n := int64(1)
	for _, d := range a[1].Array.Elems {
		if d.Int < 0 {
			return types.NullDatum, sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)")
		}
		out.Dims = append(out.Dims, int32(d.Int))
		if n *= d.Int; n > maxFilled {
			return types.NullDatum, sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxFilled)
		}
	}
	if len(out.Dims) > types.MaxDims {
		return types.NullDatum, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(out.Dims), types.MaxDims)
	}
	if len(out.Dims) == 0 || n == 0 {
		return types.NewArray(t[0].Base(), nil), nil
	}
	out.Elems = make([]types.Datum, n)
	for i := range out.Elems {
		out.Elems[i] = a[0]
	}
	return types.Datum{Array: out}.Clone(types.ArrayOf(t[0].Base())), nil
}
