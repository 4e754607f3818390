package rowcodec

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/catalog/rowcodec/keyhash"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// TestPhoenixVectors checks every line of testdata/phoenix.txt. A line that no
// case understands fails the test.
func TestPhoenixVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/phoenix.txt")
	if err != nil {
		t.Fatal(err)
	}
	checked, previous := 0, ""
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		t.Run(fmt.Sprintf("line %d", n+1), func(t *testing.T) {
			if rest, ok := strings.CutPrefix(line, "  DESC"); ok { // of the value above
				f := strings.Fields(previous)
				line = f[0] + " " + f[1] + " DESC" + rest
			}
			checkVector(t, line)
		})
		checked++
		previous = line
	}
	if checked != 120 {
		t.Errorf("checked %d vectors, the file has 120", checked)
	}
}

func checkVector(t *testing.T, line string) {
	switch first, _, _ := strings.Cut(line, " "); {
	case strings.HasPrefix(line, "PK("):
		checkKeyVector(t, line)
	case first == "salt" || first == "edge" || first == "desc" || first == "composite" || strings.HasPrefix(line, "N=256"):
		checkSaltVector(t, line)
	case first == "cq":
		checkQualifierVector(t, line)
	case first == "SINGLE_CELL":
		checkPackedVector(t, line)
	case first == "VARBINARY_ENCODED":
		checkEscapedVector(t, line)
	case strings.Contains(line, " ARRAY "):
		checkArrayVector(t, line)
	default:
		checkValueVector(t, line)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return b
}

// cutHex splits a line at the run of blanks before its hex.
func cutHex(t *testing.T, line string) (string, []byte) {
	t.Helper()
	i := strings.LastIndex(line, "  ")
	if i < 0 {
		m := regexp.MustCompile(`^(.*[^ ]) ((?:[0-9A-F]{2} ?)+)$`).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no hex in %q", line)
		}
		return m[1], unhex(t, m[2])
	}
	return strings.TrimSpace(line[:i]), unhex(t, line[i:])
}

var vectorTypes = map[string]types.T{
	"INTEGER": types.Of(types.Int4), "BIGINT": types.Of(types.Int8), "SMALLINT": types.Of(types.Int2),
	"TINYINT": types.Of(types.Int2), "FLOAT": types.Of(types.Float4), "DOUBLE": types.Of(types.Float8),
	"UNSIGNED_FLOAT": types.Of(types.Float4), "UNSIGNED_DOUBLE": types.Of(types.Float8),
	"DECIMAL": types.Of(types.Numeric), "UNSIGNED_LONG": types.Of(types.Int8),
	"DATE": types.Of(types.Timestamp), "TIMESTAMP": types.Of(types.Timestamp),
	"VARCHAR": types.Of(types.Text), "CHAR": types.Of(types.Bpchar),
}

func vectorColumn(t *testing.T, name string) Column {
	t.Helper()
	width := 0
	if i := strings.IndexByte(name, '('); i >= 0 {
		width, _ = strconv.Atoi(strings.Trim(name[i:], "()"))
		name = name[:i]
	}
	typ, ok := ParseType(name)
	sql, ok2 := vectorTypes[name]
	if !ok || !ok2 {
		t.Fatalf("unknown type %q", name)
	}
	return Column{Type: typ, Width: width, SQL: sql}
}

func vectorDatum(t *testing.T, c *Column, text string) types.Datum {
	t.Helper()
	if text == "NULL" {
		return types.NullDatum
	}
	switch c.SQL.Phys() {
	case types.PhysFloat:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return types.NewFloat(f)
	case types.PhysDecimal:
		d, _, err := apd.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		return types.NewDecimal(d)
	case types.PhysBytes:
		return types.NewText(strings.Trim(text, "'"))
	}
	if c.Type == Date || c.Type == Timestamp {
		for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
			if at, err := time.Parse(layout, text); err == nil {
				return types.NewInt(at.UnixMicro())
			}
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return types.NewInt(n)
}

func checkValueVector(t *testing.T, line string) {
	head, want := cutHex(t, line)
	f := strings.Fields(head)
	desc := f[len(f)-1] == "DESC"
	c := vectorColumn(t, f[0])
	d := vectorDatum(t, &c, f[1])

	v := vec.New(c.SQL)
	v.Resize(1)
	s := &KeySchema{Columns: []KeyColumn{{Column: c, Name: "k", Desc: desc}}}
	r := newKeyReader(s, 0, new(arena))
	if err := r.read(want, 0, v); err != nil {
		t.Fatalf("decode: %v", err)
	}
	if got := v.Datum(0); compareSQL(c.SQL, got, d) != 0 {
		t.Errorf("decoded %v, want %v", got, d)
	}
	switch {
	case f[1] == "-0.0": // one encoding for both zeros: Phoenix's of 0.0
		if c.Type == Float {
			want = appendUint(nil, uint64(sortableFloat32(0)), 4)
			if b := sortableFloat32(math.Float32bits(float32(math.Copysign(0, -1)))); b != 1<<31 {
				t.Errorf("Phoenix's -0.0 is %X", b)
			}
		} else {
			want = appendUint(nil, sortableFloat64(0), 8)
			if b := sortableFloat64(math.Float64bits(math.Copysign(0, -1))); b != 1<<63 {
				t.Errorf("Phoenix's -0.0 is %X", b)
			}
		}
	case c.Type == Timestamp: // microseconds are kept, nanoseconds are not
		want = append(bytes.Clone(want[:8]), 0x00, 0x0D, 0xBF, 0x88) // 901000 of 901234
	}
	got, err := appendPart(nil, &s.Columns[0], d)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoded %X (%v), want %X", got, err, want)
	}
}

var keyVectorColumn = regexp.MustCompile(`^(?:([A-Z]+(?:\(\d+\))?) ?)?(DESC )?(NULL|'[^']*'|[-0-9.]+)$`)

func checkKeyVector(t *testing.T, line string) {
	head, want := cutHex(t, line)
	end := strings.LastIndexByte(head, ')')
	inner := head[len("PK("):end]
	var s KeySchema
	var vals []types.Datum
	for i, col := range strings.Split(inner, ", ") {
		m := keyVectorColumn.FindStringSubmatch(col)
		if m == nil {
			t.Fatalf("column %q not understood", col)
		}
		typ := strings.TrimSpace(m[1])
		if typ == "" || typ == "NULL" {
			typ = "VARCHAR"
		}
		c := KeyColumn{Column: vectorColumn(t, typ), Name: fmt.Sprintf("k%d", i), Desc: m[2] != ""}
		c.Nullable = strings.Contains(inner, "NULL") && i > 0 || m[3] == "NULL"
		s.Columns = append(s.Columns, c)
		vals = append(vals, vectorDatum(t, &c.Column, m[3]))
	}
	checkKeyRoundTrip(t, &s, vals, want)
}

func checkKeyRoundTrip(t *testing.T, s *KeySchema, vals []types.Datum, want []byte) {
	t.Helper()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	got, err := s.AppendKey(nil, vals)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoded %X (%v), want %X", got, err, want)
	}
	back, err := s.DecodeKey(want)
	if err != nil {
		t.Fatal(err)
	}
	for i := range vals {
		if back[i].Null != vals[i].Null || (!vals[i].Null && compareSQL(s.Columns[i].SQL, back[i], vals[i]) != 0) {
			t.Errorf("column %d: decoded %v, want %v", i, back[i], vals[i])
		}
	}
}

func textKey(desc bool) *KeySchema {
	return &KeySchema{Columns: []KeyColumn{{Column: Column{Type: Varchar, SQL: types.Of(types.Text)}, Name: "k", Desc: desc}}}
}

func intKey() *KeySchema {
	return &KeySchema{Columns: []KeyColumn{{Column: Column{Type: Integer, SQL: types.Of(types.Int4)}, Name: "k"}}}
}

func checkSaltVector(t *testing.T, line string) {
	num := func(s string) int {
		n, err := strconv.Atoi(strings.Trim(s, ":,"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	f := strings.Fields(line)
	switch {
	case strings.HasPrefix(line, "salt varchar"):
		m := regexp.MustCompile(`^salt varchar '(.*)' N=(\d+): (\d+)  key (.*)  h=(-?\d+)$`).FindStringSubmatch(line)
		s := textKey(false)
		s.Buckets = num(m[2])
		checkKeyRoundTrip(t, s, []types.Datum{types.NewText(m[1])}, unhex(t, m[4]))
		if h := keyhash.Phoenix31([]byte(m[1])); int(h) != num(m[5]) || keyhash.Bucket(h, s.Buckets) != num(m[3]) {
			t.Errorf("hash %d", h)
		}
	case strings.HasPrefix(line, "salt int"):
		m := regexp.MustCompile(`^salt int (\d+) N=4 (\d+) N=10 (\d+) h (-?\d+) (.*)$`).FindStringSubmatch(line)
		s := intKey()
		s.Buckets = 4
		key := unhex(t, m[5])
		checkKeyRoundTrip(t, s, []types.Datum{types.NewInt(int64(num(m[1])))}, key)
		h := keyhash.Phoenix31(key[1:])
		if int(h) != num(m[4]) || keyhash.Bucket(h, 4) != num(m[2]) || keyhash.Bucket(h, 10) != num(m[3]) {
			t.Errorf("hash %d", h)
		}
	case f[0] == "edge":
		h := keyhash.Phoenix31([]byte{0x96, 0x00, 0xF6, 0x00, 0x13, 0xFE})
		if int(h) != num(f[2]) || keyhash.Bucket(h, 3) != num(f[3]) {
			t.Errorf("hash %d, bucket %d", h, keyhash.Bucket(h, 3))
		}
	case f[0] == "desc":
		s := textKey(true)
		s.Buckets = 4
		key := unhex(t, strings.Join(f[3:7], ""))
		checkKeyRoundTrip(t, s, []types.Datum{types.NewText("ab")}, key)
		if h := keyhash.Phoenix31(key[1:]); int(h) != num(f[7]) {
			t.Errorf("hash %d", h)
		}
	case f[0] == "composite":
		s := intKey()
		s.Buckets = 4
		s.Columns = append(s.Columns, textKey(false).Columns[0],
			KeyColumn{Column: Column{Type: Char, Width: 3, SQL: types.Of(types.Bpchar).WithLength(3)}, Name: "c"})
		_, hexText, _ := strings.Cut(line, "N=4 ")
		checkKeyRoundTrip(t, s, []types.Datum{types.NewInt(1), types.NewText("ab"), types.NewText("123")}, unhex(t, hexText))
	default: // N=256: the buckets of the texts k0, k1, …
		s := textKey(false)
		s.Buckets = 256
		list := line[strings.IndexByte(line, '[')+1 : len(line)-1]
		for i, want := range strings.Split(list, ", ") {
			b, err := s.BucketOfValues([]types.Datum{types.NewText(fmt.Sprintf("k%d", i))})
			if err != nil || b != num(want) {
				t.Errorf("k%d: bucket %d (%v), want %s", i, b, err, want)
			}
		}
	}
}

func checkQualifierVector(t *testing.T, line string) {
	m := regexp.MustCompile(`^cq (\d+) 1B (.*) 2B (.*) 3B (.*) 4B (.*)$`).FindStringSubmatch(line)
	n, _ := strconv.Atoi(m[1])
	for size := 1; size <= 4; size++ {
		got, err := Qualifier(n, size)
		if m[size+1] == "-" {
			if err == nil {
				t.Errorf("%d in %d bytes: %X", n, size, got)
			}
			continue
		}
		if want := unhex(t, m[size+1]); err != nil || !bytes.Equal(got, want) {
			// Whatever the size, the marker's qualifier has four bytes.
			t.Errorf("%d in %d bytes: %X (%v), want %X", n, size, got, err, want)
		}
		if back, err := ParseQualifier(got, size); err != nil || back != n {
			t.Errorf("%X parses as %d (%v)", got, back, err)
		}
	}
}

func checkEscapedVector(t *testing.T, line string) {
	m := regexp.MustCompile(`^VARBINARY_ENCODED (.*) (ASC|DESC) then INTEGER 1 +(.*)$`).FindStringSubmatch(line)
	s := intKey()
	s.Columns = append([]KeyColumn{{Column: Column{Type: VarbinaryEncoded, SQL: types.Of(types.Bytea)},
		Name: "b", Desc: m[2] == "DESC"}}, s.Columns...)
	checkKeyRoundTrip(t, s, []types.Datum{types.NewBytes(unhex(t, m[1])), types.NewInt(1)}, unhex(t, m[3]))
}

func checkArrayVector(t *testing.T, line string) {
	head, want := cutHex(t, line)
	f := strings.SplitN(head, " ", 3)
	el := vectorColumn(t, f[0])
	c := Column{Type: Array, Elem: el.Type, SQL: types.ArrayOf(el.SQL)}
	a := &types.ArrayValue{Elem: el.SQL}
	for _, e := range strings.Split(strings.Trim(f[2], "[]"), ",") {
		a.Elems = append(a.Elems, vectorDatum(t, &el, strings.ReplaceAll(e, "null", "NULL")))
	}
	a.Dims = []int32{int32(len(a.Elems))}
	got, err := AppendValue(nil, &c, types.Datum{Array: a})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoded %X (%v), want %X", got, err, want)
	}
	d := NewValueDecoder("t", &CellColumn{Column: c, Name: "a"})
	v := vec.New(c.SQL)
	v.Resize(1)
	if err := d.Decode(want, 0, v); err != nil {
		t.Fatal(err)
	}
	if got := formatDatum(v.Datum(0)); got != formatDatum(types.Datum{Array: a}) {
		t.Errorf("decoded %s", got)
	}
}

func checkPackedVector(t *testing.T, line string) {
	head, want := cutHex(t, line)
	s := &Schema{Key: *intKey(), Layout: SingleCellArrayWithOffsets, MarkerFamily: "0", MarkerQualifier: make([]byte, 4),
		Cells: []CellColumn{
			{Column: Column{Type: Integer, SQL: types.Of(types.Int4)}, Name: "c1", Family: "0", Ordinal: 1},
			{Column: Column{Type: Varchar, SQL: types.Of(types.Text)}, Name: "c2", Family: "0", Ordinal: 2},
		}}
	seven, hi := types.NewInt(7), types.NewText("hi")
	cases := map[string][]types.Datum{
		"SINGLE_CELL c1=INTEGER 7(q11), c2='hi'(q12)": {seven, hi},
		"SINGLE_CELL c1 absent, c2='hi'":              {types.NullDatum, hi},
		"SINGLE_CELL c1=7, c2 NULL":                   {seven, types.NullDatum},
		"SINGLE_CELL only c1 of 2 set at write":       {seven, types.NullDatum},
	}
	vals, ok := cases[head]
	if !ok {
		t.Fatalf("vector %q not understood", head)
	}
	// Phoenix writes an explicit NULL as an element of no bytes: only tables
	// that Phoenix wrote have it.
	s.Key.Adopted = head == "SINGLE_CELL c1=7, c2 NULL"
	if !s.Key.Adopted {
		ms, err := NewRowEncoder(s).AppendRow(nil, vals, 1000, false)
		if err != nil || len(ms) != 2 || !bytes.Equal(ms[1].Value, want) {
			t.Errorf("encoded %v (%v), want %X", ms, err, want)
		}
	}
	key, err := s.Key.AppendKey(nil, []types.Datum{types.NewInt(1)})
	if err != nil {
		t.Fatal(err)
	}
	var rows storage.RowBatch
	rows.StartRow(key)
	rows.AddCell("0", make([]byte, 4), 1000, []byte("x"))
	rows.AddCell("0", []byte("1"), 1000, want)
	out := []*vec.Vec{vec.New(s.Cells[0].SQL), vec.New(s.Cells[1].SQL)}
	if err := NewRowDecoder(s, nil, []int{0, 1}).DecodeBatch(&rows, 0, 1, out); err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if got := formatDatum(v.Datum(0)); got != formatDatum(vals[i]) {
			t.Errorf("column %d: %s", i, got)
		}
	}
}
