package storage

import "bytes"

// RowBatch is a caller-owned arena of rows. Its memory is a few flat slices
// without pointers, so that filling it allocates nothing once it has grown and
// the garbage collector has nothing to walk. What Key, Cell and Value return
// is valid until the next Reset (a scanner's Next resets).
//
//	arena:  key0 | val val val | key1 | val …
//	rows:   {key lo,hi; first cell}         one per row
//	cells:  {family id, qualifier lo,hi; value lo,hi; timestamp}
type RowBatch struct {
	arena    []byte
	rows     []rowMeta
	cells    []cellMeta
	families []string // interned names; kept over Reset
}

type rowMeta struct {
	keyLo, keyHi uint32
	cellLo       uint32
}

type cellMeta struct {
	qualLo, qualHi uint32
	valLo, valHi   uint32
	ts             int64
	family         uint16
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
	b.arena, b.rows, b.cells = b.arena[:0], b.rows[:0], b.cells[:0]
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
		Family:    b.families[c.family],
		Qualifier: b.arena[c.qualLo:c.qualHi:c.qualHi],
		Timestamp: c.ts,
		Value:     b.arena[c.valLo:c.valHi:c.valHi],
	}
}

// Value finds the latest value of a column of row i.
func (b *RowBatch) Value(i int, family string, qualifier []byte) ([]byte, bool) {
	for j := b.rows[i].cellLo; j < b.cellEnd(i); j++ {
		c := &b.cells[j]
		if bytes.Equal(b.arena[c.qualLo:c.qualHi], qualifier) && b.families[c.family] == family {
			return b.arena[c.valLo:c.valHi:c.valHi], true
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
	b.cells = append(b.cells, cellMeta{q, v, v, uint32(len(b.arena)), ts, b.familyID(family)})
}

// DropRow removes the last row.
func (b *RowBatch) DropRow() {
	r := b.rows[len(b.rows)-1]
	b.arena, b.cells, b.rows = b.arena[:r.keyLo], b.cells[:r.cellLo], b.rows[:len(b.rows)-1]
}

func (b *RowBatch) familyID(name string) uint16 {
	for i, f := range b.families {
		if f == name {
			return uint16(i)
		}
	}
	b.families = append(b.families, name)
	return uint16(len(b.families) - 1)
}
