package govalue

import (
	"database/sql/driver"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ToDatum turns a Go argument into a value of type t, by the rules of database/sql: a
// driver.Valuer gives its value and a nil one NULL, pointers are followed, and then the
// kind of a type counts, not its name or its methods.
//
//	bool, string           as PostgreSQL reads their text; numbers go to numbers and texts
//	[]byte                 the bytes of a bytea, else a text
//	[16]byte, [n]byte      a uuid or a bytea; a bytea
//	time.Time              date, time and timestamp take it in its own zone; to the microsecond
//	time.Duration          an interval
//	*big.Int, Float, Rat   a numeric with all digits
//	slices and arrays      arrays, also of several dimensions
//	all others             encoding/json, where t is json or jsonb
//
// nil, nil pointers, nil slices and nil maps are NULL. What does not fit is 42804, or as
// PostgreSQL refuses the text.
func ToDatum(v any, t types.T, env *types.IOEnv) (types.Datum, error) {
	if x, ok := v.(int64); ok && t.Kind == types.Int8 { // what most keys are, and no Valuer
		return types.NewInt(x), nil
	}
	if val, ok := v.(driver.Valuer); ok {
		var err error
		if v, err = callValuer(val); err != nil {
			return types.Datum{}, err
		}
	}
	switch x := v.(type) {
	case nil:
		return types.NullDatum, nil
	case int64:
		if t.Kind == types.Int8 {
			return types.NewInt(x), nil
		}
	case string:
		return types.ParseString(t, x, env)
	case time.Time:
		return timeDatum(x, t, env)
	case time.Duration:
		if t.Kind == types.Interval {
			return types.Datum{Interval: types.IntervalValue{Micros: x.Microseconds()}}, nil
		}
	case big.Int:
		return numberDatum(v, x.String(), t, env)
	case big.Float:
		return numberDatum(v, bigFloatText(&x), t, env)
	case big.Rat:
		if digits, exact := x.FloatPrec(); exact {
			return numberDatum(v, x.FloatString(digits), t, env)
		}
		return types.Datum{}, unfit(v, t)
	}
	rv := reflect.ValueOf(v)
	if isJSON(t) && marshals(rv) {
		return jsonDatum(v, t, env)
	}
	switch rv.Kind() {
	case reflect.Bool:
		return boolDatum(rv, t, env)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return numberDatum(v, strconv.FormatInt(rv.Int(), 10), t, env)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return numberDatum(v, strconv.FormatUint(rv.Uint(), 10), t, env)
	case reflect.Float32, reflect.Float64:
		return floatDatum(rv, t, env)
	case reflect.String:
		return types.ParseString(t, rv.String(), env)
	case reflect.Pointer:
		if rv.IsNil() {
			return types.NullDatum, nil
		}
		return ToDatum(rv.Elem().Interface(), t, env)
	case reflect.Slice:
		switch {
		case rv.IsNil():
			return types.NullDatum, nil
		case isBytes(rv) && t.Kind == types.Bytea:
			return types.NewBytes(append([]byte{}, rv.Bytes()...)), nil
		case isBytes(rv):
			return types.ParseString(t, string(rv.Bytes()), env)
		case t.Kind == types.Array:
			return arrayDatum(rv, t, env)
		}
	case reflect.Array:
		switch {
		case isBytes(rv) && (t.Kind == types.Bytea || t.Kind == types.UUID && rv.Len() == 16):
			b := make([]byte, rv.Len())
			reflect.Copy(reflect.ValueOf(b), rv)
			return types.NewBytes(b), nil
		case t.Kind == types.Array:
			return arrayDatum(rv, t, env)
		}
	case reflect.Map:
		if rv.IsNil() {
			return types.NullDatum, nil
		}
	}
	if isJSON(t) {
		return jsonDatum(v, t, env)
	}
	return types.Datum{}, unfit(v, t)
}

func unfit(v any, t types.T) error {
	return sqlerr.New(sqlerr.DatatypeMismatch, "cannot use a Go %T as %s", v, t)
}

// callValuer gives a Valuer's value. A nil pointer whose Value method is that of what it
// points to is nil, as in database/sql: the call would panic.
func callValuer(val driver.Valuer) (any, error) {
	rv := reflect.ValueOf(val)
	if rv.Kind() == reflect.Pointer && rv.IsNil() && rv.Type().Elem().Implements(reflect.TypeFor[driver.Valuer]()) {
		return nil, nil
	}
	v, err := val.Value()
	if err == nil && !driver.IsValue(v) {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "the Value method of a Go %T gave a %T, which is no driver.Value", val, v)
	}
	return v, err
}

// marshals says that a value knows its own JSON. Bytes are JSON as they are.
func marshals(rv reflect.Value) bool {
	if rv.Kind() == reflect.Pointer && (rv.IsNil() || rv.Elem().Kind() == reflect.Slice) || rv.Kind() == reflect.Slice {
		return false
	}
	_, ok := rv.Interface().(json.Marshaler)
	return ok
}

func isBytes(rv reflect.Value) bool { return rv.Type().Elem().Kind() == reflect.Uint8 }

func isJSON(t types.T) bool { return t.Kind == types.JSON || t.Kind == types.JSONB }

func isText(t types.T) bool {
	switch t.Kind {
	case types.Text, types.Varchar, types.Bpchar, types.Name, types.Unknown, types.CharOne:
		return true
	}
	return isJSON(t)
}

func isInteger(t types.T) bool {
	switch t.Kind {
	case types.Int2, types.Int4, types.Int8, types.OID, types.Regclass, types.Regtype:
		return true
	}
	return false
}

func boolDatum(rv reflect.Value, t types.T, env *types.IOEnv) (types.Datum, error) {
	switch {
	case t.Kind == types.Bool:
		return types.NewBool(rv.Bool()), nil
	case isText(t):
		return types.ParseString(t, strconv.FormatBool(rv.Bool()), env)
	}
	return types.Datum{}, unfit(rv.Interface(), t)
}

// numberDatum reads the decimal digits of v. Numbers do not go to dates, bytea and the
// like, whose texts digits can be by chance; to boolean go 0 and 1.
func numberDatum(v any, digits string, t types.T, env *types.IOEnv) (types.Datum, error) {
	switch {
	case isInteger(t), isText(t), t.Kind == types.Float4, t.Kind == types.Float8, t.Kind == types.Numeric,
		t.Kind == types.Bool && (digits == "0" || digits == "1"):
		return types.ParseString(t, digits, env)
	}
	return types.Datum{}, unfit(v, t)
}

// floatDatum keeps a float's value where t has floats, and its shortest digits elsewhere;
// an integer takes it where it is whole.
func floatDatum(rv reflect.Value, t types.T, env *types.IOEnv) (types.Datum, error) {
	f, from := rv.Float(), types.Of(types.Float8)
	if rv.Kind() == reflect.Float32 {
		from.Kind = types.Float4
	}
	switch {
	case t.Kind == types.Float8:
		return types.NewFloat(f), nil
	case isInteger(t) && f == math.Trunc(f) && math.Abs(f) < 1<<63:
		return numberDatum(rv.Interface(), strconv.FormatInt(int64(f), 10), t, env)
	case t.Kind == types.Bool:
		return types.Datum{}, unfit(rv.Interface(), t)
	}
	return numberDatum(rv.Interface(), string(types.AppendText(nil, from, types.NewFloat(f), nil)), t, env)
}

// bigFloatText gives all the digits, and an exponent only where there would be hundreds.
func bigFloatText(x *big.Float) string {
	if x.IsInf() {
		if x.Signbit() {
			return "-Infinity"
		}
		return "Infinity"
	}
	if exp := x.MantExp(nil); exp < -1000 || exp > 1000 {
		return x.Text('e', -1)
	}
	return x.Text('f', -1)
}

// timeDatum reads a time; the driver's usual way for a timestamptz is short.
func timeDatum(x time.Time, t types.T, env *types.IOEnv) (types.Datum, error) {
	layout, year := "-01-02 15:04:05.999999", x.Year()
	_, offset := x.Zone()
	switch {
	case t.Kind == types.Timestamptz && t.Typmod() < 0 && year > 0 && year < 10_000:
		return types.NewInt(x.UnixMicro()), nil
	case t.Kind == types.Timestamptz:
		x = x.UTC()
		year, layout = x.Year(), layout+"-07"
	case t.Kind == types.Date, t.Kind == types.Timestamp:
	case t.Kind == types.Time:
		return types.ParseString(t, x.Format("15:04:05.999999"), env)
	case isJSON(t):
		if offset%60 != 0 {
			x = x.UTC() // RFC 3339 has no seconds there
		}
		return jsonDatum(x, t, env)
	case isText(t):
		layout += "-07:00"
		if offset%60 != 0 {
			layout += ":00"
		}
	default:
		return types.Datum{}, unfit(x, t)
	}
	era := ""
	if year <= 0 {
		year, era = 1-year, " BC"
	}
	digits := strconv.Itoa(year)
	for len(digits) < 4 {
		digits = "0" + digits
	}
	return types.ParseString(t, digits+x.Format(layout)+era, env)
}

func jsonDatum(v any, t types.T, env *types.IOEnv) (types.Datum, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		e := sqlerr.New(sqlerr.DatatypeMismatch, "cannot use a Go %T as %s: %v", v, t, err)
		e.Cause = err
		return types.Datum{}, e
	}
	return types.ParseString(t, strings.TrimSuffix(b.String(), "\n"), env)
}

// arrayDatum makes an array of as many dimensions as the slices have.
func arrayDatum(rv reflect.Value, t types.T, env *types.IOEnv) (types.Datum, error) {
	a := &types.ArrayValue{Elem: t.ElemType()}
	if err := appendElems(a, rv, 0, env); err != nil {
		return types.Datum{}, err
	}
	if len(a.Elems) == 0 {
		a.Dims = nil
	}
	return types.Datum{Array: a}, nil
}

// appendElems appends the elements of a slice in dimension depth.
func appendElems(a *types.ArrayValue, rv reflect.Value, depth int, env *types.IOEnv) error {
	n := int32(rv.Len())
	if depth == types.MaxDims {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions exceeds the maximum allowed (%d)", types.MaxDims)
	}
	if depth == len(a.Dims) {
		a.Dims = append(a.Dims, n)
	} else if a.Dims[depth] != n {
		return sqlerr.New(sqlerr.ArraySubscriptError, "multidimensional arrays must have sub-arrays with matching dimensions")
	}
	for i := range rv.Len() {
		e := rv.Index(i)
		if e.Kind() == reflect.Interface && !e.IsNil() {
			e = e.Elem()
		}
		if isDimension(e, a.Elem) {
			if err := appendElems(a, e, depth+1, env); err != nil {
				return err
			}
			continue
		}
		if depth+1 < len(a.Dims) {
			return sqlerr.New(sqlerr.ArraySubscriptError, "multidimensional arrays must have sub-arrays with matching dimensions")
		}
		d, err := ToDatum(e.Interface(), a.Elem, env)
		if err != nil {
			return err
		}
		a.Elems = append(a.Elems, d)
	}
	return nil
}

// isDimension says that a value within an array is itself a part of it, not an element.
func isDimension(rv reflect.Value, elem types.T) bool {
	if k := rv.Kind(); k != reflect.Slice && k != reflect.Array || isBytes(rv) || isJSON(elem) {
		return false
	}
	_, valuer := rv.Interface().(driver.Valuer)
	return !valuer
}
