package storage

// ValueRef is a value as offsets into the arena of its batch; Absent where the
// row has none.
type ValueRef struct {
	Lo, Hi uint32
}

// Absent is the ValueRef of a cell that a row does not have.
var Absent = ValueRef{Lo: 1, Hi: 0}

// StartColumns makes an empty batch one of columns: rows are added by
// AddValues, with one value for each of width columns, instead of cells.
//
//	arena:   key0 | val val | key1 | val …
//	rows:    {key lo,hi}                         one per row
//	values:  {lo,hi} {lo,hi} | {lo,hi} Absent    width per row
//
// Reset makes it a batch of cells again.
func (b *RowBatch) StartColumns(width int) { b.width, b.values = width, b.values[:0] }

// Columns is the number of values of each row in a batch of columns, in the
// order of ScanRequest.Project; 0 for a batch of cells. Rows of a batch of
// columns have no cells: NumCells is 0 and Value finds none.
func (b *RowBatch) Columns() int { return b.width }

// Values gives the values of all rows: column k of row i is at i*Columns()+k.
// The caller does not change them.
func (b *RowBatch) Values() []ValueRef { return b.values }

// AddValues appends a row to a batch of columns and gives its values to be
// set: they hold what was there before.
func (b *RowBatch) AddValues(key []byte) []ValueRef {
	lo := uint32(len(b.arena))
	if len(key) > 0 {
		b.arena = append(b.arena, key...)
	}
	b.rows = append(b.rows, rowMeta{lo, uint32(len(b.arena)), 0})
	n := len(b.values)
	if cap(b.values)-n < b.width {
		grown := make([]ValueRef, n, max(2*cap(b.values), n+b.width, 64))
		copy(grown, b.values)
		b.values = grown
	}
	b.values = b.values[:n+b.width]
	return b.values[n:]
}
