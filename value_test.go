package saltsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

type (
	namedBool   bool
	namedInt    int32
	namedFloat  float64
	namedString string
	namedBytes  []byte
	spoken      int // has a String method
	marshaled   int
	aStruct     struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	valued  struct{ s string }  // a Valuer by value
	pvalued struct{ s string }  // a Valuer by pointer, which takes nil
	wrong   struct{ v any }     // a Valuer that gives no driver.Value
	failing struct{ err error } // a Valuer that fails
)

func (spoken) String() string                  { return "spoken" }
func (marshaled) MarshalJSON() ([]byte, error) { return []byte(`"marshaled"`), nil }
func (v valued) Value() (driver.Value, error)  { return v.s, nil }
func (w wrong) Value() (driver.Value, error)   { return w.v, nil }
func (f failing) Value() (driver.Value, error) { return nil, f.err }
func (v *pvalued) Value() (driver.Value, error) {
	if v == nil {
		return "7", nil
	}
	return v.s, nil
}

func bigFloat(s string) *big.Float {
	f, _, err := big.ParseFloat(s, 10, 200, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return f
}

func ptr[T any](v T) *T { return &v }

var valueColumns = strings.Fields(`boolean smallint integer bigint real double numeric text varchar bytea uuid date timestamp timestamptz jsonb ints texts`)

const (
	integers = "smallint integer bigint "
	numbers  = integers + "real double numeric "
	texts    = "text varchar "
)

// valueCases: a Go value, and as which SQL literal the columns store it. Columns that are
// not named refuse it.
var valueCases = []struct {
	name string
	v    any
	as   map[string]string // columns, in words: literal
}{
	{"nil", nil, map[string]string{"*": "NULL"}},
	{"nil *int", (*int)(nil), map[string]string{"*": "NULL"}},
	{"nil *time.Time", (*time.Time)(nil), map[string]string{"*": "NULL"}},
	{"nil *valued", (*valued)(nil), map[string]string{"*": "NULL"}},
	{"nil *sql.NullString", (*sql.NullString)(nil), map[string]string{"*": "NULL"}},
	{"sql.NullString", sql.NullString{}, map[string]string{"*": "NULL"}},
	{"nil []byte", []byte(nil), map[string]string{"*": "NULL"}},
	{"nil map", map[string]int(nil), map[string]string{"*": "NULL"}},
	{"nil **int", ptr((*int)(nil)), map[string]string{"*": "NULL"}},

	{"bool", true, map[string]string{"boolean": "true", texts + "jsonb": "'true'"}},
	{"named bool", namedBool(true), map[string]string{"boolean": "true", texts + "jsonb": "'true'"}},
	{"1", 1, map[string]string{"boolean": "true", numbers: "1", texts + "jsonb": "'1'"}},
	{"int", -32000, map[string]string{numbers: "-32000", texts + "jsonb": "'-32000'"}},
	{"int8", int8(7), map[string]string{numbers: "7", texts + "jsonb": "'7'"}},
	{"int64", int64(math.MaxInt64), map[string]string{"bigint real double numeric": "9223372036854775807", texts + "jsonb": "'9223372036854775807'"}},
	{"uint64", uint64(math.MaxUint64), map[string]string{"real double numeric": "18446744073709551615", texts + "jsonb": "'18446744073709551615'"}},
	{"named int", namedInt(70000), map[string]string{"integer bigint real double numeric": "70000", texts + "jsonb": "'70000'"}},
	{"**int", ptr(ptr(5)), map[string]string{numbers: "5", texts + "jsonb": "'5'"}},
	{"int with String", spoken(5), map[string]string{numbers: "5", texts + "jsonb": "'5'"}},
	{"int with MarshalJSON", marshaled(5), map[string]string{numbers: "5", texts: "'5'", "jsonb": `'"marshaled"'`}},
	{"duration", 90 * time.Second, map[string]string{"bigint real double numeric": "90000000000", texts + "jsonb": "'90000000000'"}},
	{"date as int", 20240101, map[string]string{"integer bigint real double numeric": "20240101", texts + "jsonb": "'20240101'"}},

	{"float64", 1.5, map[string]string{"real double numeric": "1.5", texts + "jsonb": "'1.5'"}},
	{"whole float64", 1e6, map[string]string{"integer bigint real double numeric": "1000000", texts + "jsonb": "'1000000'"}},
	{"float64 NaN", math.NaN(), map[string]string{"real double numeric": "'NaN'", texts: "'NaN'"}},
	{"float64 Inf", math.Inf(-1), map[string]string{"real double numeric": "'-Infinity'", texts: "'-Infinity'"}},
	{"float32", float32(0.1), map[string]string{"real numeric": "0.1", "double": "0.1::real", texts + "jsonb": "'0.1'"}},
	{"named float", namedFloat(2.5), map[string]string{"real double numeric": "2.5", texts + "jsonb": "'2.5'"}},
	{"*big.Int", big.NewInt(12), map[string]string{numbers: "12", texts + "jsonb": "'12'"}},
	{"*big.Float", bigFloat("12345678901234567890.0123456789"), map[string]string{"real double numeric": "12345678901234567890.0123456789", texts + "jsonb": "'12345678901234567890.0123456789'"}},
	{"*big.Rat", big.NewRat(1, 8), map[string]string{"real double numeric": "0.125", texts + "jsonb": "'0.125'"}},
	{"endless *big.Rat", big.NewRat(1, 3), nil},

	{"string", "x", map[string]string{texts: "'x'", "bytea": "'x'"}},
	{"string 1", "1", map[string]string{"boolean": "true", numbers: "1", texts + "jsonb bytea": "'1'"}},
	{"named string", namedString("2024-02-29"), map[string]string{"date timestamp timestamptz": "'2024-02-29'", texts + "bytea": "'2024-02-29'"}},
	{"string array", "{1,2}", map[string]string{"ints texts": "'{1,2}'", texts + "bytea": "'{1,2}'"}},
	{"[]byte", []byte("\x00\xff"), map[string]string{"bytea": `'\x00ff'`}},
	{"empty []byte", []byte{}, map[string]string{"bytea": "''", texts: "''"}},
	{"named bytes", namedBytes("7"), map[string]string{numbers: "7", "bytea": "'7'", texts + "jsonb": "'7'"}},
	{"json.RawMessage", json.RawMessage(`{"b": [1]}`), map[string]string{"jsonb bytea " + texts: `'{"b": [1]}'`}},
	{"*json.RawMessage", ptr(json.RawMessage(`{"b": "<"}`)), map[string]string{"jsonb bytea " + texts: `'{"b": "<"}'`}},
	{"json.Number", json.Number("12"), map[string]string{numbers: "12", texts + "jsonb bytea": "'12'"}},
	{"[16]byte", [16]byte{1, 15: 2}, map[string]string{"uuid": "'01000000-0000-0000-0000-000000000002'", "bytea": `'\x01000000000000000000000000000002'`, "jsonb": "'[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2]'", "ints texts": "'{1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2}'"}},
	{"[2]byte", [2]byte{1, 2}, map[string]string{"bytea": `'\x0102'`, "jsonb": "'[1,2]'", "ints texts": "'{1,2}'"}},

	{"time", time.Date(2024, 2, 29, 13, 0, 0, 123456789, time.FixedZone("x", 7200)), map[string]string{
		"date": "'2024-02-29'", "timestamp": "'2024-02-29 13:00:00.123456'", "timestamptz": "'2024-02-29 11:00:00.123456+00'",
		texts: "'2024-02-29 13:00:00.123456+02:00'", "jsonb": `'"2024-02-29T13:00:00.123456789+02:00"'`}},
	{"*time.Time", ptr(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)), map[string]string{
		"date timestamp": "'2024-02-29'", "timestamptz": "'2024-02-29 00:00:00+00'", texts: "'2024-02-29 00:00:00+00:00'", "jsonb": `'"2024-02-29T00:00:00Z"'`}},
	{"time BC", time.Date(-43, 3, 15, 1, 0, 0, 0, time.UTC), map[string]string{
		"date": "'0044-03-15 BC'", "timestamp": "'0044-03-15 01:00:00 BC'", "timestamptz": "'0044-03-15 01:00:00+00 BC'", texts: "'0044-03-15 01:00:00+00:00 BC'"}},
	{"far time", time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), map[string]string{
		"date timestamp": "'20000-01-01'", "timestamptz": "'20000-01-01 00:00:00+00'", texts: "'20000-01-01 00:00:00+00:00'"}},
	{"time out of range", time.Date(400000, 1, 1, 0, 0, 0, 0, time.UTC), map[string]string{
		"date": "'400000-01-01'", texts: "'400000-01-01 00:00:00+00:00'"}},
	{"odd zone", time.Date(1800, 1, 1, 0, 0, 0, 0, time.FixedZone("LMT", 1172)), map[string]string{
		"date timestamp": "'1800-01-01'", "timestamptz": "'1799-12-31 23:40:28+00'", texts: "'1800-01-01 00:00:00+00:19:32'", "jsonb": `'"1799-12-31T23:40:28Z"'`}},

	{"[]int", []int{1, 2}, map[string]string{"ints texts": "'{1,2}'", "jsonb": "'[1,2]'"}},
	{"[2]int", [2]int{1, 2}, map[string]string{"ints texts": "'{1,2}'", "jsonb": "'[1,2]'"}},
	{"[]string", []string{"a", `b"c`}, map[string]string{"texts": `'{a,"b\"c"}'`, "jsonb": `'["a","b\"c"]'`}},
	{"[]*string", []*string{ptr("a"), nil}, map[string]string{"texts": `'{a,NULL}'`, "jsonb": `'["a",null]'`}},
	{"empty []int", []int{}, map[string]string{"ints texts": "'{}'", "jsonb": "'[]'"}},
	{"ragged", [][]int{{1}, {2, 3}}, map[string]string{"jsonb": "'[[1],[2,3]]'"}},

	{"Valuer", valued{"12"}, map[string]string{numbers: "12", texts + "jsonb bytea": "'12'"}},
	{"*Valuer", &valued{"12"}, map[string]string{numbers: "12", texts + "jsonb bytea": "'12'"}},
	{"nil Valuer that takes nil", (*pvalued)(nil), map[string]string{numbers: "7", texts + "jsonb bytea": "'7'"}},
	{"wrong Valuer", wrong{aStruct{}}, nil},
	{"failing Valuer", failing{errors.New("no")}, nil},

	{"map", map[string]any{"a": 1, "b": nil}, map[string]string{"jsonb": `'{"a":1,"b":null}'`}},
	{"struct", aStruct{A: 1, B: "<"}, map[string]string{"jsonb": `'{"a":1,"b":"<"}'`}},
	{"*struct", &aStruct{A: 1}, map[string]string{"jsonb": `'{"a":1}'`}},
	{"chan", make(chan int), nil},
	{"func", func() {}, nil},
	{"complex", complex(1, 2), nil},
}

// TestValues stores each Go value in each type of column, natively and through
// database/sql: as the literal says, or refused, and never anything else.
func TestValues(t *testing.T) {
	db, s := openSession(t, SessionOptions{})
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	ctx := context.Background()
	ddl := "CREATE TABLE v (k INT PRIMARY KEY"
	for _, c := range valueColumns {
		typ := map[string]string{"double": "double precision", "ints": "integer[]", "texts": "text[]", "numeric": "numeric", "varchar": "varchar(60)"}[c]
		if typ == "" {
			typ = c
		}
		ddl += fmt.Sprintf(", c_%s %s", c, typ)
	}
	if _, err := s.Exec(ctx, ddl+")"); err != nil {
		t.Fatal(err)
	}
	ways := map[string]func(query string, arg any) error{
		"native": func(q string, arg any) error { _, err := s.Exec(ctx, q, arg); return err },
		"prepared": func(q string, arg any) error {
			st, err := h.Prepare(q)
			if err != nil {
				return err
			}
			defer st.Close()
			_, err = st.Exec(arg)
			return err
		},
		"database/sql": func(q string, arg any) error { _, err := h.Exec(q, arg); return err },
	}
	read := func(query string) string {
		r, err := s.Query(ctx, query)
		if err != nil {
			t.Fatal(query, err)
		}
		defer r.Close()
		if !r.Next() {
			t.Fatal(query, r.Err())
		}
		if r.Null(0) {
			return "NULL"
		}
		return r.Text(0)
	}
	for _, test := range valueCases {
		want := map[string]string{}
		for columns, literal := range test.as {
			for _, c := range valueColumns {
				if columns == "*" || strings.Contains(" "+columns+" ", " "+c+" ") {
					want[c] = literal
				}
			}
		}
		for _, c := range valueColumns {
			expect := ""
			if literal, ok := want[c]; ok {
				if _, err := s.Exec(ctx, fmt.Sprintf("UPSERT INTO v (k, c_%s) VALUES (1, %s)", c, literal)); err != nil {
					t.Fatalf("%s in %s: the literal %s: %v", test.name, c, literal, err)
				}
				expect = read(fmt.Sprintf("SELECT c_%s FROM v", c))
			}
			for way, store := range ways {
				if _, err := s.Exec(ctx, "DELETE FROM v"); err != nil {
					t.Fatal(err)
				}
				err := store(fmt.Sprintf("INSERT INTO v (k, c_%s) VALUES (1, $1)", c), test.v)
				_, ok := want[c]
				switch {
				case err != nil && ok:
					t.Errorf("%s in %s, %s: %v", test.name, c, way, err)
				case err == nil && !ok:
					t.Errorf("%s in %s, %s: stored as %s", test.name, c, way, read(fmt.Sprintf("SELECT c_%s FROM v", c)))
				case err == nil:
					if got := read(fmt.Sprintf("SELECT c_%s FROM v", c)); got != expect {
						t.Errorf("%s in %s, %s: stored as %s, not %s", test.name, c, way, got, expect)
					}
				}
			}
		}
	}
}
