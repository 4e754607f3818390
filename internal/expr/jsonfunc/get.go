package jsonfunc

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// Operators and functions of json and jsonb. json keeps the text of what it
// returns; both are read into a tree first.

// textOf is a value as ->> gives it: NULL for null, strings without quotes.
func textOf(v *jsonval.Value) types.Datum {
	switch {
	case v == nil || v.Kind == jsonval.Null:
		return types.NullDatum
	case v.Kind == jsonval.String:
		return types.NewText(v.Str)
	}
	return types.NewBytes(v.Append(nil))
}

func datum(v *jsonval.Value) types.Datum {
	if v == nil {
		return types.NullDatum
	}
	return types.NewBytes(v.Append(nil))
}

// parseAs reads a value of json or jsonb; json remembers the text of its parts.
func parseAs(t types.T, b []byte) (*jsonval.Value, error) {
	if t.Kind == types.JSON {
		return jsonval.ParseSource(string(b))
	}
	return jsonval.Parse(string(b))
}

// Get is ->, or with text ->>.
func Get(text bool) Func {
	return func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		v, err := parseAs(t[0], a[0].Bytes)
		if err != nil {
			return types.NullDatum, err
		}
		if t[1].Kind == types.Int4 {
			// jsonb keeps a scalar as an array of one.
			alone := t[0].Kind == types.JSONB && v.Kind < jsonval.Array
			if i := a[1].Int; !alone || i != 0 && i != -1 {
				v = v.Index(int(i))
			}
		} else {
			v = v.Field(string(a[1].Bytes))
		}
		if text {
			return textOf(v), nil
		}
		return datum(v), nil
	}
}

// GetPath is #>, or with text #>>.
func GetPath(text bool) Func {
	return func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		v, err := parseAs(t[0], a[0].Bytes)
		if err != nil {
			return types.NullDatum, err
		}
		for _, step := range a[1].Array.Elems {
			if step.Null || v == nil {
				return types.NullDatum, nil
			}
			switch v.Kind {
			case jsonval.Object:
				v = v.Field(string(step.Bytes))
			case jsonval.Array:
				i, err := strconv.Atoi(string(step.Bytes))
				if err != nil {
					return types.NullDatum, nil
				}
				v = v.Index(i)
			default:
				return types.NullDatum, nil
			}
		}
		if text {
			return textOf(v), nil
		}
		return datum(v), nil
	}
}

var kinds = map[jsonval.Kind]string{jsonval.Null: "null", jsonval.String: "string", jsonval.Number: "number",
	jsonval.Bool: "boolean", jsonval.Array: "array", jsonval.Object: "object"}

// Typeof is json_typeof and jsonb_typeof.
func Typeof(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewText(kinds[v.Kind]), nil
}

// ArrayLength is json_array_length and jsonb_array_length.
func ArrayLength(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	switch v.Kind {
	case jsonval.Array:
		return types.NewInt(int64(len(v.Elems))), nil
	case jsonval.Object:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot get array length of a non-array")
	}
	return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot get array length of a scalar")
}

// To is to_json or to_jsonb.
func To(k types.Kind) Func {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		return Result(k, appendJSON(nil, env, t[0], a[0]))
	}
}

// BuildArray is json_build_array or jsonb_build_array.
func BuildArray(k types.Kind) Func {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		b := []byte{'['}
		for i, d := range a {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendJSON(b, env, t[i], d)
		}
		return Result(k, append(b, ']'))
	}
}

// BuildObject is json_build_object or jsonb_build_object.
func BuildObject(k types.Kind) Func {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		if len(a)%2 != 0 {
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "argument list must have even number of elements").
				WithHint("The arguments of %s must consist of alternating keys and values.",
					map[types.Kind]string{types.JSON: "json_build_object()", types.JSONB: "jsonb_build_object()"}[k])
		}
		b := []byte{'{'}
		for i := 0; i < len(a); i += 2 {
			if a[i].Null {
				if k == types.JSONB {
					return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "argument %d: key must not be null", i+1)
				}
				return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "argument %d cannot be null", i+1).
					WithHint("Object keys should be text.")
			}
			switch t[i].Kind {
			case types.JSON, types.JSONB, types.Array, types.Record:
				return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "key value must be scalar, not array, composite, or json")
			}
			if i > 0 {
				b = append(b, ", "...)
			}
			b = jsonval.AppendString(b, string(AppendFieldName(nil, env, t[i], a[i])))
			b = append(b, " : "...)
			b = appendJSON(b, env, t[i+1], a[i+1])
		}
		return Result(k, append(b, '}'))
	}
}

// StripNulls is jsonb_strip_nulls.
func StripNulls(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	var strip func(v *jsonval.Value)
	strip = func(v *jsonval.Value) {
		if v.Kind == jsonval.Object {
			n := 0
			for i, e := range v.Elems {
				if e.Kind != jsonval.Null {
					v.Keys[n], v.Elems[n] = v.Keys[i], e
					n++
				}
			}
			v.Keys, v.Elems = v.Keys[:n], v.Elems[:n]
		}
		for _, e := range v.Elems {
			strip(e)
		}
	}
	strip(v)
	return datum(v), nil
}

// StripNullsText is json_strip_nulls: numbers and the order of members stay as they are written,
// blanks do not.
func StripNullsText(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.ParseOrdered(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBytes(appendStripped(nil, v)), nil
}

func appendStripped(b []byte, v *jsonval.Value) []byte {
	open := len(b)
	switch v.Kind {
	case jsonval.Object:
		b = append(b, '{')
		for i, e := range v.Elems {
			if e.Kind == jsonval.Null {
				continue
			}
			if len(b) > open+1 {
				b = append(b, ',')
			}
			b = append(jsonval.AppendString(b, v.Keys[i]), ':')
			b = appendStripped(b, e)
		}
		return append(b, '}')
	case jsonval.Array:
		b = append(b, '[')
		for i, e := range v.Elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendStripped(b, e)
		}
		return append(b, ']')
	case jsonval.String:
		return jsonval.AppendString(b, v.Str)
	}
	return v.Append(b)
}

// Exists is jsonb ? text.
func Exists(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	key := string(a[1].Bytes)
	switch v.Kind {
	case jsonval.Object:
		return types.NewBool(v.Field(key) != nil), nil
	case jsonval.String:
		return types.NewBool(v.Str == key), nil
	case jsonval.Array:
		for _, e := range v.Elems {
			if e.Kind == jsonval.String && e.Str == key {
				return types.NewBool(true), nil
			}
		}
	}
	return types.NewBool(false), nil
}

// DeleteKey is jsonb - text.
func DeleteKey(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	key := string(a[1].Bytes)
	out := &jsonval.Value{Kind: v.Kind}
	switch v.Kind {
	case jsonval.Object:
		for i, k := range v.Keys {
			if k != key {
				out.Keys, out.Elems = append(out.Keys, k), append(out.Elems, v.Elems[i])
			}
		}
	case jsonval.Array:
		for _, e := range v.Elems {
			if e.Kind != jsonval.String || e.Str != key {
				out.Elems = append(out.Elems, e)
			}
		}
	default:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot delete from scalar")
	}
	return datum(out), nil
}

// DeleteIndex is jsonb - integer.
func DeleteIndex(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	switch v.Kind {
	case jsonval.Array:
	case jsonval.Object:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot delete from object using integer index")
	default:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot delete from scalar")
	}
	i := int(a[1].Int)
	if i < 0 {
		i += len(v.Elems)
	}
	if i >= 0 && i < len(v.Elems) {
		v.Elems = append(v.Elems[:i:i], v.Elems[i+1:]...)
	}
	return datum(v), nil
}

// CastTo is the cast of jsonb to a type of number, or to boolean.
func CastTo(k types.Kind) Func {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		v, err := jsonval.Parse(string(a[0].Bytes))
		if err != nil {
			return types.NullDatum, err
		}
		want := jsonval.Number
		if k == types.Bool {
			want = jsonval.Bool
		}
		if v.Kind != want {
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot cast jsonb %s to type %s", kinds[v.Kind], k)
		}
		if k == types.Bool {
			return types.NewBool(v.Bool), nil
		}
		if k == types.Numeric {
			return types.NewDecimal(v.Num), nil
		}
		return eval.CastDatum(env, types.NewDecimal(v.Num), types.Of(types.Numeric), types.Of(k), expr.Explicit)
	}
}
