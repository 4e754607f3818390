package rowcodec

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// RowDecoder decodes the wanted columns of rows into vectors, in both layouts.
// It learns where in a row each cell stood, and looks there first: stores
// give the cells of a table in much the same order row after row. Not for
// concurrent use.
type RowDecoder struct {
	schema  *Schema
	key     *KeyDecoder
	types   []types.T
	targets []target
	index   map[string]int    // family 00 qualifier -> target
	learned []learnedCell     // by position in the row
	batch   *storage.RowBatch // of the row before
	filling uint64            // its Filling then
	offsets bool              // learned's offsets are of batch
	name    []byte            // scratch
	wholes  []wholeFamily
	own     map[string]bool // cells that are of no whole family, as in index
	row     uint64          // counts rows
	mem     arena
}

// target is one cell that is wanted: a column, or a family's packed columns.
type target struct {
	col    storage.Col
	packed bool
	elems  []targetElem
	row    uint64 // the last row that had it
}

type targetElem struct {
	r       valueReader
	slot    int // into the vectors
	ordinal int // packed only
}

type learnedCell struct {
	family    string
	qualifier []byte
	target    int // -1: not wanted

	lo, hi uint32 // of qualifier in RowDecoder.batch; hi 0: not known
	number uint16 // of family there
}

// NewRowDecoder decodes key columns wantKey (indexes into s.Key.Columns) and cell
// columns wantCells (into s.Cells): the vectors given to its methods are those of
// wantKey, then those of wantCells.
func NewRowDecoder(s *Schema, wantKey, wantCells []int) *RowDecoder {
	d := &RowDecoder{schema: s, key: NewKeyDecoder(&s.Key, wantKey), index: map[string]int{}}
	for _, k := range wantKey {
		d.types = append(d.types, s.Key.Columns[k].SQL)
	}
	for _, k := range wantCells {
		c := &s.Cells[k]
		if c.Whole {
			d.wholes = append(d.wholes, wholeFamily{c.Family, len(d.types)})
			d.types = append(d.types, c.SQL)
			continue
		}
		col := storage.Col{Family: c.Family, Qualifier: c.Qualifier}
		packed := s.Layout == SingleCellArrayWithOffsets
		if packed {
			col.Qualifier = packedQualifier
		}
		t, ok := d.find(col.Family, col.Qualifier)
		if !ok {
			t = len(d.targets)
			d.index[string(d.name)] = t
			d.targets = append(d.targets, target{col: col, packed: packed})
		}
		r := newValueReader(&c.Column, s.Key.Table, c.Name, s.Key.Adopted, &d.mem)
		r.missing, r.emptyNull = c.Missing, r.adopted || c.Missing != nil
		d.targets[t].elems = append(d.targets[t].elems, targetElem{r: r, slot: len(d.types), ordinal: c.Ordinal})
		d.types = append(d.types, c.SQL)
	}
	if d.Whole() {
		d.ownCells()
	}
	return d
}

func (d *RowDecoder) find(family string, qualifier []byte) (int, bool) {
	d.name = append(append(append(d.name[:0], family...), 0), qualifier...)
	t, ok := d.index[string(d.name)]
	return t, ok
}

// Types gives the types of the vectors.
func (d *RowDecoder) Types() []types.T { return d.types }

// WantsKey says that a column of the key is wanted.
func (d *RowDecoder) WantsKey() bool { return d.key.wants() }

// Project gives ScanRequest.Project and KeysOnly for the wanted columns. The marker
// cell comes first: a row has it even where all that is wanted is NULL. Who wants no
// such rows leaves it out. Where a family is wanted whole, it is every column.
func (d *RowDecoder) Project() (cols []storage.Col, keysOnly bool) {
	if d.Whole() {
		return nil, false
	}
	marker, _ := d.schema.Marker()
	cols = append(cols, marker)
	for i := range d.targets {
		cols = append(cols, d.targets[i].col)
	}
	return cols, len(d.targets) == 0
}

// Reset frees the scratch memory of the last batch; vectors filled from it are void.
func (d *RowDecoder) Reset() {
	d.key.Reset()
	d.mem.reset()
}

// DecodeBatch calls Reset, makes every vector of out hi-lo slots long and decodes
// rows lo to hi-1 into them. Byte values may alias rows. Corrupt bytes are XX001.
func (d *RowDecoder) DecodeBatch(rows *storage.RowBatch, lo, hi int, out []*vec.Vec) error {
	d.Reset()
	for _, v := range out {
		v.Resize(hi - lo)
	}
	if !d.Whole() && hi-lo <= vec.MaxRows && (rows.Columns() > 0 || len(d.targets) == 0) {
		err := d.decodeColumns(rows, lo, hi, out)
		for i := lo; err != nil && i < hi; i++ { // again by rows: which one is it
			if err := d.DecodeRow(rows, i, i-lo, out); err != nil {
				return err
			}
		}
		return err
	}
	for i := lo; i < hi; i++ {
		if err := d.DecodeRow(rows, i, i-lo, out); err != nil {
			return err
		}
	}
	return nil
}

// DecodeRow decodes row i into slot of out. The caller has made room (Resize) and
// calls Reset before a batch; the slot must not be NULL yet. Corrupt bytes are XX001
// with the row's key.
func (d *RowDecoder) DecodeRow(rows *storage.RowBatch, i, slot int, out []*vec.Vec) error {
	err := d.decodeRow(rows, i, slot, out)
	if err != nil {
		return inRow(err, rows.Key(i))
	}
	return nil
}

// inRow adds the row's key to an error that does not name it.
func inRow(err error, key []byte) error {
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.DataCorrupted && !strings.Contains(e.Detail, "row key") {
		e.Detail += fmt.Sprintf(" The row key is %X.", clip(key))
	}
	return err
}

func (d *RowDecoder) decodeRow(rows *storage.RowBatch, i, slot int, out []*vec.Vec) error {
	if err := d.key.Decode(rows.Key(i), slot, out); err != nil {
		return err
	}
	if d.Whole() {
		d.decodeWhole(rows, i, slot, out)
	}
	if len(d.targets) == 0 {
		return nil
	}
	if rows.Columns() > 0 {
		return d.decodeValues(rows, i, slot, out)
	}
	d.row++
	byOffset := d.follow(rows)
	missing := len(d.targets)
	refs := rows.Refs(i)
	for j := range refs {
		ref := &refs[j]
		var k int
		if byOffset && j < len(d.learned) && d.learned[j].at(ref) {
			k = d.learned[j].target
		} else {
			c := rows.Cell(i, j)
			k = d.targetOf(j, &c)
			if byOffset && j < len(d.learned) {
				l := &d.learned[j]
				l.lo, l.hi, l.number = ref.QualLo, ref.QualHi, ref.Family
			}
		}
		if k < 0 || d.targets[k].row == d.row { // not wanted, or an older version
			continue
		}
		t := &d.targets[k]
		t.row = d.row
		value := rows.Slice(ref.ValLo, ref.ValHi)
		var err error
		if t.packed {
			err = d.readPackedCell(t, value, slot, out)
		} else {
			err = readCell(t.elems, value, slot, out)
		}
		if err != nil {
			return err
		}
		if missing--; missing == 0 {
			return nil
		}
	}
	for k := range d.targets {
		if t := &d.targets[k]; t.row != d.row {
			if err := absentCell(t.elems, slot, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow says that rows is the batch of the row before, as it was then, so that
// offsets can be compared. A merge goes from batch to batch and compares names.
func (d *RowDecoder) follow(rows *storage.RowBatch) bool {
	if d.batch != rows || d.filling != rows.Filling() {
		d.batch, d.filling, d.offsets = rows, rows.Filling(), false
		return false
	}
	if !d.offsets {
		d.offsets = true
		for j := range d.learned {
			d.learned[j].hi = 0
		}
	}
	return true
}

// at says that a cell's column is the one learned, by where its name lies.
func (l *learnedCell) at(ref *storage.CellRef) bool {
	return l.lo == ref.QualLo && l.hi == ref.QualHi && l.hi != 0 && l.number == ref.Family
}

// targetOf says what the j-th cell of a row is, by memory or by name.
func (d *RowDecoder) targetOf(j int, c *storage.Cell) int {
	if j < len(d.learned) {
		if l := &d.learned[j]; bytes.Equal(l.qualifier, c.Qualifier) && l.family == c.Family {
			return l.target
		}
	}
	t, ok := d.find(c.Family, c.Qualifier)
	if !ok {
		t = -1
	}
	switch {
	case j < len(d.learned):
		l := &d.learned[j]
		l.family, l.target = c.Family, t
		l.qualifier = append(l.qualifier[:0], c.Qualifier...)
	case j == len(d.learned) && j < maxLearned:
		d.learned = append(d.learned, learnedCell{family: c.Family, qualifier: bytes.Clone(c.Qualifier), target: t})
	}
	return t
}

// maxLearned bounds what is remembered of rows with very many cells.
const maxLearned = 4096

func readCell(elems []targetElem, value []byte, slot int, out []*vec.Vec) error {
	for e := range elems {
		el := &elems[e]
		if len(value) == 0 && el.r.emptyNull {
			out[el.slot].Nulls.Set(slot)
			continue
		}
		if err := el.r.read(value, slot, out[el.slot]); err != nil {
			return err
		}
	}
	return nil
}

// absentCell is readCell for a row that lacks the cell.
func absentCell(elems []targetElem, slot int, out []*vec.Vec) error {
	for e := range elems {
		if err := elems[e].r.absent(slot, out[elems[e].slot]); err != nil {
			return err
		}
	}
	return nil
}

func (d *RowDecoder) readPackedCell(t *target, value []byte, slot int, out []*vec.Vec) error {
	p, ok := readPacked(value)
	if !ok {
		return corruptPacked(d.schema, t.col.Family, value)
	}
	for e := range t.elems {
		el := &t.elems[e]
		b, ok := p.elem(el.ordinal)
		if !ok {
			return corruptPacked(d.schema, t.col.Family, value)
		}
		switch {
		case b == nil:
			if err := el.r.absent(slot, out[el.slot]); err != nil {
				return err
			}
		case len(b) == 0 && el.r.emptyNull:
			out[el.slot].Nulls.Set(slot)
		default:
			if err := el.r.read(b, slot, out[el.slot]); err != nil {
				return err
			}
		}
	}
	return nil
}
