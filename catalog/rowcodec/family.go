package rowcodec

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// A family whose qualifiers are data is read whole: the cells of a row that no column of
// the table names become one value, which FamilyReader takes apart again:
//
//	uvarint length | qualifier | uvarint length | value | …
//
// A row has as many of them as it likes, so that a value is as large as the row is.

// wholeFamily is a column that is wanted of a whole family.
type wholeFamily struct {
	family string
	slot   int // into the vectors
}

// Whole says that cells are wanted whose qualifiers are not known: every cell is to be
// asked for, with its name.
func (d *RowDecoder) Whole() bool { return len(d.wholes) > 0 }

// ownCells gives the names of the cells that are no data of a family: those of columns,
// and the marker.
func (d *RowDecoder) ownCells() {
	d.own = map[string]bool{}
	add := func(family string, qualifier []byte) {
		d.name = append(append(append(d.name[:0], family...), 0), qualifier...)
		d.own[string(d.name)] = true
	}
	for i := range d.schema.Cells {
		if c := &d.schema.Cells[i]; !c.Whole && !c.OfFamily {
			add(c.Family, c.Qualifier)
		}
	}
	add(d.schema.MarkerFamily, d.schema.MarkerQualifier)
}

// decodeWhole fills slot of the whole families' vectors.
func (d *RowDecoder) decodeWhole(rows *storage.RowBatch, i, slot int, out []*vec.Vec) {
	n := len(rows.Refs(i))
	for _, w := range d.wholes {
		size := 0
		for j := range n {
			if c := rows.Cell(i, j); d.isData(w.family, c) {
				size += 2*binary.MaxVarintLen32 + len(c.Qualifier) + len(c.Value)
			}
		}
		b := d.mem.room(size)
		var last []byte
		for j := range n {
			c := rows.Cell(i, j)
			if !d.isData(w.family, c) || last != nil && bytes.Equal(c.Qualifier, last) { // an older version
				continue
			}
			last = c.Qualifier
			b = append(binary.AppendUvarint(b, uint64(len(c.Qualifier))), c.Qualifier...)
			b = append(binary.AppendUvarint(b, uint64(len(c.Value))), c.Value...)
		}
		out[w.slot].Bytes[slot] = d.mem.keep(b)
	}
}

// isData says that a cell is of the family and of no column.
func (d *RowDecoder) isData(family string, c storage.Cell) bool {
	if c.Family != family {
		return false
	}
	d.name = append(append(append(d.name[:0], c.Family...), 0), c.Qualifier...)
	return !d.own[string(d.name)]
}

// FamilyReader gives the cells of a whole family one by one. Not for concurrent use.
type FamilyReader struct {
	r    valueReader
	mem  arena
	left []byte
}

// NewFamilyReader reads values that are stored as c says; name is the family's in errors.
func NewFamilyReader(c *Column, name string, adopted bool) *FamilyReader {
	f := &FamilyReader{}
	f.r = newValueReader(c, "", name, adopted, &f.mem)
	return f
}

// Reset begins with another value.
func (f *FamilyReader) Reset(b []byte) { f.left = b }

// EndBatch frees the scratch memory of the values read since; vectors filled are void.
func (f *FamilyReader) EndBatch() { f.mem.reset() }

// Next puts the next cell's qualifier and value into slot; false at the end. XX001 for a
// qualifier that is not text, and for a value that is none of the family's type.
func (f *FamilyReader) Next(qualifier, value *vec.Vec, slot int) (bool, error) {
	if len(f.left) == 0 {
		return false, nil
	}
	q, v := f.part(), f.part()
	if !utf8.Valid(q) {
		return false, corrupt(f.r.table, f.r.name, "The qualifier %X is not UTF-8: attach its cell as a column, QUALIFIER HEX '%X'.", clip(q), clip(q))
	}
	qualifier.Bytes[slot] = q
	if len(v) == 0 && f.r.emptyNull {
		value.Nulls.Set(slot)
		return true, nil
	}
	return true, f.r.read(v, slot, value)
}

func (f *FamilyReader) part() []byte {
	n, k := binary.Uvarint(f.left)
	b := f.left[k : k+int(n) : k+int(n)]
	f.left = f.left[k+int(n):]
	return b
}
