package rowcodec

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// TestDocBytes: each example in doc.go is what the code writes. An example that
// is not here fails the test.
func TestDocBytes(t *testing.T) {
	col := func(typ Type, k types.Kind) Column { return Column{Type: typ, SQL: types.Of(k)} }
	text, integer := col(Varchar, types.Text), col(Integer, types.Int4)
	char5 := Column{Type: Char, Width: 5, SQL: types.Of(types.Bpchar).WithLength(5)}
	numeric := func(s string) types.Datum {
		d, _, err := apd.NewFromString(s)
		if err != nil {
			t.Fatal(err)
		}
		return types.NewDecimal(d)
	}
	asc := func(c Column) KeyColumn { return KeyColumn{Column: c} }
	desc := func(c Column) KeyColumn { return KeyColumn{Column: c, Desc: true} }
	key := func(buckets int, cols []KeyColumn, vals ...types.Datum) []byte {
		b, err := (&KeySchema{Columns: cols, Buckets: buckets}).AppendKey(nil, vals)
		if err != nil {
			t.Error(err)
		}
		return b
	}
	value := func(c Column, d types.Datum) []byte {
		b, err := AppendValue(nil, &c, d)
		if err != nil {
			t.Error(err)
		}
		return b
	}
	at := time.Date(2024, 1, 2, 3, 4, 5, 678901000, time.UTC)
	ab, abc, hi := types.NewText("ab"), types.NewText("abc"), types.NewText("hi")
	examples := map[string][]byte{
		"INTEGER 1, VARCHAR 'ab', CHAR(5) '123'":    key(0, []KeyColumn{asc(integer), asc(text), asc(char5)}, types.NewInt(1), ab, types.NewText("123")),
		"VARCHAR 'ab', VARCHAR ''":                  key(0, []KeyColumn{asc(text), asc(text)}, ab, types.NewText("")),
		"VARCHAR '', VARCHAR 'c'":                   key(0, []KeyColumn{asc(text), asc(text)}, types.NewText(""), types.NewText("c")),
		"VARCHAR DESC 'ab', VARCHAR 'c'":            key(0, []KeyColumn{desc(text), asc(text)}, ab, types.NewText("c")),
		"VARCHAR 'ab', VARCHAR DESC ''":             key(0, []KeyColumn{asc(text), desc(text)}, ab, types.NewText("")),
		"VARCHAR 'abc', INTEGER DESC 7":             key(0, []KeyColumn{asc(text), desc(integer)}, abc, types.NewInt(7)),
		"DECIMAL DESC 123.45, INTEGER 1":            key(0, []KeyColumn{desc(col(Decimal, types.Numeric)), asc(integer)}, numeric("123.45"), types.NewInt(1)),
		"VARBINARY_ENCODED 010002, INTEGER 1":       key(0, []KeyColumn{asc(col(VarbinaryEncoded, types.Bytea)), asc(integer)}, types.NewBytes([]byte{1, 0, 2}), types.NewInt(1)),
		"INTEGER 1          SALT_BUCKETS = 4":       key(4, []KeyColumn{asc(integer)}, types.NewInt(1)),
		"VARCHAR 'key_abc'  SALT_BUCKETS = 20":      key(20, []KeyColumn{asc(text)}, types.NewText("key_abc")),
		"BOOLEAN true":                              value(col(Boolean, types.Bool), types.NewBool(true)),
		"SMALLINT -1":                               value(col(SmallInt, types.Int2), types.NewInt(-1)),
		"DOUBLE 1.5":                                value(col(Double, types.Float8), types.NewFloat(1.5)),
		"DOUBLE NaN":                                value(col(Double, types.Float8), types.NewFloat(math.NaN())),
		"DECIMAL -123.45":                           value(col(Decimal, types.Numeric), numeric("-123.45")),
		"DATE 2024-01-02":                           value(col(Date, types.Date), types.NewInt(at.Unix()/86400)),
		"TIMESTAMP 2024-01-02 03:04:05.678901":      value(col(Timestamp, types.Timestamp), types.NewInt(at.UnixMicro())),
		"UUID 00112233-4455-6677-8899-aabbccddeeff": value(Column{Type: Binary, Width: 16, SQL: types.Of(types.UUID)}, types.NewBytes(unhex(t, "00112233445566778899aabbccddeeff"))),
		"VARCHAR ARRAY {a,b}": value(Column{Type: Array, Elem: Varchar, SQL: types.ArrayOf(types.Of(types.Text))},
			types.Datum{Array: &types.ArrayValue{Elems: []types.Datum{types.NewText("a"), types.NewText("b")}}}),
		"TIME_MICROS 03:04:05.678901": value(col(TimeMicros, types.Time), types.NewInt(at.UnixMicro()%microsPerDay)),
		"INTERVAL 1 mon -2 days 00:00:00.000003": value(col(Interval, types.Interval),
			types.Datum{Interval: types.IntervalValue{Months: 1, Days: -2, Micros: 3}}),
		"DECIMAL NaN":   value(col(Decimal, types.Numeric), numeric("NaN")),
		"DECIMAL 1E200": value(col(Decimal, types.Numeric), numeric("1E200")),
		"INTEGER ARRAY {1,NULL}": value(Column{Type: Array, Elem: Integer, SQL: types.ArrayOf(types.Of(types.Int4))},
			types.Datum{Array: &types.ArrayValue{Elems: []types.Datum{types.NewInt(1), types.NullDatum}}}),
	}
	for _, layout := range []Layout{OneCellPerColumn, SingleCellArrayWithOffsets} {
		s := &Schema{Key: *intKey(), Layout: layout, MarkerFamily: "0"}
		s.MarkerQualifier, _ = Qualifier(0, 2)
		for i, c := range []Column{integer, text} {
			q, err := Qualifier(FirstQualifier+i, 2)
			if err != nil {
				t.Fatal(err)
			}
			s.Cells = append(s.Cells, CellColumn{Column: c, Family: "0", Qualifier: q, Ordinal: 1 + i})
		}
		ms, err := NewRowEncoder(s).AppendRow(nil, []types.Datum{types.NewInt(7), hi}, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			examples[fmt.Sprintf("%s : %X", m.Family, m.Qualifier)] = m.Value
		}
	}

	text1, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text1)) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "//\t")
		for name, b := range examples {
			if rest, is := strings.CutPrefix(line, name); ok && is && strings.HasPrefix(rest, " ") {
				found++
				want := fmt.Sprintf("%X", b)
				if got := strings.ReplaceAll(rest, " ", ""); got != want && !strings.HasPrefix(got, want) {
					t.Errorf("doc.go says %q, the code writes %s", line, want)
				}
			}
		}
	}
	if found != len(examples) {
		t.Errorf("doc.go shows %d of %d examples", found, len(examples))
	}
}
