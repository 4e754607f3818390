package eval

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// joinArrays makes an array of arrays, which must have equal dimensions.
func joinArrays(t types.T, parts []types.Datum) (*types.ArrayValue, error) {
	out := &types.ArrayValue{Elem: t.ElemType()}
	for k, p := range parts {
		if p.Null {
			return nil, mismatchedDims()
		}
		if k == 0 {
			out.Dims = append([]int32{int32(len(parts))}, p.Array.Dims...)
		} else if len(out.Dims) != len(p.Array.Dims)+1 {
			return nil, mismatchedDims()
		}
		for j, n := range p.Array.Dims {
			if out.Dims[j+1] != n {
				return nil, mismatchedDims()
			}
		}
		out.Elems = append(out.Elems, p.Array.Elems...)
	}
	if len(out.Elems) == 0 {
		out.Dims = nil
	}
	if len(out.Dims) > types.MaxDims {
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)",
			len(out.Dims), types.MaxDims)
	}
	return out, nil
}

func mismatchedDims() error {
	return sqlerr.New(sqlerr.ArraySubscriptError, "multidimensional arrays must have array expressions with matching dimensions")
}

// StackArrays makes an array of t out of the arrays of array_agg: 22004 for NULL, 2202E
// for empty ones and where their dimensions differ.
func StackArrays(t types.T, parts []types.Datum) (types.Datum, error) {
	for _, p := range parts {
		switch {
		case p.Null:
			return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "cannot accumulate null arrays")
		case len(p.Array.Dims) == 0:
			return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "cannot accumulate empty arrays")
		case !slices.Equal(p.Array.Dims, parts[0].Array.Dims):
			return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "cannot accumulate arrays of different dimensionality")
		}
	}
	a, err := joinArrays(t, parts)
	return types.Datum{Array: a}, err
}
