package builtin

import (
	"strconv"
	"unsafe"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// What assignments to parts of values make of them: see expr.AssignPart.
func init() {
	expr.RegisterFuncs(
		fn("saltsql.set_element", ts(tAnyArr, tAnyEl, tInt4), tAnyArr, datumKernel(setElement)).CalledOnNull(),
		fn("saltsql.set_slice", ts(tAnyArr, tAnyArr, tInt4, tInt4, tText), tAnyArr, datumKernel(setSlice)).CalledOnNull(),
		fn("saltsql.set_part", ts(tJSONB, tJSONB, tTexts, tBool), tJSONB, datumKernel(jsonfunc.SetPart)).CalledOnNull(),
	)
}

// ofElement covers an array that reaches as far as the element that is set.
func ofElement(a []types.Datum) int {
	n := 0
	for _, bound := range a[2:] {
		if !bound.Null && bound.Int <= maxFilled {
			n = max(n, int(bound.Int))
		}
	}
	return n*types.DatumSize + eval.ValueBytes(&a[0]) + eval.ValueBytes(&a[1])
}

// ofPart covers the nulls before the elements that a path names.
func ofPart(a []types.Datum) int {
	n := int64(0)
	if a[2].Null {
		return 0
	}
	for _, step := range a[2].Array.Elems {
		if i, err := strconv.ParseInt(string(step.Bytes), 10, 64); err == nil && i <= jsonfunc.MaxNulls {
			n += max(i, 0)
		}
	}
	return int(n) * int(unsafe.Sizeof(jsonval.Value{})+unsafe.Sizeof(uintptr(0)))
}

// setElement is array, value, index: the array with the value there, and NULLs before it where
// it had fewer elements. NULL is an array without elements.
func setElement(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[2].Null {
		return types.NullDatum, nullSubscript()
	}
	elems, err := assignable(a[0])
	if err != nil {
		return types.NullDatum, err
	}
	if elems, err = reaching(elems, a[2].Int, a[2].Int); err != nil {
		return types.NullDatum, err
	}
	elems[a[2].Int-1] = a[1]
	return types.NewArray(t[0].ElemType(), elems), nil
}

// setSlice is array, values, low, high and which of the two are given: "lh", "l", "h", "".
func setSlice(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	low, high := a[2], a[3]
	var hasLow, hasHigh bool
	switch {
	case a[4].Null:
		return types.NullDatum, nil
	case string(a[4].Bytes) == "lh":
		hasLow, hasHigh = true, true
	case string(a[4].Bytes) == "l":
		hasLow = true
	case string(a[4].Bytes) == "h":
		hasHigh = true
	case len(a[4].Bytes) > 0:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, `the bounds of a slice are "lh", "l", "h" or ""`)
	}
	both := hasLow && hasHigh
	if hasLow && low.Null || hasHigh && high.Null {
		return types.NullDatum, nullSubscript()
	}
	elems, err := assignable(a[0])
	if err != nil {
		return types.NullDatum, err
	}
	if a[1].Null {
		return types.NewArray(t[0].ElemType(), elems), nil
	}
	from, to := int64(1), int64(len(elems))
	if hasLow {
		from = low.Int
	}
	if hasHigh {
		to = high.Int
	}
	switch {
	case len(elems) == 0 && !both:
		return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "array slice subscript must provide both boundaries").
			WithDetail("When assigning to a slice of an empty array value, slice boundaries must be fully specified.")
	case len(elems) == 0 && to == from-1:
		return types.NewArray(t[0].ElemType(), nil), nil
	case len(elems) == 0 && to < from:
		return types.NullDatum, sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)")
	case to < from:
		return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
	case to-from >= int64(len(a[1].Array.Elems)):
		return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "source array too small")
	}
	if elems, err = reaching(elems, from, to); err != nil {
		return types.NullDatum, err
	}
	copy(elems[from-1:to], a[1].Array.Elems)
	return types.NewArray(t[0].ElemType(), elems), nil
}

func nullSubscript() error {
	return sqlerr.New(sqlerr.NullValueNotAllowed, "array subscript in assignment must not be null")
}

// assignable gives the elements of an array of one dimension, or of none.
func assignable(d types.Datum) ([]types.Datum, error) {
	if d.Null {
		return nil, nil
	}
	if len(d.Array.Dims) > 1 {
		return nil, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	return d.Array.Elems, nil
}

// reaching copies elements into a list that has those from one index to another too.
func reaching(elems []types.Datum, from, to int64) ([]types.Datum, error) {
	if from < 1 || len(elems) == 0 && from > 1 {
		return nil, sqlerr.Unsupported("arrays with a lower bound other than 1 are not supported", "Assign the elements from the first on, or the whole array.")
	}
	if to > max(maxFilled, int64(len(elems))) {
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxFilled)
	}
	out := make([]types.Datum, max(int64(len(elems)), to))
	for i := copy(out, elems); i < len(out); i++ {
		out[i].Null = true
	}
	return out, nil
}
