package saltsql

import (
	"database/sql"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/internal/types"
)

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
	dv := reflect.ValueOf(dest)
	if dv.Kind() != reflect.Pointer || dv.IsNil() {
		return fmt.Errorf("saltsql: Scan destination is a %T, not a pointer to something", dest)
	}
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
	return assignKind(dv, src)
}

// assignKind stores by the kind of the destination's type, as database/sql does.
func assignKind(dv reflect.Value, src any) error {
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
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("saltsql: cannot scan %q into %s: %w", s, dv.Type(), err)
		}
		dv.SetBool(b)
		return nil
	case reflect.String:
		dv.SetString(s)
		return nil
	case reflect.Slice:
		if dv.Type().Elem().Kind() == reflect.Uint8 { // json.RawMessage and its like
			dv.SetBytes([]byte(s))
			return nil
		}
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
