package rowcodec

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// TestCorrupt: bytes that are no value are XX001 and name table and column.
func TestCorrupt(t *testing.T) {
	s := metrics(OneCellPerColumn)
	packed := metrics(SingleCellArrayWithOffsets)
	good, err := s.Key.AppendKey(nil, metricsKey(1))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		s      *Schema
		key    []byte
		cell   int // -1: the packed cell
		value  []byte
		code   string
		column string
	}{
		{"no salt", s, nil, 0, nil, "XX001", ""},
		{"short key", s, good[:8], 0, nil, "XX001", "ts"},
		{"long key", s, append(bytes.Clone(good), 1), 0, nil, "XX001", "ts"},
		{"double of 7 bytes", s, good, 0, make([]byte, 7), "XX001", "c0"},
		{"empty bigint", s, good, 1, nil, "XX001", "c1"},
		{"decimal", s, good, 2, []byte{0xC1, 0xFF}, "XX001", "c2"},
		{"empty decimal", s, good, 2, nil, "XX001", "c2"},
		{"packed", packed, good, -1, []byte("x"), "XX001", "0"},
		{"packed count", packed, good, -1, []byte("x\x00\x00\x00\x00\x01\x7F\xFF\xFF\xFF\x03"), "XX001", "0"},
		{"packed, old version", packed, good, -1, []byte("x\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x02"), "0A000", ""},
	}
	for _, tt := range tests {
		var rows storage.RowBatch
		rows.StartRow(tt.key)
		q := packedQualifier
		if tt.cell >= 0 {
			q = tt.s.Cells[tt.cell].Qualifier
		}
		rows.AddCell("0", q, 0, tt.value)
		d := NewRowDecoder(tt.s, []int{0, 1}, []int{0, 1, 2, 3})
		err := d.DecodeBatch(&rows, 0, 1, vec.NewBatch(d.Types()).Cols)
		e := sqlerr.As(err)
		if e == nil || e.SQLState() != tt.code || e.Table != "metrics" || e.Column != tt.column {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
}

func TestArrayErrors(t *testing.T) {
	one := types.NewInt(1)
	ints := CellColumn{Name: "a", Column: Column{Type: Array, Elem: Integer, SQL: types.ArrayOf(types.Of(types.Int4)), Phoenix: true}}
	tests := []struct {
		a    *types.ArrayValue
		code string
	}{
		{&types.ArrayValue{Elems: []types.Datum{one, types.NullDatum}}, "22004"},
		{&types.ArrayValue{Dims: []int32{1, 1}, Elems: []types.Datum{one}}, "0A000"},
		{&types.ArrayValue{Dims: []int32{1}, Low: -1, Elems: []types.Datum{one}}, "0A000"},
		{&types.ArrayValue{Elems: []types.Datum{types.NewInt(1 << 40)}}, "22003"},
	}
	s := &Schema{Key: *intKey(), Cells: []CellColumn{ints}}
	s.Key.Table = "t"
	for _, tt := range tests {
		_, err := NewRowEncoder(s).AppendRow(nil, []types.Datum{{Array: tt.a}}, 0, false)
		e := sqlerr.As(err)
		if e == nil || e.SQLState() != tt.code || e.Column != "a" || e.Table != "t" {
			t.Errorf("%+v: %+v", tt.a, e)
		}
	}
	d := NewValueDecoder("t", &ints)
	d.Reset()
	v := vec.New(ints.SQL)
	v.Resize(1)
	if err := d.Decode(make([]byte, 6), 0, v); sqlerr.CodeOf(err) != sqlerr.DataCorrupted {
		t.Errorf("6 bytes of integers: %v", err)
	}
}

// TestEmptyAndNull: the empty string is a cell of no bytes, NULL is none.
func TestEmptyAndNull(t *testing.T) {
	for _, layout := range []Layout{OneCellPerColumn, SingleCellArrayWithOffsets} {
		s := metrics(layout)
		s.Cells = append(s.Cells[3:4:4], CellColumn{Column: s.Cells[3].Column, Family: "0", Qualifier: []byte{0x80, 0xFF}, Ordinal: 9})
		enc := NewRowEncoder(s)
		ms, err := enc.AppendRow(nil, []types.Datum{types.NewText(""), types.NullDatum}, 0, true)
		if err != nil || len(ms) != 3 {
			t.Fatalf("%v (%v)", ms, err)
		}
		row := memRow{}
		row.apply(ms)
		var rows storage.RowBatch
		rows.StartRow([]byte{0, 'h', 0})
		for _, c := range row {
			rows.AddCell(c.Family, c.Qualifier, c.Timestamp, c.Value)
		}
		d := NewRowDecoder(s, nil, []int{0, 1})
		b := vec.NewBatch(d.Types())
		if err := d.DecodeBatch(&rows, 0, 1, b.Cols); err != nil {
			t.Fatal(err)
		}
		if b.Cols[0].Null(0) || len(b.Cols[0].Bytes[0]) != 0 || !b.Cols[1].Null(0) {
			t.Errorf("layout %d: %v, %v", layout, b.Cols[0].Datum(0), b.Cols[1].Datum(0))
		}
		if layout == SingleCellArrayWithOffsets {
			if cols := enc.PackedCells([]int{1}); len(cols) != 1 || cols[0].Family != "0" {
				t.Errorf("packed cells %v", cols)
			}
			// Setting all to NULL takes the packed cell away.
			ms, err := enc.AppendPackedUpdate(nil, func(string) []byte { return row[cellName("0", packedQualifier)].Value },
				[]int{0}, []types.Datum{types.NullDatum}, 0)
			if err != nil || len(ms) != 2 || ms[1].Op != storage.DeleteCell {
				t.Errorf("%v (%v)", ms, err)
			}
			if _, err := enc.AppendUpdate(nil, []int{0}, []types.Datum{types.NullDatum}, 0); sqlerr.CodeOf(err) != sqlerr.FeatureNotSupported {
				t.Errorf("blind update of a packed row: %v", err)
			}
		}
	}
}

// TestLongBounds: bounds longer than any key stay usable for a store and lose no row.
func TestLongBounds(t *testing.T) {
	s := textKey(false)
	s.Buckets = 4
	longest := strings.Repeat("x", MaxKeyBytes-1)
	key, err := s.AppendKey(nil, []types.Datum{types.NewText(longest)})
	if err != nil {
		t.Fatal(err)
	}
	bound := types.NewText(longest + "yz")
	for _, r := range []Range{{Hi: &bound}, {Lo: &bound}, {Lo: &bound, Hi: &bound, LoIncl: true, HiIncl: true}} {
		set, err := s.Spans([]Conj{{Columns: [][]Range{{r}}}}, SpanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range set.Buckets {
			for _, sp := range b.Spans {
				if len(sp.Start) > MaxKeyBytes || len(sp.End) > MaxKeyBytes+1 {
					t.Errorf("bounds of %d and %d bytes", len(sp.Start), len(sp.End))
				}
			}
		}
		if n := set.find(key, s.KeyBucket(key)); r.Lo == nil && n != 1 || set.Exact && r.Lo != nil && n > 0 {
			t.Errorf("the longest key found %d times; exact %v", n, set.Exact)
		}
	}
}

// TestManyTuples: bounds that would expand without end are loosened, not lost.
func TestManyTuples(t *testing.T) {
	s := &KeySchema{}
	tb := TupleBound{Op: ">"}
	for i := range 5 {
		s.Columns = append(s.Columns, KeyColumn{Column: intKey().Columns[0].Column, Name: "k"})
		tb.Columns = append(tb.Columns, i)
		tb.Values = append(tb.Values, types.NewInt(5))
	}
	c := Conj{}
	for range 10 {
		c.Tuples = append(c.Tuples, tb)
	}
	set, err := s.Spans([]Conj{c}, SpanOptions{})
	if err != nil || set.Exact || len(set.Buckets) != 1 {
		t.Fatalf("%s (%v)", s.Describe(set), err)
	}
	row := []types.Datum{types.NewInt(5), types.NewInt(5), types.NewInt(5), types.NewInt(5), types.NewInt(6)}
	key, err := s.AppendKey(nil, row)
	if err != nil || set.find(key, -1) != 1 {
		t.Errorf("a row was lost (%v)", err)
	}
	for _, bad := range []TupleBound{{Op: "=", Columns: []int{0}, Values: row[:1]}, {Op: "<", Columns: []int{0}}, {Op: "<", Columns: []int{9}, Values: row[:1]}} {
		if _, err := s.Spans([]Conj{{Tuples: []TupleBound{bad}}}, SpanOptions{}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestBucketsTouched(t *testing.T) {
	s := intKey()
	s.Buckets = 4
	var list []Range
	for i := range int64(3) {
		d := types.NewInt(i * 4)
		list = append(list, Range{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true})
	}
	set, err := s.Spans([]Conj{{Columns: [][]Range{list}}}, SpanOptions{})
	if err != nil || s.BucketsTouched(set) != 1 || len(set.Points) != 3 {
		t.Errorf("%s (%v)", s.Describe(set), err)
	}
	set, err = s.Spans([]Conj{{}}, SpanOptions{})
	if err != nil || s.BucketsTouched(set) != 4 {
		t.Errorf("%s (%v)", s.Describe(set), err)
	}
}

func TestLogicalPrefix(t *testing.T) {
	s := &metrics(OneCellPerColumn).Key
	got, err := s.AppendLogicalPrefix(nil, []types.Datum{types.NewText("m")})
	if err != nil || string(got) != "m" {
		t.Errorf("%X (%v)", got, err)
	}
	if _, err := s.AppendLogicalPrefix(nil, make([]types.Datum, 3)); err == nil {
		t.Error("three values for a key of two columns")
	}
	if _, err := s.AppendKey(nil, metricsKey(1)[:1]); err == nil {
		t.Error("one value for a key of two columns")
	}
}

// TestNumericPlaces: the neighbours of numbers with too many digits or exponents.
func TestNumericPlaces(t *testing.T) {
	c := Column{Type: Decimal, SQL: types.Of(types.Numeric)}
	nines := strings.Repeat("9", 40)
	tests := []struct {
		text string
		w    bound.Where
		hex  string
	}{
		{"0", bound.Exactly, "80"},
		{nines, bound.Above, "D4" + strings.Repeat("64", 19)},
		{"-" + nines, bound.Above, "2A6466"}, // -1E40
		{"1E200", bound.Beyond, ""},
		{"-1E200", bound.Beneath, ""},
		{"1E-200", bound.Above, "80"},
		{"-1E-200", bound.Above, "7F6466"},
		{"Infinity", bound.Beyond, ""},
		{"-Infinity", bound.Beneath, ""},
		{"NaN", bound.Beyond, ""},
	}
	for _, tt := range tests {
		d, _, err := apd.NewFromString(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		p := c.locate(types.NewDecimal(d), true)
		if p.Where != tt.w || (tt.hex != "" && !bytes.Equal(p.Hi, unhex(t, tt.hex))) {
			t.Errorf("%s: %d %X", tt.text, p.Where, p.Hi)
		}
	}
}
