package expr

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// isTests are IS [NOT] TRUE, FALSE, UNKNOWN; they are never NULL.
var isTests = map[string]*Func{
	"IS TRUE":        isTest("IS TRUE", func(null, b bool) bool { return !null && b }),
	"IS NOT TRUE":    isTest("IS NOT TRUE", func(null, b bool) bool { return null || !b }),
	"IS FALSE":       isTest("IS FALSE", func(null, b bool) bool { return !null && !b }),
	"IS NOT FALSE":   isTest("IS NOT FALSE", func(null, b bool) bool { return null || b }),
	"IS UNKNOWN":     isTest("IS UNKNOWN", func(null, _ bool) bool { return null }),
	"IS NOT UNKNOWN": isTest("IS NOT UNKNOWN", func(null, _ bool) bool { return !null }),
}

func isTest(name string, f func(null, b bool) bool) *Func {
	return fn(name, ts(tBool), tBool, func(_ *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a := args[0]
		for _, i := range sel {
			out.Bools[i] = f(a.Nulls.Get(int(i)), a.Bools[i])
		}
		return nil
	}).nullable()
}

// nullIfFunc is NULLIF over type t with the given equality.
func nullIfFunc(eq *Func, t types.T) *Func {
	f := fn("NULLIF", eq.args, t, func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		same := vec.New(tBool)
		same.Resize(out.Len())
		var buf slots
		both := notNull(sel, args, same, &buf)
		if err := eq.kernel(env, both, args, same); err != nil {
			return err
		}
		take(out, args[0], sel)
		for _, i := range both {
			if same.Bools[i] {
				out.Nulls.Set(int(i))
			}
		}
		return nil
	}).nullable()
	f.Stable, f.equal = eq.Stable, eq
	return f
}

// greatestFunc is GREATEST or LEAST over type t; NULLs do not count.
func greatestFunc(name string, t types.T, least bool) *Func {
	return fn(name, ts(t), t, func(_ *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			best := types.NullDatum
			for _, a := range args {
				d := a.Datum(int(i))
				if d.Null {
					continue
				}
				if c := types.Compare(t, d, best); best.Null || (c < 0) == least && c != 0 {
					best = d
				}
			}
			out.Set(int(i), best)
		}
		return nil
	}).nullable().manyArgs()
}

// stackArrays makes an array of arrays, which must have equal dimensions.
func stackArrays(t types.T, parts []types.Datum) (*types.ArrayValue, error) {
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
	a, err := stackArrays(t, parts)
	return types.Datum{Array: a}, err
}
