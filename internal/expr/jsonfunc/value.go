package jsonfunc

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// Func computes a result of values of types ts.
type Func = func(env *expr.Env, ts []types.T, args []types.Datum) (types.Datum, error)

// MakeArray makes a json or jsonb array of json or jsonb values; with lines, each that is
// not NULL begins one.
func MakeArray(kind types.Kind, vals []types.Datum, lines bool) (types.Datum, error) {
	b := []byte{'['}
	for i, d := range vals {
		if i > 0 {
			b = append(b, ", "...)
			if lines && !d.Null {
				b = append(b, "\n "...)
			}
		}
		if d.Null {
			b = append(b, "null"...)
		} else {
			b = append(b, d.Bytes...)
		}
	}
	return Result(kind, append(b, ']'))
}

// MakeObject makes a json or jsonb object of its fields' text.
func MakeObject(kind types.Kind, fields []byte) (types.Datum, error) {
	b := append(append([]byte("{ "), fields...), " }"...)
	return Result(kind, b)
}

// AppendFieldName appends the name that a value gives to an object's field.
func AppendFieldName(b []byte, env *expr.Env, t types.T, d types.Datum) []byte {
	switch t.Kind {
	case types.Date, types.Timestamp, types.Timestamptz:
		quoted := appendJSON(nil, env, t, d)
		return append(b, quoted[1:len(quoted)-1]...)
	case types.Bool:
		return appendJSON(b, env, t, d)
	}
	return append(b, types.Format(t, d, env.TextIO())...)
}

// Result is the text b as a value of json or jsonb.
func Result(kind types.Kind, b []byte) (types.Datum, error) {
	if kind == types.JSONB {
		v, err := jsonval.Parse(string(b))
		if err != nil {
			return types.NullDatum, err
		}
		return types.NewBytes(v.Append(nil)), nil
	}
	return types.NewBytes(b), nil
}

// appendJSON appends a value as to_json does.
func appendJSON(b []byte, env *expr.Env, t types.T, d types.Datum) []byte {
	if d.Null {
		return append(b, "null"...)
	}
	switch t.Kind {
	case types.Bool:
		if d.Bool {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case types.JSON, types.JSONB:
		return append(b, d.Bytes...)
	case types.Int2, types.Int4, types.Int8:
		return types.AppendText(b, t, d, nil)
	case types.Float4, types.Float8, types.Numeric:
		// Numbers that JSON does not know are strings.
		s := types.Format(t, d, env.TextIO())
		if c := s[len(s)-1]; c < '0' || c > '9' {
			return jsonval.AppendString(b, s)
		}
		return append(b, s...)
	case types.Date:
		return jsonval.AppendString(b, types.Format(t, d, nil)) // ISO, whatever DateStyle is
	case types.Timestamp, types.Timestamptz:
		s := []byte(types.Format(t, d, &types.IOEnv{TimeZone: env.Zone()}))
		for i := range s {
			if s[i] == ' ' {
				s[i] = 'T'
				break
			}
		}
		if t.Kind == types.Timestamptz && len(s) > 3 && (s[len(s)-3] == '+' || s[len(s)-3] == '-') {
			s = append(s, ":00"...)
		}
		return jsonval.AppendString(b, string(s))
	case types.Array:
		pos := 0
		if len(d.Array.Elems) == 0 {
			return append(b, "[]"...)
		}
		return appendJSONDim(b, env, t.ElemType(), d.Array, 0, &pos)
	case types.Record:
		return appendJSONRecord(b, env, d.Array, ",")
	}
	return jsonval.AppendString(b, types.Format(t, d, env.TextIO()))
}

func appendJSONDim(b []byte, env *expr.Env, elem types.T, a *types.ArrayValue, dim int, pos *int) []byte {
	b = append(b, '[')
	for i := range a.Dims[dim] {
		if i > 0 {
			b = append(b, ',')
		}
		if dim+1 < len(a.Dims) {
			b = appendJSONDim(b, env, elem, a, dim+1, pos)
		} else {
			b = appendJSON(b, env, elem, a.Elems[*pos])
			*pos++
		}
	}
	return append(b, ']')
}

// FromRow is row_to_json.
func FromRow(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	between := ","
	if len(a) > 1 && a[1].Bool {
		between = ",\n "
	}
	return types.NewBytes(appendJSONRecord(nil, env, a[0].Array, between)), nil
}

func appendJSONRecord(b []byte, env *expr.Env, a *types.ArrayValue, between string) []byte {
	b = append(b, '{')
	for i, e := range a.Elems {
		if i > 0 {
			b = append(b, between...)
		}
		b = append(jsonval.AppendString(b, a.Shape.Fields[i].Name), ':')
		b = appendJSON(b, env, a.Shape.Fields[i].T, e)
	}
	return append(b, '}')
}
