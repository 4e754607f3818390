package govalue

import (
	"database/sql"
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/internal/types"
)

// Scan stores a value where dest points to: an sql.Scanner takes what FromDatum gives, and
// otherwise the kind of the destination's type counts.
//
//	bool, integers, floats, string   what can be read as such without loss
//	[]byte                           a bytea's bytes, else a text
//	time.Time                        date, timestamp, timestamptz
//	time.Duration                    an interval without months; its days have 24 hours
//	big.Int, big.Float, big.Rat      a number with all its digits
//	[n]byte                          a uuid, or a bytea of that length
//	slices                           arrays, of as many dimensions
//	encoding.TextUnmarshaler         the text
//	all others                       json and jsonb, by encoding/json
//	any                              what FromDatum gives
//
// NULL needs a pointer to a pointer, to a slice, to a map of json, or to an any; it makes
// them nil.
func Scan(dest any, d types.Datum, t types.T, env *types.IOEnv) error {
	dv := reflect.ValueOf(dest)
	if dv.Kind() != reflect.Pointer || dv.IsNil() {
		return fmt.Errorf("saltsql: Scan destination is a %T, not a pointer to something", dest)
	}
	switch p := dest.(type) {
	case sql.Scanner:
		return p.Scan(FromDatum(d, t, env))
	case *any:
		*p = FromDatum(d, t, env)
		return nil
	case *string:
		if !d.Null {
			*p = text(d, t, env)
			return nil
		}
	case *int64:
		if !d.Null && isInteger(t) {
			*p = d.Int
			return nil
		}
	case *[]byte:
		switch {
		case d.Null:
			*p = nil
		case t.Kind == types.Bytea:
			*p = append([]byte{}, d.Bytes...)
		default:
			*p = []byte(text(d, t, env))
		}
		return nil
	}
	return scanInto(dv.Elem(), d, t, env)
}

func scanInto(dv reflect.Value, d types.Datum, t types.T, env *types.IOEnv) error {
	if d.Null {
		switch dv.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Interface:
			dv.SetZero()
			return nil
		case reflect.Map:
			if isJSON(t) {
				dv.SetZero()
				return nil
			}
		}
		return fmt.Errorf("saltsql: cannot scan NULL into %s: use a pointer to it or sql.Null", reflect.PointerTo(dv.Type()))
	}
	if dv.Kind() == reflect.Pointer {
		dv.Set(reflect.New(dv.Type().Elem()))
		return Scan(dv.Interface(), d, t, env)
	}
	if done, err := scanKnown(dv, d, t, env); done || err != nil {
		return err
	}
	if isJSON(t) && jsonOnly(dv) {
		if err := json.Unmarshal(d.Bytes, dv.Addr().Interface()); err != nil {
			return cannot(d, t, dv, env, err)
		}
		return nil
	}
	return scanKind(dv, d, t, env)
}

// scanKnown stores in a type that is known by its name.
func scanKnown(dv reflect.Value, d types.Datum, t types.T, env *types.IOEnv) (done bool, err error) {
	switch p := dv.Addr().Interface().(type) {
	case *time.Time:
		if isJSON(t) {
			return false, nil
		}
		v, ok := FromDatum(d, t, env).(time.Time)
		if !ok {
			return true, cannot(d, t, dv, env, nil)
		}
		*p = v
		return true, nil
	case *time.Duration:
		if t.Kind != types.Interval {
			return false, nil
		}
		v := d.Interval
		const day = int64(24 * time.Hour / time.Microsecond)
		micros := v.Micros + int64(v.Days)*day
		if v.Months != 0 || micros > 1<<63/1000-1 || micros < -(1<<63/1000-1) || v.Micros > 1<<62 || v.Micros < -1<<62 {
			return true, cannot(d, t, dv, env, nil)
		}
		*p = time.Duration(micros) * time.Microsecond
		return true, nil
	case *big.Int:
		if _, ok := p.SetString(text(d, t, env), 10); !ok {
			return true, cannot(d, t, dv, env, nil)
		}
		return true, nil
	case *big.Rat:
		if !isNumber(t) {
			return true, cannot(d, t, dv, env, nil)
		}
		if _, ok := p.SetString(text(d, t, env)); !ok {
			return true, cannot(d, t, dv, env, nil)
		}
		return true, nil
	case *big.Float:
		if !isNumber(t) {
			return true, cannot(d, t, dv, env, nil)
		}
		s := text(d, t, env)
		f, _, err := big.ParseFloat(s, 10, max(64, uint(4*len(s))), big.ToNearestEven)
		if err != nil {
			return true, cannot(d, t, dv, env, err)
		}
		p.Set(f)
		return true, nil
	case encoding.TextUnmarshaler:
		if isJSON(t) {
			if _, ok := p.(json.Unmarshaler); ok {
				return false, nil
			}
		}
		if err := p.UnmarshalText([]byte(text(d, t, env))); err != nil {
			return true, cannot(d, t, dv, env, err)
		}
		return true, nil
	}
	return false, nil
}

// jsonOnly says that nothing but encoding/json can fill a destination: text is for the
// kinds of text, and numbers and truth values are read as PostgreSQL prints them.
func jsonOnly(dv reflect.Value) bool {
	if _, ok := dv.Addr().Interface().(json.Unmarshaler); ok {
		return !(dv.Kind() == reflect.Slice && dv.Type().Elem().Kind() == reflect.Uint8) // json.RawMessage
	}
	switch dv.Kind() {
	case reflect.Struct, reflect.Map, reflect.Interface:
		return true
	case reflect.Slice, reflect.Array:
		return dv.Type().Elem().Kind() != reflect.Uint8
	}
	return false
}

// scanKind stores by the kind of the destination's type, as database/sql does.
func scanKind(dv reflect.Value, d types.Datum, t types.T, env *types.IOEnv) error {
	var err error
	switch dv.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := d.Int
		if !isInteger(t) {
			n, err = strconv.ParseInt(text(d, t, env), 10, 64)
		}
		if err == nil && dv.OverflowInt(n) {
			err = strconv.ErrRange
		}
		if err == nil {
			dv.SetInt(n)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var n uint64
		if n, err = strconv.ParseUint(text(d, t, env), 10, dv.Type().Bits()); err == nil {
			dv.SetUint(n)
			return nil
		}
	case reflect.Float32, reflect.Float64:
		f := d.Float
		if t.Phys() != types.PhysFloat {
			f, err = strconv.ParseFloat(text(d, t, env), dv.Type().Bits())
		}
		if err == nil && dv.OverflowFloat(f) {
			err = strconv.ErrRange
		}
		if err == nil {
			dv.SetFloat(f)
			return nil
		}
	case reflect.Bool:
		var b bool
		if b, err = strconv.ParseBool(text(d, t, env)); err == nil {
			dv.SetBool(b)
			return nil
		}
	case reflect.String:
		dv.SetString(text(d, t, env))
		return nil
	case reflect.Interface:
		if v := reflect.ValueOf(FromDatum(d, t, env)); v.Type().AssignableTo(dv.Type()) {
			dv.Set(v)
			return nil
		}
	case reflect.Slice:
		switch {
		case dv.Type().Elem().Kind() == reflect.Uint8 && t.Kind == types.Bytea:
			dv.SetBytes(append([]byte{}, d.Bytes...))
			return nil
		case dv.Type().Elem().Kind() == reflect.Uint8:
			dv.SetBytes([]byte(text(d, t, env)))
			return nil
		case t.Kind == types.Array:
			return scanArray(dv, d.Array, 0, 0, len(d.Array.Elems), env)
		}
	case reflect.Array:
		if dv.Type().Elem().Kind() == reflect.Uint8 && (t.Kind == types.UUID || t.Kind == types.Bytea) && dv.Len() == len(d.Bytes) {
			reflect.Copy(dv, reflect.ValueOf(d.Bytes))
			return nil
		}
	}
	return cannot(d, t, dv, env, err)
}

// scanArray stores elements from to to, which are those of dimension depth, in a slice.
func scanArray(dv reflect.Value, a *types.ArrayValue, depth, from, to int, env *types.IOEnv) error {
	if len(a.Elems) == 0 {
		dv.Set(reflect.MakeSlice(dv.Type(), 0, 0))
		return nil
	}
	n := int(a.Dims[depth])
	out := reflect.MakeSlice(dv.Type(), n, n)
	each := (to - from) / n
	for i := range n {
		e := out.Index(i)
		if depth+1 == len(a.Dims) {
			if err := Scan(e.Addr().Interface(), a.Elems[from+i], a.Elem, env); err != nil {
				return err
			}
			continue
		}
		if e.Kind() != reflect.Slice {
			return fmt.Errorf("saltsql: cannot scan an array of %d dimensions into %s", len(a.Dims), dv.Type())
		}
		if err := scanArray(e, a, depth+1, from+i*each, from+(i+1)*each, env); err != nil {
			return err
		}
	}
	dv.Set(out)
	return nil
}

func cannot(d types.Datum, t types.T, dv reflect.Value, env *types.IOEnv, cause error) error {
	s := text(d, t, env)
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	if cause == nil {
		return fmt.Errorf("saltsql: cannot scan the %s %q into %s", t, s, dv.Type())
	}
	return fmt.Errorf("saltsql: cannot scan the %s %q into %s: %w", t, s, dv.Type(), cause)
}

func isNumber(t types.T) bool {
	return isInteger(t) || t.Kind == types.Numeric || t.Kind == types.Float4 || t.Kind == types.Float8 || t.Kind == types.OID
}

// text prints a value as database/sql prints what FromDatum gives.
func text(d types.Datum, t types.T, env *types.IOEnv) string {
	switch x := FromDatum(d, t, env).(type) {
	case string:
		return x
	case []byte:
		return string(x)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case float64:
		bits := 64
		if t.Kind == types.Float4 {
			bits = 32
		}
		return strconv.FormatFloat(x, 'g', -1, bits)
	case int64:
		return strconv.FormatInt(x, 10)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}
