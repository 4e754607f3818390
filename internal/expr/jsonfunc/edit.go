package jsonfunc

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// Functions and operators that change jsonb, or look into it by a path.

// ExistsOf is ?| and ?&; NULLs in the list do not count.
func ExistsOf(all bool) Func {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		for _, key := range a[1].Array.Elems {
			if key.Null {
				continue
			}
			d, err := Exists(env, t, []types.Datum{a[0], key})
			if err != nil || d.Bool != all {
				return d, err
			}
		}
		return types.NewBool(all), nil
	}
}

// DeleteKeys is jsonb - text[].
func DeleteKeys(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if err := oneDimension(a[1].Array); err != nil {
		return types.NullDatum, err
	}
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	if v.Kind < jsonval.Array {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot delete from scalar")
	}
	gone := func(key string) bool {
		return slices.ContainsFunc(a[1].Array.Elems, func(d types.Datum) bool { return !d.Null && string(d.Bytes) == key })
	}
	out := &jsonval.Value{Kind: v.Kind}
	for i, e := range v.Elems {
		switch {
		case v.Kind == jsonval.Object && gone(v.Keys[i]), v.Kind == jsonval.Array && e.Kind == jsonval.String && gone(e.Str):
			continue
		case v.Kind == jsonval.Object:
			out.Keys = append(out.Keys, v.Keys[i])
		}
		out.Elems = append(out.Elems, e)
	}
	return datum(out), nil
}

func oneDimension(a *types.ArrayValue) error {
	if len(a.Dims) > 1 {
		return sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	return nil
}

// pathEdit is what is done at the end of a path.
type pathEdit struct {
	value  *jsonval.Value // nil: delete
	create bool           // set: also where there is nothing; insert: always
	insert bool           // beside what is there
	after  bool
	gaps   bool // what the path lacks is made: see SetPart
	path   []types.Datum
}

// Set is jsonb_set.
func Set(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	return editPath(a, &pathEdit{create: len(a) < 4 || a[3].Bool}, "cannot set path in scalar")
}

// SetLax is jsonb_set_lax: Set with a say in what a NULL for the new value means.
func SetLax(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null || a[1].Null || len(a) > 3 && a[3].Null {
		return types.NullDatum, nil
	}
	treatment := "use_json_null"
	if len(a) > 4 {
		treatment = string(a[4].Bytes)
	}
	switch {
	case len(a) > 4 && a[4].Null: // a fault even where the value is not NULL
	case !a[2].Null:
		return Set(env, t, a[:min(len(a), 4)])
	case treatment == "raise_exception":
		return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "JSON value must not be null").
			WithDetail("Exception was raised because null_value_treatment is \"raise_exception\".").
			WithHint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")
	case treatment == "use_json_null":
		return Set(env, t, append([]types.Datum{a[0], a[1], types.NewText("null")}, a[3:min(len(a), 4)]...))
	case treatment == "delete_key":
		return DeletePath(env, t, a[:2])
	case treatment == "return_target":
		return a[0], nil
	}
	return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue,
		`null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"`)
}

// Insert is jsonb_insert.
func Insert(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	return editPath(a, &pathEdit{create: true, insert: true, after: len(a) > 3 && a[3].Bool}, "cannot set path in scalar")
}

// DeletePath is #-.
func DeletePath(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	return editPath(a, &pathEdit{}, "cannot delete path in scalar")
}

// editPath has the arguments target, path and, where there is one, the new value.
func editPath(a []types.Datum, e *pathEdit, scalar string) (types.Datum, error) {
	if err := oneDimension(a[1].Array); err != nil {
		return types.NullDatum, err
	}
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	if v.Kind < jsonval.Array {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "%s", scalar)
	}
	if e.path = a[1].Array.Elems; len(e.path) == 0 || len(v.Elems) == 0 && !e.create {
		return a[0], nil
	}
	if len(a) > 2 {
		if e.value, err = jsonval.Parse(string(a[2].Bytes)); err != nil {
			return types.NullDatum, err
		}
	}
	if err := e.apply(v, 0); err != nil {
		return types.NullDatum, err
	}
	return datum(v), nil
}

// apply edits v, a part of a tree that nobody else has, at step level of the path.
func (e *pathEdit) apply(v *jsonval.Value, level int) error {
	step := e.path[level]
	if step.Null {
		return sqlerr.New(sqlerr.NullValueNotAllowed, "path element at position %d is null", level+1)
	}
	switch {
	case v.Kind >= jsonval.Array:
	case e.gaps:
		return notComposite()
	default:
		return nil
	}
	if v.Kind == jsonval.Object {
		return e.inObject(v, string(step.Bytes), level)
	}
	return e.inArray(v, string(step.Bytes), level)
}

func (e *pathEdit) inObject(v *jsonval.Value, key string, level int) error {
	i := slices.Index(v.Keys, key)
	last := level == len(e.path)-1
	switch {
	case i >= 0 && !last:
		return e.apply(v.Elems[i], level+1)
	case i < 0 && !last && e.gaps:
		return e.addChain(v, key, level)
	case i < 0 && (!last || !e.create):
		return nil
	case i < 0:
		v.Keys, v.Elems = append(v.Keys, key), append(v.Elems, e.value)
		v.Normalize()
	case e.insert:
		return sqlerr.New(sqlerr.InvalidParameterValue, "cannot replace existing key").
			WithHint("Try using the function jsonb_set to replace key value.")
	case e.value == nil:
		v.Keys, v.Elems = slices.Delete(v.Keys, i, i+1), slices.Delete(v.Elems, i, i+1)
	default:
		v.Elems[i] = e.value
	}
	return nil
}

func (e *pathEdit) inArray(v *jsonval.Value, step string, level int) error {
	n, err := strconv.ParseInt(strings.TrimLeft(step, " \t\n\v\f\r"), 10, 32)
	if err != nil {
		return sqlerr.New(sqlerr.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", level+1, step)
	}
	if e.gaps {
		return e.partOfArray(v, n, level)
	}
	before := false // of the first one
	switch size := int64(len(v.Elems)); {
	case n < -size:
		n, before = math.MinInt32, true
	case n < 0:
		n += size
	case n > size:
		n = size
	}
	i := int(n)
	there := i >= 0 && i < len(v.Elems)
	last := level == len(e.path)-1
	switch {
	case there && !last:
		return e.apply(v.Elems[i], level+1)
	case !last || !there && !e.create:
		return nil
	case before:
		v.Elems = slices.Insert(v.Elems, 0, e.value)
	case !there:
		v.Elems = append(v.Elems, e.value)
	case e.insert && e.after:
		v.Elems = slices.Insert(v.Elems, i+1, e.value)
	case e.insert:
		v.Elems = slices.Insert(v.Elems, i, e.value)
	case e.value == nil:
		v.Elems = slices.Delete(v.Elems, i, i+1)
	default:
		v.Elems[i] = e.value
	}
	return nil
}

// Pretty is jsonb_pretty.
func Pretty(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBytes(appendPretty(nil, v, 0)), nil
}

func appendPretty(b []byte, v *jsonval.Value, depth int) []byte {
	if v.Kind < jsonval.Array {
		return v.Append(b)
	}
	line := func(n int) {
		b = append(b, '\n')
		for range n {
			b = append(b, "    "...)
		}
	}
	ends := "[]"
	if v.Kind == jsonval.Object {
		ends = "{}"
	}
	b = append(b, ends[0])
	for i, e := range v.Elems {
		if i > 0 {
			b = append(b, ',')
		}
		line(depth + 1)
		if v.Kind == jsonval.Object {
			b = append(jsonval.AppendString(b, v.Keys[i]), ": "...)
		}
		b = appendPretty(b, e, depth+1)
	}
	line(depth)
	return append(b, ends[1])
}

// FromArray puts each element of the outermost dimension on a line where the
// second argument asks for it.
func FromArray(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	if len(a) < 2 || !a[1].Bool || len(a[0].Array.Elems) == 0 {
		return types.NewBytes(appendJSON(nil, env, t[0], a[0])), nil
	}
	arr := a[0].Array
	b := []byte{'['}
	pos := 0
	for i := range arr.Dims[0] {
		if i > 0 {
			b = append(b, ",\n "...)
		}
		if len(arr.Dims) > 1 {
			b = appendJSONDim(b, env, t[0].ElemType(), arr, 1, &pos)
		} else {
			b = appendJSON(b, env, t[0].ElemType(), arr.Elems[pos])
			pos++
		}
	}
	return types.NewBytes(append(b, ']')), nil
}

// TextObject makes an object of an array of keys and values by turns, of pairs, or
// of one array of keys and one of values.
func TextObject(k types.Kind) Func {
	return func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		var keys, vals []types.Datum
		dims := a[0].Array.Dims
		fault := func(msg string) (types.Datum, error) {
			return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "%s", msg)
		}
		if len(a) == 2 {
			if len(dims) > 1 || len(a[1].Array.Dims) > 1 {
				return fault("wrong number of array subscripts")
			}
			if keys, vals = a[0].Array.Elems, a[1].Array.Elems; len(keys) != len(vals) {
				return fault("mismatched array dimensions")
			}
		} else {
			switch {
			case len(dims) > 2:
				return fault("wrong number of array subscripts")
			case len(dims) == 2 && dims[1] != 2:
				return fault("array must have two columns")
			case len(dims) == 1 && dims[0]%2 != 0:
				return fault("array must have even number of elements")
			}
			for i, e := range a[0].Array.Elems {
				if i%2 == 0 {
					keys = append(keys, e)
				} else {
					vals = append(vals, e)
				}
			}
		}
		b := []byte{'{'}
		for i, key := range keys {
			if key.Null {
				return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for object key")
			}
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(jsonval.AppendString(b, string(key.Bytes)), " : "...)
			if vals[i].Null {
				b = append(b, "null"...)
			} else {
				b = jsonval.AppendString(b, string(vals[i].Bytes))
			}
		}
		return Result(k, append(b, '}'))
	}
}

// Concat is jsonb || jsonb.
func Concat(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	x, y, err := twoJSON(a)
	if err != nil {
		return types.NullDatum, err
	}
	if x.Kind == jsonval.Object && y.Kind == jsonval.Object {
		out := &jsonval.Value{Kind: jsonval.Object}
		out.Keys = append(slices.Clone(x.Keys), y.Keys...)
		out.Elems = append(slices.Clone(x.Elems), y.Elems...)
		return types.NewBytes(out.Normalize().Append(nil)), nil
	}
	wrap := func(v *jsonval.Value) []*jsonval.Value {
		if v.Kind == jsonval.Array {
			return v.Elems
		}
		return []*jsonval.Value{v}
	}
	out := &jsonval.Value{Kind: jsonval.Array, Elems: append(slices.Clone(wrap(x)), wrap(y)...)}
	return types.NewBytes(out.Append(nil)), nil
}

func twoJSON(a []types.Datum) (x, y *jsonval.Value, err error) {
	if x, err = jsonval.Parse(string(a[0].Bytes)); err == nil {
		y, err = jsonval.Parse(string(a[1].Bytes))
	}
	return x, y, err
}

// Contains is @>.
func Contains(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	x, y, err := twoJSON(a)
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBool(jsonval.Contains(x, y)), nil
}

// ContainedBy is <@.
func ContainedBy(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	x, y, err := twoJSON(a)
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBool(jsonval.Contains(y, x)), nil
}
