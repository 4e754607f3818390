package rowcodec

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// compareRows orders two keys as SQL does; NULLs come first, as in adopted tables.
func compareRows(s *KeySchema, a, b []types.Datum) int {
	for i := range s.Columns {
		c := &s.Columns[i]
		if a[i].Null || b[i].Null {
			if d := b2i(b[i].Null) - b2i(a[i].Null); d != 0 {
				return d
			}
			continue
		}
		d := compareSQL(c.SQL, a[i], b[i])
		if c.Desc {
			d = -d
		}
		if d != 0 {
			return d
		}
	}
	return 0
}

// TestKeyOrder: the bytes of keys sort as their values do, equal values have equal
// bytes, and keys decode to what was encoded.
func TestKeyOrder(t *testing.T) {
	r := newRand(t)
	for range rounds(1500) {
		s := randomKeySchema(r)
		if r.IntN(4) == 0 {
			adopt(r, s)
		} else if r.IntN(3) == 0 {
			index(r, s)
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		type row struct {
			vals []types.Datum
			key  []byte
		}
		var all []row
		for range 30 {
			vals := randomRow(r, s)
			key, err := s.AppendKey([]byte("p"), vals)
			if err != nil {
				if c := sqlerr.CodeOf(err); c == sqlerr.CheckViolation || (c == sqlerr.NotNullViolation && s.Adopted) {
					continue // the empty key; NULL of fixed width before a value
				}
				if c := sqlerr.CodeOf(err); c == sqlerr.NumericValueOutOfRange && strings.Contains(formatSchema(s), "DECIMAL") {
					continue // exponents beyond what is stored
				}
				t.Fatalf("%s:%s: %v", formatSchema(s), formatRow(vals), err)
			}
			key = key[1:]
			all = append(all, row{vals, key})
			back, err := s.DecodeKey(key)
			if err != nil {
				t.Fatalf("%s:%s: %X: %v", formatSchema(s), formatRow(vals), key, err)
			}
			for i := range back {
				if back[i].Null != vals[i].Null || (!back[i].Null && compareSQL(s.Columns[i].SQL, back[i], vals[i]) != 0) {
					t.Fatalf("%s:%s: %X: decoded%s", formatSchema(s), formatRow(vals), key, formatRow(back))
				}
			}
			b, err := s.BucketOf(s.LogicalKey(key))
			if want := s.KeyBucket(key); err != nil || b != want {
				t.Fatalf("%s: %X: bucket %d (%v), want %d", formatSchema(s), key, b, err, want)
			}
			if b, err := s.BucketOfValues(vals); err != nil || b != s.KeyBucket(key) {
				t.Fatalf("%s: %X: bucket %d (%v)", formatSchema(s), key, b, err)
			}
		}
		for _, a := range all {
			for _, b := range all {
				want := compareRows(s, a.vals, b.vals)
				if got := s.CompareLogical(a.key, b.key); got != want {
					t.Fatalf("%s:%s ? %s: %X ? %X is %d, want %d", formatSchema(s), formatRow(a.vals), formatRow(b.vals), a.key, b.key, got, want)
				}
				if want == 0 && !bytes.Equal(a.key, b.key) {
					t.Fatalf("%s: equal keys in two buckets: %X, %X", formatSchema(s), a.key, b.key)
				}
			}
		}
	}
}

func TestKeyErrors(t *testing.T) {
	text := Column{Type: Varchar, SQL: types.Of(types.Text)}
	key := func(cs ...Column) *KeySchema {
		s := &KeySchema{Table: "t"}
		for _, c := range cs {
			s.Columns = append(s.Columns, KeyColumn{Column: c, Name: "c"})
		}
		return s
	}
	big, _, _ := apd.NewFromString("123456789012345678901234567890123456789")
	nan := &apd.Decimal{Form: apd.NaN}
	tests := []struct {
		name string
		s    *KeySchema
		v    types.Datum
		code sqlerr.Code
		msg  string
	}{
		{"null", key(text), types.NullDatum, sqlerr.NotNullViolation, `null value in column "c" of relation "t" violates not-null constraint`},
		{"empty", key(text), types.NewText(""), sqlerr.CheckViolation, "the row key cannot be empty"},
		{"long", key(text), types.NewText(strings.Repeat("x", 5000)), sqlerr.ProgramLimitExceeded, "row key of 5000 bytes exceeds the limit of 4096 bytes"},
		{"zero byte", key(text), types.NewText("a\x00"), sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`},
		{"not utf-8", key(text), types.NewText("a\xFFb"), sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0xff`},
		{"varchar(2)", key(Column{Type: Varchar, SQL: types.Of(types.Varchar).WithLength(2)}), types.NewText("ééé"), sqlerr.StringDataRightTruncation, "value too long for type character varying(2)"},
		{"char", key(Column{Type: Char, Width: 3, SQL: types.Of(types.Bpchar)}), types.NewText("é"), sqlerr.CharacterNotInRepertoire, "type character stores single-byte characters only"},
		{"char control", key(Column{Type: Char, Width: 3, SQL: types.Of(types.Bpchar)}), types.NewText("a\t"), sqlerr.CharacterNotInRepertoire, "a key column of type character cannot hold the control character 0x09"},
		{"char long", key(Column{Type: Char, Width: 3, SQL: types.Of(types.Bpchar)}), types.NewText("abcd"), sqlerr.StringDataRightTruncation, "value too long for type character(3)"},
		{"tinyint", key(Column{Type: TinyInt, SQL: types.Of(types.Int2)}), types.NewInt(128), sqlerr.NumericValueOutOfRange, "tinyint out of range"},
		{"smallint", key(Column{Type: SmallInt, SQL: types.Of(types.Int2)}), types.NewInt(-32769), sqlerr.NumericValueOutOfRange, "smallint out of range"},
		{"integer", key(Column{Type: Integer, SQL: types.Of(types.Int4)}), types.NewInt(1 << 31), sqlerr.NumericValueOutOfRange, "integer out of range"},
		{"unsigned", key(Column{Type: UnsignedInt, SQL: types.Of(types.Int4)}), types.NewInt(-1), sqlerr.NumericValueOutOfRange, "UNSIGNED_INT out of range"},
		{"unsigned half", key(Column{Type: UnsignedTinyInt, SQL: types.Of(types.Int2)}), types.NewInt(128), sqlerr.NumericValueOutOfRange, "UNSIGNED_TINYINT out of range"},
		{"real", key(Column{Type: Float, SQL: types.Of(types.Float4)}), types.NewFloat(1e39), sqlerr.NumericValueOutOfRange, "real out of range"},
		{"numeric digits", key(Column{Type: Decimal, SQL: types.Of(types.Numeric), Phoenix: true}), types.NewDecimal(big), sqlerr.NumericValueOutOfRange, "value overflows numeric format"},
		{"numeric NaN", key(Column{Type: Decimal, SQL: types.Of(types.Numeric), Phoenix: true}), types.NewDecimal(nan), sqlerr.NumericValueOutOfRange, "cannot store NaN in a numeric column of a table of Phoenix"},
		{"numeric exponent", key(Column{Type: Decimal, SQL: types.Of(types.Numeric), Phoenix: true}), types.NewDecimal(apd.New(1, 124)), sqlerr.NumericValueOutOfRange, "value overflows numeric format"},
		{"binary", key(Column{Type: Binary, Width: 2, SQL: types.Of(types.Bytea)}), types.NewBytes([]byte("abc")), sqlerr.StringDataRightTruncation, "value too long for type binary(2)"},
		{"date", key(Column{Type: Date, SQL: types.Of(types.Date)}), types.NewInt(math.MaxInt64 / 2), sqlerr.DatetimeFieldOverflow, "date out of range"},
	}
	for _, tt := range tests {
		for _, buckets := range []int{0, 4} {
			if tt.name == "empty" && buckets > 0 {
				continue // the salt byte is the key then
			}
			s := *tt.s
			s.Buckets = buckets
			msg := tt.msg
			if buckets > 0 {
				msg = strings.Replace(msg, "5000", "5001", 1)
			}
			got, err := s.AppendKey([]byte("x"), []types.Datum{tt.v})
			e := sqlerr.As(err)
			if e == nil || e.Code != tt.code || e.Message != msg {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if e.Table != "t" || (e.Column != "c" && tt.code != sqlerr.ProgramLimitExceeded) {
				t.Errorf("%s: table %q, column %q", tt.name, e.Table, e.Column)
			}
			if string(got) != "x" {
				t.Errorf("%s: dst became %q", tt.name, got)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	text := KeyColumn{Column: Column{Type: Varchar, SQL: types.Of(types.Text)}, Name: "a"}
	bytea := KeyColumn{Column: Column{Type: Varbinary, SQL: types.Of(types.Bytea)}, Name: "b"}
	desc := bytea
	desc.Desc = true
	json := KeyColumn{Column: Column{Type: Varchar, SQL: types.Of(types.JSONB)}, Name: "j"}
	tests := []struct {
		s    KeySchema
		code string
	}{
		{KeySchema{}, "42P16"},
		{KeySchema{Columns: []KeyColumn{text}}, ""},
		{KeySchema{Columns: []KeyColumn{text, bytea}}, ""},
		{KeySchema{Columns: []KeyColumn{bytea, text}}, "0A000"},
		{KeySchema{Columns: []KeyColumn{desc}}, "0A000"},
		{KeySchema{Columns: []KeyColumn{json}}, "0A000"},
		{KeySchema{Columns: []KeyColumn{{Column: Column{Type: Integer, SQL: types.Of(types.Text)}}}}, "42P16"},
		{KeySchema{Columns: []KeyColumn{text}, Buckets: 257}, "22023"},
		{KeySchema{Columns: []KeyColumn{text}, Buckets: -1}, "22023"},
		{KeySchema{Columns: []KeyColumn{text}, Buckets: 256, SaltColumns: []int{1}}, "22023"},
		{KeySchema{Columns: []KeyColumn{text, bytea}, Buckets: 256, SaltColumns: []int{1, 1}}, "22023"},
		{KeySchema{Columns: []KeyColumn{text, bytea}, Buckets: 256, SaltColumns: []int{1, 0}, Hash: "phoenix31"}, ""},
		{KeySchema{Columns: []KeyColumn{text}, Buckets: 4, Hash: "md5"}, "22023"},
	}
	for i, tt := range tests {
		got := ""
		if err := tt.s.Validate(); err != nil {
			got = sqlerr.CodeOf(err).String()
		}
		if got != tt.code {
			t.Errorf("case %d: %q, want %q", i, got, tt.code)
		}
	}
}

func TestSplitKeys(t *testing.T) {
	user := [][]byte{[]byte("m"), {}, []byte("c"), []byte("m")}
	tests := []struct {
		buckets int
		user    [][]byte
		want    []string
	}{
		{0, nil, nil},
		{0, user, []string{"c", "m"}},
		{1, nil, nil},
		{3, nil, []string{"\x01", "\x02"}},
		{2, user, []string{"\x00c", "\x00m", "\x01", "\x01c", "\x01m"}},
	}
	for _, tt := range tests {
		var got []string
		for _, k := range SplitKeys(tt.buckets, tt.user) {
			got = append(got, string(k))
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%d buckets: %q, want %q", tt.buckets, got, tt.want)
		}
	}
	if n := len(SplitKeys(256, nil)); n != 255 {
		t.Errorf("256 buckets have %d split points", n)
	}
}
