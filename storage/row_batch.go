package storage

import (
	"bytes"
	"math"
	"sort"
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/poison"
)

// RowBatch is a caller-owned arena of rows. Its memory is a few flat slices
// without pointers, so that filling it allocates nothing once it has grown and
// the garbage collector has nothing to walk. What Key, Cell and Value return
// is valid until the batch is next changed (a scanner's Next resets it).
//
//	arena:  key0 | val val val | key1 | val …
//	rows:   {key lo,hi; first cell}         one per row
//	cells:  {family id, qualifier lo,hi; value lo,hi; timestamp}
//
// Offsets are 32 bits: an arena holds less than 4 GiB. A scanner stops a batch
// at MaxBatchBytes; who fills a batch by other rules asks Fits first.
type RowBatch struct {
	arena    []byte
	rows     []rowMeta
	cells    []CellRef
	families []string // interned names; kept over Reset
	filling  uint64   // see Filling; 0: not named yet

	width  int // see Columns
	values []ValueRef
}

type rowMeta struct {
	keyLo, keyHi uint32
	cellLo       uint32
}

// CellRef is a cell as offsets into the arena of its batch. Only adapters that
// fill a batch in place (AddCells) see it.
type CellRef struct {
	QualLo, QualHi uint32
	ValLo, ValHi   uint32
	Timestamp      int64
	Family         uint16 // of Intern
}

// Cell is a view of one cell of a RowBatch.
type Cell struct {
	Family    string
	Qualifier []byte
	Timestamp int64 // µs since the Unix epoch
	Value     []byte
}

// Reset empties the batch and keeps its memory.
func (b *RowBatch) Reset() {
	b.cut(0)
	b.rows, b.cells = b.rows[:0], b.cells[:0]
	b.width, b.values = 0, b.values[:0]
}

// cut takes back the arena from lo on.
func (b *RowBatch) cut(lo uint32) {
	b.filling = 0
	poison.Bytes(b.arena[lo:])
	b.arena = b.arena[:lo]
}

// fillings counts those of all batches of the process.
var fillings atomic.Uint64

// Filling names what the arena holds. It changes whenever bytes are taken from
// the arena, and no other filling of any batch has the same, so that it stays
// true where batches swap their contents. While it stands, equal offsets mean
// equal bytes and equal numbers equal families: a reader need not look at a
// qualifier that it knows from another row. It counts as a change of the
// batch: not for two goroutines at once.
func (b *RowBatch) Filling() uint64 {
	if b.filling == 0 {
		b.filling = fillings.Add(1)
	}
	return b.filling
}

// Refs gives the cells of row i as offsets. The caller does not change them.
func (b *RowBatch) Refs(i int) []CellRef { return b.cells[b.rows[i].cellLo:b.cellEnd(i)] }

// Slice gives the bytes of the arena from lo to hi, as a CellRef says.
func (b *RowBatch) Slice(lo, hi uint32) []byte { return b.arena[lo:hi:hi] }

// Recycle empties the batch for another use, of another table: it forgets the
// families and keeps memory up to what batches commonly need.
func (b *RowBatch) Recycle() {
	b.Reset()
	clear(b.families)
	b.families = b.families[:0]
	if cap(b.arena) > 2*MaxBatchBytes {
		b.arena = nil
	}
	const maxCells = 256 << 10
	if cap(b.cells) > maxCells {
		b.cells = nil
	}
	if cap(b.values) > maxCells {
		b.values = nil
	}
}

// Memory is how many bytes the batch holds, in use or not.
func (b *RowBatch) Memory() int64 {
	return int64(cap(b.arena) + 12*cap(b.rows) + 32*cap(b.cells) + 8*cap(b.values))
}

// Len is the number of rows.
func (b *RowBatch) Len() int { return len(b.rows) }

// Bytes is the size of the arena in use.
func (b *RowBatch) Bytes() int { return len(b.arena) }

// Key gives row i's key.
func (b *RowBatch) Key(i int) []byte {
	r := &b.rows[i]
	return b.arena[r.keyLo:r.keyHi:r.keyHi]
}

// Offset is where in the arena row i begins. What lies from there to where the next row begins, or
// to the end, came with it.
func (b *RowBatch) Offset(i int) int { return int(b.rows[i].keyLo) }

// NumCells is the number of cells of row i.
func (b *RowBatch) NumCells(i int) int {
	return int(b.cellEnd(i) - b.rows[i].cellLo)
}

func (b *RowBatch) cellEnd(i int) uint32 {
	if i+1 < len(b.rows) {
		return b.rows[i+1].cellLo
	}
	return uint32(len(b.cells))
}

// Cell gives cell j of row i. Versions of one column come newest first.
func (b *RowBatch) Cell(i, j int) Cell {
	c := &b.cells[int(b.rows[i].cellLo)+j]
	return Cell{
		Family:    b.families[c.Family],
		Qualifier: b.arena[c.QualLo:c.QualHi:c.QualHi],
		Timestamp: c.Timestamp,
		Value:     b.arena[c.ValLo:c.ValHi:c.ValHi],
	}
}

// Find gives the index of the row of a key in a batch that is sorted by key, -1 where
// there is none.
func (b *RowBatch) Find(key []byte) int {
	at := sort.Search(b.Len(), func(i int) bool { return bytes.Compare(b.Key(i), key) >= 0 })
	if at < b.Len() && bytes.Equal(b.Key(at), key) {
		return at
	}
	return -1
}

// Value finds the latest value of a column of row i.
func (b *RowBatch) Value(i int, family string, qualifier []byte) ([]byte, bool) {
	for j := b.rows[i].cellLo; j < b.cellEnd(i); j++ {
		c := &b.cells[j]
		if bytes.Equal(b.arena[c.QualLo:c.QualHi], qualifier) && b.families[c.Family] == family {
			return b.arena[c.ValLo:c.ValHi:c.ValHi], true
		}
	}
	return nil, false
}

// StartRow appends a row without cells; AddCell adds to the last row.
func (b *RowBatch) StartRow(key []byte) {
	lo := uint32(len(b.arena))
	b.arena = append(b.arena, key...)
	b.rows = append(b.rows, rowMeta{lo, uint32(len(b.arena)), uint32(len(b.cells))})
}

// AddCell appends a cell to the last row.
func (b *RowBatch) AddCell(family string, qualifier []byte, ts int64, value []byte) {
	q := uint32(len(b.arena))
	b.arena = append(b.arena, qualifier...)
	v := uint32(len(b.arena))
	b.arena = append(b.arena, value...)
	b.cells = append(b.cells, CellRef{q, v, v, uint32(len(b.arena)), ts, b.Intern(family)})
}

// AddCellOf is AddCell for a family that Intern has numbered in this batch.
func (b *RowBatch) AddCellOf(family uint16, qualifier []byte, ts int64, value []byte) {
	q := uint32(len(b.arena))
	b.arena = append(b.arena, qualifier...)
	v := uint32(len(b.arena))
	b.arena = append(b.arena, value...)
	b.cells = append(b.cells, CellRef{q, v, v, uint32(len(b.arena)), ts, family})
}

// ExtendValue appends to the value of the last cell of the last row, which
// must be what was added last.
func (b *RowBatch) ExtendValue(part []byte) {
	b.arena = append(b.arena, part...)
	b.cells[len(b.cells)-1].ValHi = uint32(len(b.arena))
}

// DropRow removes the last row.
func (b *RowBatch) DropRow() {
	r := b.rows[len(b.rows)-1]
	b.cut(r.keyLo)
	b.cells, b.rows = b.cells[:r.cellLo], b.rows[:len(b.rows)-1]
	b.values = b.values[:len(b.rows)*b.width]
}

// Intern gives the number that CellRef.Family holds for a family name. It
// stays good over Reset.
func (b *RowBatch) Intern(family string) uint16 {
	for i, f := range b.families {
		if f == family {
			return uint16(i)
		}
	}
	b.families = append(b.families, family)
	return uint16(len(b.families) - 1)
}

// Fits says whether n more bytes of keys, qualifiers and values fit.
func (b *RowBatch) Fits(n int) bool {
	return len(b.arena)+n <= math.MaxUint32
}

// PrefixKeys puts a byte before the keys of the rows from the row from on, but for those without one.
// What was taken of the batch stays good, but for keys.
func (b *RowBatch) PrefixKeys(from int, prefix byte) {
	for i := from; i < len(b.rows); i++ {
		r := &b.rows[i]
		if r.keyLo == r.keyHi {
			continue
		}
		lo := uint32(len(b.arena))
		b.arena = append(append(b.arena, prefix), b.arena[r.keyLo:r.keyHi]...)
		r.keyLo, r.keyHi = lo, uint32(len(b.arena))
	}
}

// AddCells appends n cells to the last row for an adapter that fills a batch
// in place. The caller sets those it is given, with offsets into the arena,
// which it fills by AddBytes before or after, and gives back those it did not
// need (TrimCells).
func (b *RowBatch) AddCells(n int) []CellRef {
	lo := len(b.cells)
	if cap(b.cells)-lo < n {
		grown := make([]CellRef, lo, max(2*cap(b.cells), lo+n, 64))
		copy(grown, b.cells)
		b.cells = grown
	}
	b.cells = b.cells[:lo+n]
	return b.cells[lo:]
}

// AddBytes appends raw bytes to the arena and says where they begin; that is
// what Bytes was before.
func (b *RowBatch) AddBytes(raw []byte) (base uint32) {
	base = uint32(len(b.arena))
	b.arena = append(b.arena, raw...)
	return base
}

// TrimCells removes the last n cells of the last row.
func (b *RowBatch) TrimCells(n int) { b.cells = b.cells[:len(b.cells)-n] }

// AppendRow appends a copy of row i of src, another batch; both are of cells.
func (b *RowBatch) AppendRow(src *RowBatch, i int) {
	b.StartRow(src.Key(i))
	for j := range src.NumCells(i) {
		c := src.Cell(i, j)
		b.AddCell(c.Family, c.Qualifier, c.Timestamp, c.Value)
	}
}

// Truncate keeps the first n rows.
func (b *RowBatch) Truncate(n int) {
	if n < len(b.rows) {
		r := b.rows[n]
		b.cut(r.keyLo)
		b.cells, b.rows = b.cells[:r.cellLo], b.rows[:n]
		b.values = b.values[:n*b.width]
	}
}
