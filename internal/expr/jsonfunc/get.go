package jsonfunc

import (
	"bytes"
	"strconv"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/vec"
)

// Operators and functions of json and jsonb. A part is looked for in the document's text, whose
// bytes it then is; a document that is changed or compared is read into a tree.

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

// checkEscapes has a json's escapes be such that stand for characters, all of them: those of a jsonb
// do. 22P05 for \u0000.
func checkEscapes(t types.T, doc []byte) error {
	if t.Kind != types.JSON || bytes.IndexByte(doc, '\\') < 0 {
		return nil
	}
	_, err := jsonval.ParseSource(string(doc))
	return err
}

// given is what a part is as a result, as ->> gives it with text: nil, NULL, for null, strings
// without quotes.
func given(found []byte, text bool) []byte {
	switch {
	case !text || found == nil:
		return found
	case jsonval.KindOf(found) == jsonval.Null:
		return nil
	}
	return jsonval.TextOf(found)
}

// finder finds a part of a document by the i-th value of another argument; nil where it is not
// there.
type finder func(doc []byte, jsonb bool, by *vec.Vec, i int) []byte

// kernel is what gives the part, or with text its text. It is a part of the document's own bytes.
func (find finder) kernel(text bool) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		t := args[0].Type
		for _, i := range sel {
			doc := args[0].Bytes[i]
			if err := checkEscapes(t, doc); err != nil {
				return err
			}
			if out.Bytes[i] = given(find(doc, t.Kind == types.JSONB, args[1], int(i)), text); out.Bytes[i] == nil {
				out.Nulls.Set(int(i))
			}
			if err := env.Canceled(); err != nil {
				return err
			}
		}
		return nil
	}
}

// Member is -> with a text, or with text ->>.
func Member(text bool) expr.Kernel {
	return finder(func(doc []byte, jsonb bool, by *vec.Vec, i int) []byte {
		return jsonval.FindMember(doc, by.Bytes[i], jsonb)
	}).kernel(text)
}

// Element is -> with an integer, or with text ->>.
func Element(text bool) expr.Kernel {
	return finder(func(doc []byte, jsonb bool, by *vec.Vec, i int) []byte {
		n := by.Ints[i]
		if jsonb && jsonval.KindOf(doc) < jsonval.Array && (n == 0 || n == -1) {
			return doc // jsonb keeps a scalar as an array of one
		}
		return jsonval.FindElement(doc, int(n))
	}).kernel(text)
}

// Path is #>, or with text #>>.
func Path(text bool) expr.Kernel {
	return finder(func(doc []byte, jsonb bool, by *vec.Vec, i int) []byte {
		return findPath(doc, jsonb, by.Arrays[i].Elems)
	}).kernel(text)
}

func findPath(doc []byte, jsonb bool, path []types.Datum) []byte {
	found := bytes.TrimSpace(doc)
	for _, step := range path {
		if step.Null {
			return nil
		}
		if jsonval.KindOf(found) == jsonval.Array {
			n, err := strconv.Atoi(string(step.Bytes))
			if err != nil {
				return nil
			}
			found = jsonval.FindElement(found, n)
		} else {
			found = jsonval.FindMember(found, step.Bytes, jsonb)
		}
	}
	return found
}

// ExtractPath is #> with the steps as arguments.
func ExtractPath(text bool) Func {
	return func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		if err := checkEscapes(t[0], a[0].Bytes); err != nil {
			return types.NullDatum, err
		}
		found := given(findPath(a[0].Bytes, t[0].Kind == types.JSONB, a[1:]), text)
		if found == nil {
			return types.NullDatum, nil
		}
		return types.NewBytes(found), nil
	}
}

var kinds = map[jsonval.Kind]string{jsonval.Null: "null", jsonval.String: "string", jsonval.Number: "number",
	jsonval.Bool: "boolean", jsonval.Array: "array", jsonval.Object: "object"}

// Typeof is json_typeof and jsonb_typeof.
func Typeof(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	return types.NewText(kinds[jsonval.KindOf(a[0].Bytes)]), nil
}

// ArrayLength is json_array_length and jsonb_array_length.
func ArrayLength(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	switch jsonval.KindOf(a[0].Bytes) {
	case jsonval.Array:
		return types.NewInt(int64(jsonval.CountElements(a[0].Bytes))), nil
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
	return types.NewBool(jsonval.HasKey(a[0].Bytes, a[1].Bytes)), nil
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
