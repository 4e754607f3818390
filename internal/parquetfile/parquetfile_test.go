package parquetfile

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/parquet-go/parquet-go"
)

// TestReadsOthers reads a file that another program wrote.
func TestReadsOthers(t *testing.T) {
	data, err := os.ReadFile("testdata/arrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows := [3][]string{
		{"1", "9223372036854775807", "4294967295", "18446744073709551615", "1.5", "0.1", "true", `a,""b""`, `\x00ff`, "2024-02-29", "23:59:59.000005",
			"2024-02-29 01:02:03.400", "1969-12-31 23:59:59.999999+00", "-0.05", "-1234567890123456789012345678.0123456789",
			`{""1"",NULL,""3""}`, `{""a\"""",""\\"",NULL,""NULL"",""""}`, "red"},
		make([]string, 18),
		{"-128", "-9223372036854775808", "0", "0", "+Inf", "NaN", "false", "", `\x`, "0001-01-01", "00:00:00",
			"1969-12-31 23:59:59.999", "9999-12-31 00:00:00+00", "1234567.89", "0.0000000000", "{}", `{""x""}`, "red"},
	}
	var want strings.Builder
	for n, row := range rows {
		for i, v := range row {
			if i > 0 {
				want.WriteByte(',')
			}
			if n != 1 {
				v = `"` + v + `"`
			}
			want.WriteString(v)
		}
		want.WriteByte('\n')
	}
	if out.String() != want.String() {
		t.Errorf("read\n%swant\n%s", out.String(), want.String())
	}
	if got := strings.Join(r.Columns(), " "); got != "i8 i64 u32 u64 f d b s x day clock ms utc n9 n38 l ls dict" {
		t.Errorf("columns %s", got)
	}
}

// TestRoundTrip writes values of PostgreSQL's binary form and reads them as text.
func TestRoundTrip(t *testing.T) {
	m := pgtype.NewMap()
	numeric := func(p, s int32) int32 { return p<<16 + s + 4 }
	for _, tt := range []struct {
		oid      uint32
		modifier int32
		texts    string // of values, by "; "
		fails    string
	}{
		{pgtype.BoolOID, -1, "true; false", ""},
		{pgtype.Int2OID, -1, "-32768; 32767", ""},
		{pgtype.Int4OID, -1, "-2147483648; 0", ""},
		{pgtype.Int8OID, -1, "-9223372036854775808; 9223372036854775807", ""},
		{pgtype.Float4OID, -1, "0.1; -1e+10", ""},
		{pgtype.Float8OID, -1, "0.1; 1e+300", ""},
		{pgtype.NumericOID, numeric(4, 2), "-99.99; 0.05; 0.00", ""},
		{pgtype.NumericOID, numeric(18, 0), "-999999999999999999; 10", ""},
		{pgtype.NumericOID, numeric(38, 4), "-9999999999999999999999999999999999.9999; 1.0000", ""},
		{pgtype.NumericOID, numeric(4, 2), "100", "more than 4 digits"},
		{pgtype.NumericOID, numeric(4, 2), "0.001", "more than 2 digits after the point"},
		{pgtype.NumericOID, numeric(4, 2), "NaN", "no NaN"},
		{pgtype.DateOID, -1, "2024-02-29; 1969-12-31; 9999-12-31", ""},
		{pgtype.DateOID, -1, "infinity", "infinity"},
		{pgtype.TimeOID, -1, "23:59:59.999999; 00:00:00", ""},
		{pgtype.TimestampOID, -1, "2024-02-29 12:00:00.000001; 1899-12-31 23:59:59", ""},
		{pgtype.TimestampOID, -1, "-infinity", "infinity"},
		{pgtype.TimestamptzOID, -1, "2024-02-29 12:00:00.500000+00", ""},
		{pgtype.ByteaOID, -1, `\x00ff`, ""},
		{pgtype.TextOID, -1, "é; a b", ""},
		{pgtype.JSONBOID, -1, `{"a": 1}`, ""},
		{pgtype.UUIDOID, -1, "00112233-4455-6677-8899-aabbccddeeff", ""},
		{pgtype.Int4ArrayOID, -1, "{1,NULL,3}; {}", ""},
		{pgtype.NumericArrayOID, numeric(9, 1), "{1.5,NULL}", ""},
		{pgtype.TextArrayOID, -1, `{"a\"b",NULL,""}`, ""},
	} {
		cols := []Column{{"before", pgtype.Int4OID, -1}, {"a value", tt.oid, tt.modifier}}
		formats := Formats(cols)
		var file bytes.Buffer
		w, err := NewWriter(&file, "t", cols)
		if err != nil {
			t.Fatal(err)
		}
		one := binary.BigEndian.AppendUint32(nil, 1)
		var texts []string
		for text := range strings.SplitSeq(tt.texts, "; ") {
			var v any
			value := []byte(text)
			if formats[1] == pgtype.BinaryFormatCode {
				if err := m.Scan(tt.oid, pgtype.TextFormatCode, value, &v); err != nil {
					t.Fatal(text, err)
				}
				switch {
				case tt.oid == pgtype.JSONBOID:
					v = text
				case v == pgtype.Infinity:
					v = pgtype.Date{InfinityModifier: pgtype.Infinity, Valid: true}
				case v == pgtype.NegativeInfinity:
					v = pgtype.Timestamp{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
				}
				if value, err = m.Encode(tt.oid, pgtype.BinaryFormatCode, v, nil); err != nil {
					t.Fatal(text, err)
				}
			}
			if err = w.Row([][]byte{one, value}); err != nil {
				break
			}
			texts = append(texts, text)
		}
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) || !strings.Contains(err.Error(), `column "a value"`) {
				t.Errorf("%s: %v", tt.texts, err)
			}
			continue
		}
		if err == nil {
			err = w.Row([][]byte{nil, nil})
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(tt.texts, err)
		}
		r, err := NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(tt.texts, err)
		}
		var out strings.Builder
		if err := r.WriteCSV(&out); err != nil {
			t.Fatal(tt.texts, err)
		}
		var want strings.Builder
		for _, text := range texts {
			if tt.oid == pgtype.UUIDOID {
				text = strings.ReplaceAll(text, "-", "")
			}
			if strings.HasPrefix(text, "{") && tt.oid != pgtype.JSONBOID {
				text = quoteElements(text)
			}
			want.WriteString(`"1","` + strings.ReplaceAll(text, `"`, `""`) + "\"\n")
		}
		want.WriteString(",\n")
		if out.String() != want.String() {
			t.Errorf("%d: read\n%swant\n%s", tt.oid, out.String(), want.String())
		}
	}
}

// quoteElements puts quotes around the elements of an array that have none.
func quoteElements(text string) string {
	parts := strings.Split(strings.Trim(text, "{}"), ",")
	for i, p := range parts {
		if p != "" && p != "NULL" && p[0] != '"' {
			parts[i] = `"` + p + `"`
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// TestColumnOrder holds that a file's columns stand in the table's order.
func TestColumnOrder(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file, "t", []Column{{"z", pgtype.TextOID, -1}, {"a", pgtype.Int4OID, -1}, {"m", pgtype.BoolOID, -1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Schema().Columns() {
		names = append(names, c[0])
	}
	if strings.Join(names, " ") != "z a m" {
		t.Errorf("columns %v", names)
	}
	if _, err := NewWriter(&file, "t", []Column{{"a", pgtype.TextOID, -1}, {"a", pgtype.Int4OID, -1}}); err == nil {
		t.Error("two columns of a name are written")
	}
}

// TestBrokenArrays: what is no array of one dimension is refused.
func TestBrokenArrays(t *testing.T) {
	w, err := NewWriter(&bytes.Buffer{}, "t", []Column{{"a", pgtype.Int4ArrayOID, -1}})
	if err != nil {
		t.Fatal(err)
	}
	one := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 7, 255, 255, 255, 255}
	if err := w.Row([][]byte{one}); err != nil {
		t.Error(err)
	}
	for n := range len(one) {
		if err := w.Row([][]byte{one[:n]}); err == nil {
			t.Errorf("the first %d bytes are taken", n)
		}
	}
	two := bytes.Clone(one)
	two[3] = 2
	if err := w.Row([][]byte{two}); err == nil || !strings.Contains(err.Error(), "several dimensions") {
		t.Error(err)
	}
}
