package rowcodec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// memRow is a row as a store would hold it.
type memRow map[string]storage.Cell

func cellName(family string, qualifier []byte) string { return family + "\x00" + string(qualifier) }

func (m memRow) apply(ms []storage.Mutation) {
	for _, mu := range ms {
		name := cellName(mu.Family, mu.Qualifier)
		switch mu.Op {
		case storage.SetCell:
			m[name] = storage.Cell{Family: mu.Family, Qualifier: bytes.Clone(mu.Qualifier), Timestamp: mu.Timestamp, Value: bytes.Clone(mu.Value)}
		case storage.DeleteCell:
			delete(m, name)
		case storage.DeleteRow:
			clear(m)
		}
	}
}

// addTo appends the row to a batch, families in any order, older versions behind newer ones.
func (m memRow) addTo(r *rand.Rand, rows *storage.RowBatch, key []byte) {
	rows.StartRow(key)
	var cells []storage.Cell
	for _, c := range m {
		cells = append(cells, c)
	}
	r.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	for _, c := range cells {
		rows.AddCell(c.Family, c.Qualifier, c.Timestamp, c.Value)
		if r.IntN(5) == 0 {
			rows.AddCell(c.Family, c.Qualifier, c.Timestamp-1000, []byte("old and no value"))
		}
	}
}

func randomSchema(r *rand.Rand) *Schema {
	s := &Schema{Key: *randomKeySchema(r), Layout: Layout(r.IntN(2)), MarkerFamily: "0", MarkerQualifier: make([]byte, 4)}
	next := map[string]int{}
	number := FirstQualifier
	for i := range r.IntN(12) {
		c, _ := randomColumn(r, true)
		if r.IntN(8) == 0 {
			c = Column{Type: Interval, SQL: types.Of(types.Interval)}
		}
		if r.IntN(4) == 0 && c.Type != VarbinaryEncoded {
			c = Column{Type: Array, Elem: c.Type, Width: c.Width, SQL: types.ArrayOf(c.SQL)}
		}
		family := pick(r, "0", "0", "a", "b")
		next[family] += 1 + r.IntN(2)
		number++
		q, err := Qualifier(number, 2)
		if err != nil {
			panic(err)
		}
		s.Cells = append(s.Cells, CellColumn{Column: c, Name: fmt.Sprintf("c%d", i), Family: family, Qualifier: q, Ordinal: next[family]})
	}
	return s
}

func randomCell(r *rand.Rand, c *CellColumn) types.Datum {
	if r.IntN(3) == 0 {
		return types.NullDatum
	}
	if c.Type != Array {
		return randomValue(r, &c.Column)
	}
	el := c.elem()
	a := &types.ArrayValue{Elem: el.SQL}
	for range pick(r, 0, 1, 2, 5, 300) {
		if (el.FixedWidth() == 0 || mayBeWide(&el)) && r.IntN(2) == 0 {
			for range pick(r, 1, 2, 254, 255, 256, 600) {
				a.Elems = append(a.Elems, types.NullDatum)
			}
		}
		a.Elems = append(a.Elems, randomValue(r, &el))
	}
	if (el.FixedWidth() == 0 || mayBeWide(&el)) && r.IntN(3) == 0 {
		a.Elems = append(a.Elems, types.NullDatum)
	}
	if n := len(a.Elems); n > 0 {
		a.Dims = []int32{int32(n)}
		if mayBeWide(&el) && r.IntN(2) == 0 {
			a.Low = int32(pick(r, 0, -1, 4))
			for k := pick(r, 1, 2, 5); k > 1; k-- {
				a.Dims = append(a.Dims, 1)
			}
			if last := len(a.Dims) - 1; last > 0 && n%2 == 0 {
				a.Dims[0], a.Dims[last] = int32(n/2), 2
			}
		}
	}
	return types.Datum{Array: a}
}

func sameValue(t types.T, a, b types.Datum) bool {
	if a.Null || b.Null {
		return a.Null == b.Null
	}
	if t.Kind != types.Array {
		return compareSQL(t, a, b) == 0
	}
	if len(a.Array.Elems) != len(b.Array.Elems) || a.Array.Low != b.Array.Low || !slices.Equal(a.Array.Dims, b.Array.Dims) {
		return false
	}
	for i := range a.Array.Elems {
		if !sameValue(t.ElemType(), a.Array.Elems[i], b.Array.Elems[i]) {
			return false
		}
	}
	return true
}

// TestRows writes rows, changes parts of them and reads any columns of them back, in
// both layouts.
func TestRows(t *testing.T) {
	r := newRand(t)
	for range rounds(150) {
		s := randomSchema(r)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		enc := NewRowEncoder(s)
		var rows storage.RowBatch
		var want [][]types.Datum
		for range 1 + r.IntN(20) {
			key := randomRow(r, &s.Key)
			k, err := s.Key.AppendKey(nil, key)
			if err != nil {
				continue
			}
			vals := make([]types.Datum, len(s.Cells))
			for i := range vals {
				vals[i] = randomCell(r, &s.Cells[i])
			}
			row := memRow{"junk": {Family: "zz", Qualifier: []byte("junk"), Value: []byte("?")}}
			replace := r.IntN(2) == 0
			ms, err := enc.AppendRow(nil, vals, 5000, replace)
			if err != nil {
				if sqlerr.CodeOf(err) != sqlerr.NumericValueOutOfRange {
					t.Fatal(err)
				}
				continue
			}
			if _, ok := row["junk"]; !ok || (ms[0].Op == storage.DeleteRow) != replace {
				t.Fatal("DeleteRow")
			}
			row.apply(ms)
			if len(vals) > 0 && r.IntN(2) == 0 {
				cols := r.Perm(len(vals))[:r.IntN(len(vals)+1)]
				set := make([]types.Datum, len(cols))
				for i, c := range cols {
					set[i] = randomCell(r, &s.Cells[c])
				}
				if s.Layout == OneCellPerColumn {
					ms, err = enc.AppendUpdate(nil, cols, set, 6000)
				} else {
					ms, err = enc.AppendPackedUpdate(nil, func(f string) []byte { return row[cellName(f, packedQualifier)].Value }, cols, set, 6000)
				}
				if err == nil {
					row.apply(ms)
					for i, c := range cols {
						vals[c] = set[i]
					}
				} else if sqlerr.CodeOf(err) != sqlerr.NumericValueOutOfRange {
					t.Fatal(err)
				}
			}
			if m, _ := s.Marker(); string(row[cellName(m.Family, m.Qualifier)].Value) != "x" {
				t.Fatal("a row without its marker")
			}
			enc.Reset()
			row.addTo(r, &rows, k)
			want = append(want, append(key, vals...))
		}
		for range 3 {
			wantKey := r.Perm(len(s.Key.Columns))[:r.IntN(len(s.Key.Columns)+1)]
			wantCells := r.Perm(len(s.Cells))[:r.IntN(len(s.Cells)+1)]
			d := NewRowDecoder(s, wantKey, wantCells)
			cols, keysOnly := d.Project()
			if keysOnly != (len(wantCells) == 0) || cols[0].Family != "0" {
				t.Fatalf("projection %v, keys only %v", cols, keysOnly)
			}
			lo := r.IntN(rows.Len() + 1)
			batches := []*storage.RowBatch{&rows}
			if !keysOnly {
				batches = append(batches, inColumns(&rows, cols), inColumns(&rows, cols[1:]))
			}
			for _, in := range batches {
				b := vec.NewBatch(d.Types())
				if err := d.DecodeBatch(in, lo, in.Len(), b.Cols); err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				checkRows(t, s, b, wantKey, wantCells, want[lo:])
				sel := r.Perm(in.Len())
				d.Reset()
				for _, v := range b.Cols {
					v.Resize(len(sel))
				}
				for slot, row := range sel {
					if err := d.DecodeRow(in, row, slot, b.Cols); err != nil {
						t.Fatalf("%+v: %v", s, err)
					}
				}
				picked := make([][]types.Datum, len(sel))
				for i, row := range sel {
					picked[i] = want[row]
				}
				checkRows(t, s, b, wantKey, wantCells, picked)
				if in.Columns() > 0 {
					checkParts(t, r, d, wantKey, wantCells, in)
				}
			}
		}
	}
}

// checkParts decodes some rows of a batch in parts, and compares with all at once.
func checkParts(t *testing.T, r *rand.Rand, d *RowDecoder, wantKey, wantCells []int, in *storage.RowBatch) {
	t.Helper()
	b, whole := vec.NewBatch(d.Types()), vec.NewBatch(d.Types())
	if err := d.DecodeBatch(in, 0, in.Len(), whole.Cols); err != nil {
		t.Fatal(err)
	}
	var sel []uint16
	for i := range in.Len() {
		if r.IntN(3) > 0 {
			sel = append(sel, uint16(i))
		}
	}
	slots := r.Perm(len(d.Types()))
	at := r.IntN(len(slots) + 1)
	d2 := NewRowDecoder(d.schema, wantKey, wantCells)
	d2.Reset()
	for _, part := range [][]int{slots[:at], slots[at:]} {
		p, ok := d2.Part(part)
		if !ok {
			return
		}
		if err := d2.DecodePart(in, &p, sel, b.Cols); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range sel {
		for k, ty := range d.Types() {
			if got, w := b.Cols[k].Datum(int(i)), whole.Cols[k].Datum(int(i)); !sameValue(ty, got, w) {
				t.Fatalf("column %d of row %d: %s in parts, %s at once", k, i, formatDatum(got), formatDatum(w))
			}
		}
	}
}

// inColumns gives the rows of a batch of cells as one of columns.
func inColumns(rows *storage.RowBatch, cols []storage.Col) *storage.RowBatch {
	b := new(storage.RowBatch)
	b.StartColumns(len(cols))
	for i := range rows.Len() {
		refs := b.AddValues(rows.Key(i))
		for k, c := range cols {
			refs[k] = storage.Absent
			if v, ok := rows.Value(i, c.Family, c.Qualifier); ok {
				lo := b.AddBytes(v)
				refs[k] = storage.ValueRef{Lo: lo, Hi: lo + uint32(len(v))}
			}
		}
	}
	return b
}

// checkRows compares decoded rows with what was written.
func checkRows(t *testing.T, s *Schema, b *vec.Batch, wantKey, wantCells []int, want [][]types.Datum) {
	t.Helper()
	for i, row := range want {
		for j, k := range wantKey {
			if got := b.Cols[j].Datum(i); !sameValue(s.Key.Columns[k].SQL, got, row[k]) {
				t.Fatalf("key column %d: %s, want %s", k, formatDatum(got), formatDatum(row[k]))
			}
		}
		for j, k := range wantCells {
			w := row[len(s.Key.Columns)+k]
			if got := b.Cols[len(wantKey)+j].Datum(i); !sameValue(s.Cells[k].SQL, got, w) {
				t.Fatalf("column %d %+v: %s, want %s", k, s.Cells[k], formatDatum(got), formatDatum(w))
			}
		}
	}
}

func TestDeclaredScale(t *testing.T) {
	tests := []struct {
		value string
		t     types.T
		want  string
	}{
		{"1.5", types.Of(types.Numeric), "1.5"},
		{"1.50", types.Of(types.Numeric), "1.5"},
		{"100", types.Of(types.Numeric), "100"},
		{"1E4", types.Of(types.Numeric), "10000"},
		{"0", types.Of(types.Numeric).WithPrecision(5, 2), "0.00"},
		{"1.5", types.Of(types.Numeric).WithPrecision(5, 2), "1.50"},
		{"-100", types.Of(types.Numeric).WithPrecision(5, 2), "-100.00"},
		{"0.1", types.Of(types.Numeric).WithPrecision(38, 37), "0.1000000000000000000000000000000000000"},
		{"1E100", types.Of(types.Numeric).WithPrecision(38, 2), "1" + string(bytes.Repeat([]byte("0"), 100)) + ".00"},
		{"99999999999999999999999999999999999999", types.Of(types.Numeric), "99999999999999999999999999999999999999"},
		{"-9.9999999999999999999999999999999999999", types.Of(types.Numeric), "-9.9999999999999999999999999999999999999"},
	}
	for _, tt := range tests {
		c := CellColumn{Column: Column{Type: Decimal, SQL: tt.t}}
		b, err := AppendValue(nil, &c.Column, vectorDatum(t, &c.Column, tt.value))
		if err != nil {
			t.Errorf("%s: %v", tt.value, err)
			continue
		}
		v := vec.New(tt.t)
		v.Resize(1)
		v.Decimals[0].Exponent, v.Decimals[0].Negative = 9, true // what an earlier batch left
		if err := NewValueDecoder("t", &c).Decode(b, 0, v); err != nil {
			t.Error(err)
		}
		if got := v.Decimals[0].Text('f'); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.value, got, tt.want)
		}
	}
}

// TestAdopted reads what only Phoenix writes.
func TestAdopted(t *testing.T) {
	col := func(typ Type, k types.Kind) Column { return Column{Type: typ, SQL: types.Of(k)} }
	s := &Schema{MarkerFamily: "0", MarkerQualifier: []byte("_0"), Key: KeySchema{Table: "t", Adopted: true, Columns: []KeyColumn{
		{Column: col(Timestamp, types.Timestamp), Name: "ts"},
		{Column: col(Date, types.Timestamp), Name: "d"},
		{Column: col(Time, types.Time), Name: "tm"},
		{Column: col(Varchar, types.Text), Name: "n", Nullable: true},
		{Column: col(Varchar, types.Text), Name: "m", Nullable: true, Desc: true},
	}}, Cells: []CellColumn{
		{Column: col(Integer, types.Int4), Name: "i", Family: "0", Qualifier: []byte("I")},
		{Column: col(Varchar, types.Text), Name: "v", Family: "0", Qualifier: []byte("V")},
	}}
	key := unhex(t, "8000018CC820DB2E000DC072"+"8000018CC820DB2E"+"8000018CC820DB2E")
	var rows storage.RowBatch
	rows.StartRow(key)
	rows.AddCell("0", []byte("I"), 1, nil) // STORE_NULLS
	rows.AddCell("0", []byte("V"), 1, nil)
	rows.AddCell("0", []byte("_0"), 1, nil)
	d := NewRowDecoder(s, []int{0, 1, 2, 3, 4}, []int{0, 1})
	b := vec.NewBatch(d.Types())
	if err := d.DecodeBatch(&rows, 0, 1, b.Cols); err != nil {
		t.Fatal(err)
	}
	var got []types.Datum
	for _, v := range b.Cols {
		got = append(got, v.Datum(0))
	}
	if s, want := formatRow(got), " 1704164645678901 1704164645678000 11045678000 NULL NULL NULL NULL"; s != want {
		t.Errorf("decoded%s, want%s", s, want)
	}
	// Nanoseconds of the whole second, as old rows have them: 678901234.
	old := append(unhex(t, "8000018CC820DB2E287735F2"), key[12:]...)
	back, err := s.Key.DecodeKey(old)
	if err != nil || back[0].Int != 1704164645678901 {
		t.Errorf("decoded %d (%v)", back[0].Int, err)
	}
	ts := types.NewInt(1704164645678901)
	set, err := s.Key.Spans([]Conj{{Columns: [][]Range{{{Lo: &ts, Hi: &ts, LoIncl: true, HiIncl: true}}}}}, SpanOptions{})
	if err != nil || set.find(key, -1) != 1 || set.find(old, -1) != 1 || set.Exact {
		t.Errorf("spans %s (%v)", s.Key.Describe(set), err)
	}
}

func TestQualifierErrors(t *testing.T) {
	for _, size := range []int{-1, 0, 5} {
		if _, err := Qualifier(11, size); sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	for size := 1; size <= 4; size++ {
		if _, err := Qualifier(maxQualifier[size]+1, size); sqlerr.CodeOf(err) != sqlerr.TooManyColumns {
			t.Errorf("%d bytes: %v", size, err)
		}
		for _, n := range []int{FirstQualifier, maxQualifier[size]} {
			q, err := Qualifier(n, size)
			if back, err2 := ParseQualifier(q, size); err != nil || err2 != nil || back != n {
				t.Errorf("%d in %d bytes: %X, %d (%v, %v)", n, size, q, back, err, err2)
			}
		}
	}
}

// TestLatest: cells of part-row writes are marked, those of rows that replace
// all there is are not.
func TestLatest(t *testing.T) {
	text := Column{Type: Varchar, SQL: types.Of(types.Text)}
	for _, layout := range []Layout{OneCellPerColumn, SingleCellArrayWithOffsets} {
		s := &Schema{Layout: layout, MarkerFamily: "0", MarkerQualifier: []byte("_0"), Key: KeySchema{Table: "t"}, Cells: []CellColumn{
			{Column: text, Name: "a", Family: "0", Qualifier: []byte("A"), Ordinal: 1},
			{Column: text, Name: "b", Family: "1", Qualifier: []byte("B"), Ordinal: 1},
		}}
		e := NewRowEncoder(s)
		vals := []types.Datum{types.NewBytes([]byte("x")), types.NullDatum}
		for _, latest := range []bool{false, true} {
			e.Latest = latest
			for _, replace := range []bool{false, true} {
				dst := []storage.Mutation{{Op: storage.SetCell}}
				dst, err := e.AppendRow(dst, vals, 1000, replace)
				checkLatest(t, dst, err, latest && !replace)
			}
			dst := []storage.Mutation{{Op: storage.SetCell}}
			var err error
			if layout == OneCellPerColumn {
				dst, err = e.AppendUpdate(dst, []int{0, 1}, vals, 1000)
			} else {
				dst, err = e.AppendPackedUpdate(dst, func(string) []byte { return nil }, []int{0, 1}, vals, 1000)
			}
			checkLatest(t, dst, err, latest)
		}
	}
}

func checkLatest(t *testing.T, muts []storage.Mutation, err error, want bool) {
	t.Helper()
	if err != nil || len(muts) < 3 {
		t.Fatal(muts, err)
	}
	for i, m := range muts {
		if m.Latest != (want && i > 0 && m.Op == storage.SetCell) {
			t.Errorf("mutation %d of %v", i, muts)
		}
	}
}
