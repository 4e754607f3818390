package saltsql

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// toDatum turns a Go argument into a value of type t. Strings and []byte of
// any type but text and bytea are read as the type's text form; a time.Time is
// taken in its own zone for date, time and timestamp.
func toDatum(v any, t types.T, env *types.IOEnv) (types.Datum, error) {
	if val, ok := v.(driver.Valuer); ok {
		var err error
		if v, err = val.Value(); err != nil {
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
	case bool:
		if t.Kind == types.Bool {
			return types.NewBool(x), nil
		}
		return types.ParseText(t, []byte(strconv.FormatBool(x)), env)
	case string:
		return types.ParseText(t, []byte(x), env)
	case []byte:
		if t.Kind == types.Bytea {
			return types.NewBytes(append([]byte(nil), x...)), nil
		}
		return types.ParseText(t, x, env)
	case time.Time:
		return timeDatum(x, t, env)
	case float32:
		return types.ParseText(t, strconv.AppendFloat(nil, float64(x), 'g', -1, 32), env)
	case float64:
		if t.Kind == types.Float8 {
			return types.NewFloat(x), nil
		}
		return types.ParseText(t, strconv.AppendFloat(nil, x, 'g', -1, 64), env)
	case [16]byte:
		return types.NewBytes(x[:]), nil
	case fmt.Stringer:
		return types.ParseText(t, []byte(x.String()), env)
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return types.ParseText(t, strconv.AppendInt(nil, rv.Int(), 10), env)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return types.ParseText(t, strconv.AppendUint(nil, rv.Uint(), 10), env)
	case reflect.Pointer:
		if rv.IsNil() {
			return types.NullDatum, nil
		}
		return toDatum(rv.Elem().Interface(), t, env)
	case reflect.Slice:
		if t.Kind == types.Array {
			return sliceDatum(rv, t, env)
		}
	case reflect.String:
		return types.ParseText(t, []byte(rv.String()), env)
	}
	return types.Datum{}, sqlerr.New(sqlerr.DatatypeMismatch, "cannot use a Go %T as %s", v, t)
}

func sliceDatum(rv reflect.Value, t types.T, env *types.IOEnv) (types.Datum, error) {
	if rv.IsNil() {
		return types.NullDatum, nil
	}
	a := &types.ArrayValue{Elem: t.ElemType(), Elems: make([]types.Datum, rv.Len())}
	if rv.Len() > 0 {
		a.Dims = []int32{int32(rv.Len())}
	}
	for i := range a.Elems {
		d, err := toDatum(rv.Index(i).Interface(), a.Elem, env)
		if err != nil {
			return types.Datum{}, err
		}
		a.Elems[i] = d
	}
	return types.Datum{Array: a}, nil
}

func timeDatum(x time.Time, t types.T, env *types.IOEnv) (types.Datum, error) {
	layout := "2006-01-02 15:04:05.999999"
	switch t.Kind {
	case types.Timestamptz:
		return types.NewInt(x.UnixMicro()), nil
	case types.Date:
		layout = "2006-01-02"
	case types.Time:
		layout = "15:04:05.999999"
	case types.Timestamp:
	default:
		layout = "2006-01-02 15:04:05.999999-07:00"
	}
	return types.ParseText(t, []byte(x.Format(layout)), env)
}

// toGo gives a value as database/sql knows it: nil, bool, int64, float64,
// []byte (bytea), time.Time (date, timestamp, timestamptz), else its text.
func toGo(d types.Datum, t types.T, env *types.IOEnv) any {
	if d.Null {
		return nil
	}
	switch t.Kind {
	case types.Bool:
		return d.Bool
	case types.Int2, types.Int4, types.Int8, types.OID:
		return d.Int
	case types.Float4, types.Float8:
		return d.Float
	case types.Bytea:
		return append([]byte(nil), d.Bytes...)
	case types.Timestamptz, types.Timestamp, types.Date:
		if d.Int != math.MaxInt64 && d.Int != math.MinInt64 {
			switch t.Kind {
			case types.Date:
				return time.Unix(d.Int*86400, 0).UTC()
			case types.Timestamp:
				return time.UnixMicro(d.Int).UTC()
			}
			return time.UnixMicro(d.Int).In(env.TimeZone)
		}
	}
	return string(types.AppendText(nil, t, d, env))
}

// assign stores a value toGo gave in a Scan destination.
func assign(dest, src any) error {
	if sc, ok := dest.(sql.Scanner); ok {
		return sc.Scan(src)
	}
	switch p := dest.(type) {
	case *any:
		*p = src
		return nil
	case *string:
		if src != nil {
			*p = text(src)
			return nil
		}
	case *[]byte:
		switch x := src.(type) {
		case nil:
			*p = nil
		case []byte:
			*p = x
		default:
			*p = []byte(text(src))
		}
		return nil
	}
	dv := reflect.ValueOf(dest)
	if dv.Kind() != reflect.Pointer || dv.IsNil() {
		return fmt.Errorf("saltsql: Scan destination is a %T, not a pointer", dest)
	}
	dv = dv.Elem()
	if dv.Kind() == reflect.Pointer {
		if src == nil {
			dv.SetZero()
			return nil
		}
		dv.Set(reflect.New(dv.Type().Elem()))
		return assign(dv.Interface(), src)
	}
	if src == nil {
		return fmt.Errorf("saltsql: cannot scan NULL into %T: use a pointer to it or sql.Null", dest)
	}
	sv := reflect.ValueOf(src)
	if sv.Type().AssignableTo(dv.Type()) {
		dv.Set(sv)
		return nil
	}
	return assignNumber(dv, src)
}

func assignNumber(dv reflect.Value, src any) error {
	s := text(src)
	switch dv.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(s, 10, dv.Type().Bits())
		if err != nil {
			return fmt.Errorf("saltsql: cannot scan %q into %s: %w", s, dv.Type(), err)
		}
		dv.SetInt(n)
		return nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(s, 10, dv.Type().Bits())
		if err != nil {
			return fmt.Errorf("saltsql: cannot scan %q into %s: %w", s, dv.Type(), err)
		}
		dv.SetUint(n)
		return nil
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(s, dv.Type().Bits())
		if err != nil {
			return fmt.Errorf("saltsql: cannot scan %q into %s: %w", s, dv.Type(), err)
		}
		dv.SetFloat(f)
		return nil
	case reflect.String:
		dv.SetString(s)
		return nil
	}
	return fmt.Errorf("saltsql: cannot scan a %T into %s", src, dv.Type())
}

func text(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case []byte:
		return string(x)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
