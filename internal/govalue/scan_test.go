package govalue

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/types"
)

type (
	point struct{ X, Y int }
	named int16
	text8 string
)

func typeOf(t *testing.T, name string) types.T {
	t.Helper()
	base, array := strings.CutSuffix(name, "[]")
	typ, err := types.FromName(base, nil, array)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func ptr[T any](v T) *T { return &v }

// TestScan stores values of each type in each kind of destination; want is what %v prints of
// it, or a part of the error after "!".
func TestScan(t *testing.T) {
	env := &types.IOEnv{TimeZone: time.UTC}
	uuid := "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
	for _, c := range []struct {
		typ, text string // NULL is NULL
		dest      any
		want      string
	}{
		{"int4", "7", new(int), "7"}, {"int8", "7", new(int64), "7"}, {"int8", "300", new(int8), `! "300" into int8`}, {"int8", "-1", new(uint), "!into uint"},
		{"int2", "7", new(named), "7"}, {"int4", "7", new(string), "7"}, {"int4", "7", new(text8), "7"}, {"int4", "7", new(float32), "7"}, {"int4", "7", new(bool), "!into bool"},
		{"int4", "7", new(any), "7"}, {"int4", "7", new(*int), "7"}, {"int4", "NULL", new(*int), "<nil>"}, {"int4", "NULL", new(int), "!cannot scan NULL into *int"},
		{"int4", "NULL", new(any), "<nil>"}, {"int4", "NULL", new(sql.Null[int]), "{0 false}"}, {"int4", "7", new(sql.Null[int]), "{7 true}"}, {"int4", "7", new(**int), "7"},
		{"int8", "9223372036854775807", new(big.Int), "9223372036854775807"}, {"int8", "9007199254740993", new(float64), "9.007199254740992e+15"},
		{"numeric", "12.50", new(string), "12.50"}, {"numeric", "12.50", new(big.Rat), "25/2"}, {"numeric", "12.50", new(float64), "12.5"}, {"numeric", "12", new(int), "12"},
		{"numeric", "12.5", new(int), "!into int"}, {"numeric", "NaN", new(big.Rat), "!into big.Rat"}, {"numeric", "123456789012345678901234567890", new(big.Int), "123456789012345678901234567890"},
		{"numeric", "0.1", new(big.Float), "0.1"}, {"text", "1/3", new(big.Rat), "!into big.Rat"},
		{"float4", "1.1", new(float32), "1.1"}, {"float4", "1.1", new(string), "1.1"}, {"float8", "1e300", new(float32), "!into float32"}, {"float8", "NaN", new(float64), "NaN"},
		{"bool", "t", new(bool), "true"}, {"bool", "t", new(string), "true"}, {"bool", "t", new(int), "!into int"}, {"text", "yes", new(bool), "!into bool"},
		{"text", "a", new([]byte), "[97]"}, {"bytea", `\x0001`, new([]byte), "[0 1]"}, {"bytea", `\x0001`, new([2]byte), "[0 1]"}, {"bytea", `\x0001`, new([3]byte), "!into [3]uint8"},
		{"uuid", uuid, new(string), uuid}, {"uuid", uuid, new([16]byte), "[160 238 188 153 156 11 78 248 187 109 107 185 189 56 10 17]"},
		{"text", "NULL", new([]byte), "[]"}, {"text", "NULL", new(*string), "<nil>"}, {"text", "10.0.0.1", new(netip.Addr), "10.0.0.1"}, {"text", "nowhere", new(netip.Addr), "!into netip.Addr"},
		{"timestamptz", "2024-01-02 03:04:05+00", new(time.Time), "2024-01-02 03:04:05 +0000 UTC"}, {"date", "2024-01-02", new(time.Time), "2024-01-02 00:00:00 +0000 UTC"},
		{"timestamp", "infinity", new(time.Time), "!into time.Time"}, {"text", "2024-01-02", new(time.Time), "!into time.Time"}, {"date", "2024-01-02", new(string), "2024-01-02T00:00:00Z"},
		{"interval", "1 day 02:00:00", new(time.Duration), "26h0m0s"}, {"interval", "1 mon", new(time.Duration), "!into time.Duration"}, {"int8", "1000", new(time.Duration), "1µs"},
		{"interval", "200000000 days", new(time.Duration), "!into time.Duration"}, {"interval", "1 mon", new(string), "1 mon"},
		{"int4[]", "{1,2,3}", new([]int), "[1 2 3]"}, {"int4[]", "{}", new([]int), "[]"}, {"int4[]", "NULL", new([]int), "[]"}, {"int4[]", "{{1,2},{3,4}}", new([][]int64), "[[1 2] [3 4]]"},
		{"int4[]", "{{1,2},{3,4}}", new([]int), "!an array of 2 dimensions"}, {"int4[]", "{1,NULL}", new([]int), "!cannot scan NULL into *int"}, {"int4[]", "{1,NULL}", new([]*int), "ptr"},
		{"text[]", `{a,"b c"}`, new([]string), "[a b c]"}, {"text[]", "{a}", new([]any), "[a]"}, {"int4[]", "{1}", new(string), "{1}"}, {"int4", "1", new([]int), "!into []int"},
		{"jsonb", `{"x":1,"y":2}`, new(point), "{1 2}"}, {"json", `[1,2]`, new([]int), "[1 2]"}, {"jsonb", `{"a":1}`, new(map[string]int), "map[a:1]"}, {"jsonb", "NULL", new(map[string]int), "map[]"},
		{"jsonb", `{"x":1}`, new(json.RawMessage), `[123 34 120 34 58 32 49 125]`}, {"jsonb", `"a"`, new(string), `"a"`}, {"jsonb", `{"x":"no"}`, new(point), "!into govalue.point"}, {"jsonb", "5", new(int), "5"},
		{"jsonb", `"2024-01-02T03:04:05Z"`, new(time.Time), "2024-01-02 03:04:05 +0000 UTC"}, {"text", "x", new(point), "!into govalue.point"}, {"text", "x", new(chan int), "!into chan int"},
		{"int4", "1", 5, "!not a pointer"}, {"int4", "1", (*int)(nil), "!not a pointer"}, {"int4", "1", nil, "!not a pointer"},
	} {
		typ := typeOf(t, c.typ)
		d := types.NullDatum
		if c.text != "NULL" {
			var err error
			if d, err = types.ParseString(typ, c.text, env); err != nil {
				t.Fatal(c.text, err)
			}
		}
		err := Scan(c.dest, d, typ, env)
		what := fmt.Sprintf("%s %q into %T", c.typ, c.text, c.dest)
		if want, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got := shown(reflect.ValueOf(c.dest).Elem())
		if c.want != "ptr" && got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

// shown is %v of what pointers lead to.
func shown(v reflect.Value) string {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "<nil>"
		}
		v = v.Elem()
	}
	if s, ok := v.Addr().Interface().(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%v", v.Interface())
}

// TestThereAndBack gives values to a type and takes them back.
func TestThereAndBack(t *testing.T) {
	env := &types.IOEnv{TimeZone: time.UTC}
	at := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	for _, c := range []struct {
		typ string
		v   any
	}{
		{"int2", int16(-5)}, {"int4", int32(1 << 30)}, {"int8", int64(-1 << 63)}, {"int8", uint32(1 << 31)}, {"float8", 1e-300}, {"float4", float32(3.25)}, {"bool", true},
		{"text", "aä€"}, {"varchar", text8("x")}, {"bytea", []byte{0, 255}}, {"uuid", [16]byte{1, 2, 15: 9}}, {"timestamptz", at}, {"timestamp", at}, {"date", at.Truncate(24 * time.Hour)},
		{"interval", 90 * time.Minute}, {"interval", -time.Microsecond}, {"int4[]", []int{1, -2}}, {"text[]", []string{"", "NULL", `"`, "a,b"}}, {"int8[]", [][]int64{{1, 2}, {3, 4}}}, {"int4[]", []*int{nil, ptr(5)}},
		{"jsonb", point{1, -2}}, {"jsonb", map[string]any{"a": []any{1.5, "x", nil}}}, {"numeric", "12345678901234567890.123"}, {"text", ptr("p")}, {"bytea[]", [][]byte{{1}, {}}},
	} {
		typ := typeOf(t, c.typ)
		d, err := ToDatum(c.v, typ, env)
		if err != nil {
			t.Errorf("%T as %s: %v", c.v, c.typ, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(c.v))
		if err := Scan(back.Interface(), d, typ, env); err != nil {
			t.Errorf("%T as %s: %v", c.v, c.typ, err)
			continue
		}
		if got := back.Elem().Interface(); !reflect.DeepEqual(got, c.v) {
			t.Errorf("%T as %s: %v became %v", c.v, c.typ, c.v, got)
		}
	}
}
