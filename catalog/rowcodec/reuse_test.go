package rowcodec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// reuseTable is a table whose rows have cells of one size, so that what lies at
// an offset of one row often is another column of another row.
type reuseTable struct {
	schema  *Schema
	decoder *RowDecoder
	out     *vec.Batch
	want    []int // cells that decoder reads
}

func newReuseTable(r *rand.Rand, n int) *reuseTable {
	int8s := Column{Type: BigInt, SQL: types.Of(types.Int8)}
	s := &Schema{
		Key:          KeySchema{Table: fmt.Sprintf("t%d", n), Columns: []KeyColumn{{Column: int8s, Name: "k"}}},
		MarkerFamily: "0", MarkerQualifier: make([]byte, 4),
	}
	number := map[string]int{}
	for i := range 1 + r.IntN(6) {
		family := pick(r, "0", "1")
		number[family]++
		q, err := Qualifier(FirstQualifier+number[family], 2)
		if err != nil {
			panic(err)
		}
		s.Cells = append(s.Cells, CellColumn{Column: int8s, Name: fmt.Sprintf("c%d", i), Family: family, Qualifier: q})
	}
	t := &reuseTable{schema: s, want: r.Perm(len(s.Cells))[:1+r.IntN(len(s.Cells))]}
	t.decoder = NewRowDecoder(s, []int{0}, t.want)
	t.out = vec.NewBatch(t.decoder.Types())
	return t
}

// heldBatch is a batch and the rows that it must hold.
type heldBatch struct {
	b     *storage.RowBatch
	table *reuseTable
	rows  []reuseRow
}

// reuseRow has one value for each cell, 0 being NULL.
type reuseRow struct {
	key   int64
	cells []int64
}

func (h *heldBatch) add(r *rand.Rand) {
	s := h.table.schema
	row := reuseRow{key: r.Int64N(1000)}
	key, err := s.Key.AppendKey(nil, []types.Datum{types.NewInt(row.key)})
	if err != nil {
		panic(err)
	}
	h.b.StartRow(key)
	h.b.AddCell(s.MarkerFamily, s.MarkerQualifier, 1000, markerValue)
	for i := range s.Cells {
		c := &s.Cells[i]
		if r.IntN(4) == 0 {
			row.cells = append(row.cells, 0)
			continue
		}
		n := 1 + r.Int64N(1000)
		v, err := AppendValue(nil, &c.Column, types.NewInt(n))
		if err != nil {
			panic(err)
		}
		h.b.AddCell(c.Family, c.Qualifier, 1000, v)
		row.cells = append(row.cells, n)
	}
	h.rows = append(h.rows, row)
}

// check decodes rows lo to hi-1 with the table's decoder, which has read other
// batches before.
func (h *heldBatch) check(t *testing.T, lo, hi int) {
	t.Helper()
	d := h.table.decoder
	if err := d.DecodeBatch(h.b, lo, hi, h.table.out.Cols); err != nil {
		t.Fatal(err)
	}
	for i := lo; i < hi; i++ {
		row := &h.rows[i]
		if got := h.table.out.Cols[0].Datum(i - lo); got.Int != row.key {
			t.Fatalf("row %d: key %d, want %d", i, got.Int, row.key)
		}
		for j, c := range h.table.want {
			got := h.table.out.Cols[1+j].Datum(i - lo)
			if got.Null != (row.cells[c] == 0) || !got.Null && got.Int != row.cells[c] {
				t.Fatalf("row %d, column %d: %v, want %d", i, c, got, row.cells[c])
			}
		}
	}
}

// TestDecoderFollowsReusedBatches reads batches of several tables through one
// decoder each, while the batches are emptied, cut, handed from table to table
// and swapped, as scanners and pools do with them. What the decoder remembers
// of one filling must never be taken for another.
func TestDecoderFollowsReusedBatches(t *testing.T) {
	r := newRand(t)
	for range rounds(100) {
		reuseRound(t, r, 400)
	}
}

func reuseRound(t *testing.T, r *rand.Rand, steps int) {
	var tables []*reuseTable
	for i := range 1 + r.IntN(3) {
		tables = append(tables, newReuseTable(r, i))
	}
	var held []*heldBatch
	for range 1 + r.IntN(4) {
		held = append(held, &heldBatch{b: new(storage.RowBatch), table: pick(r, tables...)})
	}
	for range steps {
		h := pick(r, held...)
		switch r.IntN(10) {
		case 0, 1:
			h.b.Reset()
			h.rows = nil
			if r.IntN(4) == 0 {
				h.table = pick(r, tables...)
			}
		case 2:
			h.b.Recycle()
			h.rows, h.table = nil, pick(r, tables...)
		case 3: // a scanner gives its batch for the caller's
			o := pick(r, held...)
			*h.b, *o.b = *o.b, *h.b
			h.rows, o.rows = o.rows, h.rows
			h.table, o.table = o.table, h.table
		case 4:
			if n := len(h.rows); n > 0 {
				h.b.DropRow()
				h.rows = h.rows[:n-1]
			}
		case 5:
			n := r.IntN(len(h.rows) + 1)
			h.b.Truncate(n)
			h.rows = h.rows[:n]
		case 6:
			if n := len(h.rows); n > 0 {
				o := pick(r, held...)
				if i := r.IntN(n); o != h && (len(o.rows) == 0 || o.table == h.table) {
					o.b.AppendRow(h.b, i)
					o.rows, o.table = append(o.rows, h.rows[i]), h.table
				}
			}
		default:
			for range 1 + r.IntN(4) {
				h.add(r)
			}
		}
		if n := len(h.rows); n > 0 {
			lo := r.IntN(n)
			h.check(t, lo, lo+1+r.IntN(n-lo))
		}
	}
}

// TestDecoderOfSwappedBatches is the least case: a batch takes over the
// contents of another that has been emptied as often.
func TestDecoderOfSwappedBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	table := newReuseTable(r, 0)
	for len(table.schema.Cells) < 3 {
		table = newReuseTable(r, 0)
	}
	table.want = []int{0, 1, 2}
	table.decoder = NewRowDecoder(table.schema, []int{0}, table.want)
	table.out = vec.NewBatch(table.decoder.Types())
	fill := func(cells ...[]int64) *heldBatch {
		h := &heldBatch{b: new(storage.RowBatch), table: table}
		s := table.schema
		for _, vals := range cells {
			row := reuseRow{key: 1, cells: vals}
			key, err := s.Key.AppendKey(nil, []types.Datum{types.NewInt(1)})
			if err != nil {
				t.Fatal(err)
			}
			h.b.StartRow(key)
			h.b.AddCell(s.MarkerFamily, s.MarkerQualifier, 1000, markerValue)
			for i, n := range vals {
				if n == 0 {
					continue
				}
				v, err := AppendValue(nil, &s.Cells[i].Column, types.NewInt(n))
				if err != nil {
					t.Fatal(err)
				}
				h.b.AddCell(s.Cells[i].Family, s.Cells[i].Qualifier, 1000, v)
			}
			h.rows = append(h.rows, row)
		}
		return h
	}
	a, b := fill([]int64{1, 2, 0}, []int64{3, 4, 0}), fill([]int64{5, 0, 6}, []int64{7, 0, 8})
	a.check(t, 0, 2)
	b.check(t, 0, 2)
	a.check(t, 0, 2)
	*a.b, *b.b = *b.b, *a.b
	a.rows, b.rows = b.rows, a.rows
	a.check(t, 1, 2)
	b.check(t, 1, 2)
}

// FuzzDecoderReuse is TestDecoderFollowsReusedBatches, steered by the fuzzer.
func FuzzDecoderReuse(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, 50)
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps int) {
		reuseRound(t, rand.New(rand.NewPCG(seed, 7)), min(max(steps, 0), 500))
	})
}
