package builtin

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

func init() {
	for _, t := range []types.T{tJSON, tJSONB} {
		for name, text := range map[string]bool{"->": false, "->>": true} {
			res := t
			if text {
				res = tText
			}
			expr.RegisterOps(
				fn(name, ts(t, tText), res, datumKernel(jsonGet(text))),
				fn(name, ts(t, tInt4), res, datumKernel(jsonGet(text))),
			)
		}
		for name, text := range map[string]bool{"#>": false, "#>>": true} {
			res := t
			if text {
				res = tText
			}
			expr.RegisterOps(fn(name, ts(t, tTexts), res, datumKernel(jsonPath(text))))
		}
		expr.RegisterFuncs(
			fn(t.TypName()+"_typeof", ts(t), tText, datumKernel(jsonTypeof)),
			fn(t.TypName()+"_array_length", ts(t), tInt4, datumKernel(jsonArrayLength)),
			fn("to_"+t.TypName(), ts(tAnyEl), t, datumKernel(toJSON(t.Kind))).AsStable(),
			fn(t.TypName()+"_build_array", ts(), t, datumKernel(buildArray(t.Kind))),
			fn(t.TypName()+"_build_array", ts(tAny), t, datumKernel(buildArray(t.Kind))).CalledOnNull().AsStable().AsVariadic(),
			fn(t.TypName()+"_build_object", ts(), t, datumKernel(buildObject(t.Kind))),
			fn(t.TypName()+"_build_object", ts(tAny), t, datumKernel(buildObject(t.Kind))).CalledOnNull().AsStable().AsVariadic(),
		)
		if t == tJSONB {
			expr.RegisterFuncs(fn("jsonb_strip_nulls", ts(t), t, datumKernel(stripNulls)))
		}
	}
	expr.RegisterOps(
		fn("@>", ts(tJSONB, tJSONB), tBool, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			x, y, err := twoJSON(a)
			if err != nil {
				return types.NullDatum, err
			}
			return types.NewBool(jsonval.Contains(x, y)), nil
		})),
		fn("<@", ts(tJSONB, tJSONB), tBool, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			x, y, err := twoJSON(a)
			if err != nil {
				return types.NullDatum, err
			}
			return types.NewBool(jsonval.Contains(y, x)), nil
		})),
		fn("?", ts(tJSONB, tText), tBool, datumKernel(jsonExists)),
		fn("-", ts(tJSONB, tText), tJSONB, datumKernel(jsonDeleteKey)),
		fn("-", ts(tJSONB, tInt4), tJSONB, datumKernel(jsonDeleteIndex)),
	)
	expr.RegisterCast(types.JSON, types.JSONB, expr.Assignment, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		return jsonResult(types.JSONB, a[0].Bytes)
	}))
	expr.RegisterCast(types.JSONB, types.JSON, expr.Assignment, nil)
	for _, k := range []types.Kind{types.Bool, types.Numeric, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8} {
		expr.RegisterCast(types.JSONB, k, expr.Explicit, datumKernel(jsonbTo(k)))
	}
}

// jsonText is a value as ->> gives it: NULL for null, strings without quotes.
func jsonText(v *jsonval.Value) types.Datum {
	switch {
	case v == nil || v.Kind == jsonval.Null:
		return types.NullDatum
	case v.Kind == jsonval.String:
		return types.NewText(v.Str)
	}
	return types.NewBytes(v.Append(nil))
}

func jsonDatum(v *jsonval.Value) types.Datum {
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

func jsonGet(text bool) datumFunc {
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
			return jsonText(v), nil
		}
		return jsonDatum(v), nil
	}
}

func jsonPath(text bool) datumFunc {
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
			return jsonText(v), nil
		}
		return jsonDatum(v), nil
	}
}

var jsonKinds = map[jsonval.Kind]string{jsonval.Null: "null", jsonval.String: "string", jsonval.Number: "number",
	jsonval.Bool: "boolean", jsonval.Array: "array", jsonval.Object: "object"}

func jsonTypeof(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	v, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewText(jsonKinds[v.Kind]), nil
}

func jsonArrayLength(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
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

func toJSON(k types.Kind) datumFunc {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		return jsonResult(k, appendJSON(nil, env, t[0], a[0]))
	}
}

func buildArray(k types.Kind) datumFunc {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		b := []byte{'['}
		for i, d := range a {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendJSON(b, env, t[i], d)
		}
		return jsonResult(k, append(b, ']'))
	}
}

func buildObject(k types.Kind) datumFunc {
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
			if i > 0 {
				b = append(b, ", "...)
			}
			b = jsonval.AppendString(b, string(appendFieldName(nil, env, t[i], a[i])))
			b = append(b, " : "...)
			b = appendJSON(b, env, t[i+1], a[i+1])
		}
		return jsonResult(k, append(b, '}'))
	}
}

func stripNulls(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
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
	return jsonDatum(v), nil
}

func jsonExists(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
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

func jsonDeleteKey(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
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
	return jsonDatum(out), nil
}

func jsonDeleteIndex(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
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
	return jsonDatum(v), nil
}

func jsonbTo(k types.Kind) datumFunc {
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
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "cannot cast jsonb %s to type %s", jsonKinds[v.Kind], k)
		}
		if k == types.Bool {
			return types.NewBool(v.Bool), nil
		}
		if k == types.Numeric {
			return types.NewDecimal(v.Num), nil
		}
		return eval.CastDatum(env, types.NewDecimal(v.Num), tNum, types.Of(k), expr.Explicit)
	}
}
