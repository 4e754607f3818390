package builtin

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// The || operators, concat and concat_ws.

func init() {
	join := t2env(func(env *expr.Env, dst, a, b []byte) ([]byte, error) {
		if err := env.Fits(len(a) + len(b)); err != nil {
			return nil, err
		}
		return append(append(dst, a...), b...), nil
	})
	textAny, anyText := fn("||", ts(tText, tNonArr), tText, concatAny).AsStable(), fn("||", ts(tNonArr, tText), tText, concatAny).AsStable()
	textAny.TextOnly, anyText.TextOnly = true, true
	expr.RegisterOps(
		fn("||", ts(tText, tText), tText, join),
		fn("||", ts(tBytea, tBytea), tBytea, join),
		textAny, anyText,
		fn("||", ts(tCompAr, tCompAr), tCompAr, datumKernel(arrayCat)).CalledOnNull(),
		fn("||", ts(tCompAr, tCompat), tCompAr, datumKernel(arrayAppend)).CalledOnNull(),
		fn("||", ts(tCompat, tCompAr), tCompAr, datumKernel(arrayPrepend)).CalledOnNull(),
		fn("||", ts(tJSONB, tJSONB), tJSONB, datumKernel(jsonfunc.Concat)),
	)
	expr.RegisterFuncs(
		fn("array_cat", ts(tCompAr, tCompAr), tCompAr, datumKernel(arrayCat)).CalledOnNull(),
		fn("array_append", ts(tCompAr, tCompat), tCompAr, datumKernel(arrayAppend)).CalledOnNull(),
		fn("array_prepend", ts(tCompat, tCompAr), tCompAr, datumKernel(arrayPrepend)).CalledOnNull(),
		fn("concat", ts(tAny), tText, concatFunc).CalledOnNull().AsStable().AsVariadic(),
		fn("concat_ws", ts(tText, tAny), tText, concatWS).CalledOnNull().AsStable().AsVariadic(),
	)
}

// concatAny joins the text of values that are not NULL.
func concatAny(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	io := env.TextIO()
	for _, i := range sel {
		buf := out.Tail()
		for _, a := range args {
			if a.Type.Kind == types.Bool {
				// A cast to text, not the output function.
				buf = append(buf, map[bool]string{true: "true", false: "false"}[a.Bools[i]]...)
			} else if a.Type.Kind == types.Bpchar {
				buf = append(buf, a.Bytes[i]...)
			} else {
				buf = vec.AppendText(buf, a, int(i), io)
			}
		}
		if err := eval.Put(env, out, i, buf); err != nil {
			return err
		}
	}
	return nil
}

func concatFunc(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	io := env.TextIO()
	for _, i := range sel {
		buf := out.Tail()
		for _, a := range args {
			if !a.Nulls.Get(int(i)) {
				buf = vec.AppendText(buf, a, int(i), io)
			}
		}
		if err := eval.Put(env, out, i, buf); err != nil {
			return err
		}
	}
	return nil
}

func concatWS(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	io := env.TextIO()
	for _, i := range sel {
		if args[0].Nulls.Get(int(i)) {
			out.Nulls.Set(int(i))
			continue
		}
		buf := out.Tail()
		first := true
		for _, a := range args[1:] {
			if a.Nulls.Get(int(i)) {
				continue
			}
			if !first {
				buf = append(buf, args[0].Bytes[i]...)
			}
			first = false
			buf = vec.AppendText(buf, a, int(i), io)
		}
		if err := eval.Put(env, out, i, buf); err != nil {
			return err
		}
	}
	return nil
}

func arrayCat(_ *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	switch {
	case a[0].Null:
		return a[1], nil
	case a[1].Null:
		return a[0], nil
	}
	x, y := a[0].Array, a[1].Array
	low := x.Low
	switch {
	case len(x.Elems) == 0:
		return a[1], nil
	case len(y.Elems) == 0:
		return a[0], nil
	}
	if len(y.Dims) > len(x.Dims) {
		low = y.Low
	}
	out := &types.ArrayValue{Elem: x.Elem, Low: low, Elems: append(slices.Clone(x.Elems), y.Elems...)}
	inner := func(d []int32, n int) []int32 { return d[len(d)-n:] }
	switch {
	case len(x.Dims) == len(y.Dims) && slices.Equal(x.Dims[1:], y.Dims[1:]):
		out.Dims = append([]int32{x.Dims[0] + y.Dims[0]}, x.Dims[1:]...)
	case len(x.Dims) == len(y.Dims)+1 && slices.Equal(inner(x.Dims, len(y.Dims)), y.Dims):
		out.Dims = append([]int32{x.Dims[0] + 1}, x.Dims[1:]...)
	case len(y.Dims) == len(x.Dims)+1 && slices.Equal(inner(y.Dims, len(x.Dims)), x.Dims):
		out.Dims = append([]int32{y.Dims[0] + 1}, y.Dims[1:]...)
	default:
		return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "cannot concatenate incompatible arrays").
			WithDetail("Arrays with differing dimensions are not compatible for concatenation.")
	}
	return types.Datum{Array: out}, nil
}

func arrayAppend(_ *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	return extendArray(a[0], a[1], typs[1], false)
}

func arrayPrepend(_ *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	return extendArray(a[1], a[0], typs[0], true)
}

func extendArray(arr, e types.Datum, t types.T, front bool) (types.Datum, error) {
	var elems []types.Datum
	low := int32(0)
	if !arr.Null {
		low = arr.Array.Low
		if len(arr.Array.Dims) > 1 {
			return types.NullDatum, sqlerr.New(sqlerr.DataException, "argument must be empty or one-dimensional array")
		}
		elems = arr.Array.Elems
	}
	e = e.Clone(t)
	out := make([]types.Datum, 0, len(elems)+1)
	if front {
		out = append(append(out, e), elems...)
	} else {
		out = append(append(out, elems...), e)
	}
	made := types.NewArray(t.Base(), out)
	made.Array.Low = low
	return made, nil
}
