package rowcodec

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// markerValue is what the marker cell of a data row holds, and verifiedValue what that of
// an index's row does: Phoenix's word for an entry whose row was written.
var (
	markerValue   = []byte{'x'}
	verifiedValue = []byte{0x01}
)

// Marker gives the column and the value of the cell that every row has: it keeps
// a row whose columns are all NULL alive. Do not change the bytes.
func (s *Schema) Marker() (storage.Col, []byte) {
	v := markerValue
	if s.Key.Index {
		v = verifiedValue
	}
	return storage.Col{Family: s.MarkerFamily, Qualifier: s.MarkerQualifier}, v
}

// RowEncoder makes the mutations of rows. The bytes of their values are valid until
// Reset; qualifiers are the schema's. Not for concurrent use.
type RowEncoder struct {
	// Latest has cells of part-row writes made the latest of their columns: for
	// stores to which several clocks give timestamps.
	Latest bool

	schema   *Schema
	families []packedFamily // packed layout only
	mem      arena
	packer   packer
	update   []*types.Datum // scratch: by cell column, what an update sets
}

// packedFamily lists the columns of one packed cell by ordinal.
type packedFamily struct {
	name  string
	cells []int // element -> index into Schema.Cells, -1 for none
}

// NewRowEncoder makes an encoder of s's rows.
func NewRowEncoder(s *Schema) *RowEncoder {
	e := &RowEncoder{schema: s}
	if s.Layout == SingleCellArrayWithOffsets {
		e.families = packedFamilies(s)
	}
	return e
}

func packedFamilies(s *Schema) []packedFamily {
	var fs []packedFamily
	for i := range s.Cells {
		c := &s.Cells[i]
		k := slices.IndexFunc(fs, func(f packedFamily) bool { return f.name == c.Family })
		if k < 0 {
			k = len(fs)
			fs = append(fs, packedFamily{name: c.Family, cells: []int{-1}})
		}
		for len(fs[k].cells) <= c.Ordinal {
			fs[k].cells = append(fs[k].cells, -1)
		}
		fs[k].cells[c.Ordinal] = i
	}
	return fs
}

// Reset frees the memory of the mutations made so far; they are void.
func (e *RowEncoder) Reset() { e.mem.reset() }

// AppendRow appends the mutations that write a whole row: the marker cell and the
// columns of vals (one per Schema.Cells) that are not NULL. With replace a DeleteRow
// goes before them; without it columns that an earlier row set stay, but in packed
// rows, of which every family is written. Errors are AppendValue's and name the
// column; dst is returned as it was then.
func (e *RowEncoder) AppendRow(dst []storage.Mutation, vals []types.Datum, ts int64, replace bool) ([]storage.Mutation, error) {
	if len(vals) != len(e.schema.Cells) {
		return dst, sqlerr.Internal(nil, "%d values for a row of %d columns", len(vals), len(e.schema.Cells))
	}
	base := len(dst)
	if replace {
		dst = append(dst, storage.Mutation{Op: storage.DeleteRow})
	}
	dst = e.appendMarker(dst, ts)
	if e.schema.Layout == SingleCellArrayWithOffsets {
		for i := range e.families {
			f := &e.families[i]
			v, empty, err := e.pack(f, vals)
			if err != nil {
				return dst[:base], err
			}
			switch {
			case !empty:
				dst = append(dst, setCell(f.name, packedQualifier, ts, v))
			case !replace:
				dst = append(dst, storage.Mutation{Op: storage.DeleteCell, Family: f.name, Qualifier: packedQualifier})
			}
		}
		return e.overtaking(dst, base, replace), nil
	}
	for i := range vals {
		if vals[i].Null && e.schema.Cells[i].Missing == nil {
			continue
		}
		var err error
		if dst, err = e.appendCell(dst, i, vals[i], ts); err != nil {
			return dst[:base], err
		}
	}
	return e.overtaking(dst, base, replace), nil
}

// overtaking marks what was appended since base, unless it replaces the row.
func (e *RowEncoder) overtaking(dst []storage.Mutation, base int, replace bool) []storage.Mutation {
	if e.Latest && !replace {
		for i := base; i < len(dst); i++ {
			dst[i].Latest = dst[i].Op == storage.SetCell
		}
	}
	return dst
}

func setCell(family string, qualifier []byte, ts int64, value []byte) storage.Mutation {
	return storage.Mutation{Op: storage.SetCell, Family: family, Qualifier: qualifier, Timestamp: ts, Value: value}
}

func (e *RowEncoder) appendMarker(dst []storage.Mutation, ts int64) []storage.Mutation {
	col, v := e.schema.Marker()
	return append(dst, setCell(col.Family, col.Qualifier, ts, v))
}

func (e *RowEncoder) appendCell(dst []storage.Mutation, cell int, d types.Datum, ts int64) ([]storage.Mutation, error) {
	c := &e.schema.Cells[cell]
	v, err := e.appendValue(e.mem.room(max(16, len(d.Bytes), c.FixedWidth())), c, &d)
	if err != nil {
		return dst, err
	}
	return append(dst, setCell(c.Family, c.Qualifier, ts, e.mem.keep(v))), nil
}

// appendValue appends a value as cell c stores it; NULL is no bytes. In a table of
// Phoenix what else has no bytes would be read as NULL: 0A000.
func (e *RowEncoder) appendValue(dst []byte, c *CellColumn, d *types.Datum) ([]byte, error) {
	if d.Null {
		return dst, nil
	}
	base := len(dst)
	dst, err := AppendValue(dst, &c.Column, *d)
	if err == nil && len(dst) == base {
		switch {
		case e.schema.Key.Adopted:
			err = emptyIsNull(c.Type)
		case c.Missing != nil:
			dst = append(dst, emptyText...)
		}
	}
	return dst, nameColumn(err, e.schema.Key.Table, c.Name)
}

// emptyText is the empty string where a cell of no bytes is NULL: no text has a zero byte.
const emptyText = "\x00"

// MissingValue gives CellColumn.Missing of a value that is not NULL, for a new column of a
// table of our own. ok is false for a type whose values may have no bytes without being text.
func MissingValue(c *Column, d types.Datum) (b []byte, ok bool, err error) {
	if !c.KeepsMissing() {
		return nil, false, nil
	}
	b, err = AppendValue([]byte{}, c, d)
	if len(b) == 0 {
		b = append(b, emptyText...)
	}
	return b, true, err
}

// KeepsMissing says that MissingValue has bytes for the column's values.
func (c *Column) KeepsMissing() bool {
	return c.Type != Varbinary && c.Type != VarbinaryEncoded && c.Type != Array && (c.Type != Varchar || c.SQL.Kind != types.Bytea)
}

// emptyIsNull refuses a value that Phoenix would read back as NULL.
func emptyIsNull(t Type) error {
	what := "an empty string"
	if t == Array {
		what = "an empty array"
	}
	return sqlerr.Unsupported(what+" cannot be stored in a table of Phoenix, which reads it as NULL",
		"Write NULL, or NULLIF(value, '').")
}

// AppendUpdate appends the mutations that set columns cols (indexes into
// Schema.Cells) to vals and leave the others as they are: SetCell, or DeleteCell for
// NULL, behind the marker cell. A table of packed rows is 0A000 here: see
// AppendPackedUpdate. Errors are AppendRow's.
func (e *RowEncoder) AppendUpdate(dst []storage.Mutation, cols []int, vals []types.Datum, ts int64) ([]storage.Mutation, error) {
	if e.schema.Layout != OneCellPerColumn {
		return dst, sqlerr.Unsupported("part of a packed row cannot be written blindly", "Read the packed cell first.")
	}
	if len(cols) != len(vals) {
		return dst, sqlerr.Internal(nil, "%d values for %d columns", len(vals), len(cols))
	}
	base := len(dst)
	dst = e.appendMarker(dst, ts)
	for i, cell := range cols {
		if c := &e.schema.Cells[cell]; vals[i].Null && c.Missing == nil {
			dst = append(dst, storage.Mutation{Op: storage.DeleteCell, Family: c.Family, Qualifier: c.Qualifier})
			continue
		}
		var err error
		if dst, err = e.appendCell(dst, cell, vals[i], ts); err != nil {
			return dst[:base], err
		}
	}
	return e.overtaking(dst, base, false), nil
}

// PackedCells lists the packed cells that hold columns cols: what to read, and
// to compare, before AppendPackedUpdate.
func (e *RowEncoder) PackedCells(cols []int) []storage.Col {
	var out []storage.Col
	for _, f := range e.families {
		for _, cell := range f.cells {
			if cell >= 0 && slices.Contains(cols, cell) {
				out = append(out, storage.Col{Family: f.name, Qualifier: packedQualifier})
				break
			}
		}
	}
	return out
}

// AppendPackedUpdate is AppendUpdate for packed rows: old gives the present
// packed cell of a family, nil where there is none. The caller makes the write
// conditional on what old gave.
func (e *RowEncoder) AppendPackedUpdate(dst []storage.Mutation, old func(family string) []byte, cols []int, vals []types.Datum, ts int64) ([]storage.Mutation, error) {
	if len(cols) != len(vals) {
		return dst, sqlerr.Internal(nil, "%d values for %d columns", len(vals), len(cols))
	}
	base := len(dst)
	dst = e.appendMarker(dst, ts)
	if e.update == nil {
		e.update = make([]*types.Datum, len(e.schema.Cells))
	}
	clear(e.update)
	for i, cell := range cols {
		e.update[cell] = &vals[i]
	}
	for i := range e.families {
		f := &e.families[i]
		if !slices.ContainsFunc(f.cells, func(cell int) bool { return cell >= 0 && e.update[cell] != nil }) {
			continue
		}
		v, empty, err := e.patch(f, old(f.name))
		if err != nil {
			return dst[:base], err
		}
		if empty {
			dst = append(dst, storage.Mutation{Op: storage.DeleteCell, Family: f.name, Qualifier: packedQualifier})
		} else {
			dst = append(dst, setCell(f.name, packedQualifier, ts, v))
		}
	}
	return e.overtaking(dst, base, false), nil
}

// pack makes the packed cell of family f from whole values; empty says that all of
// them are NULL.
func (e *RowEncoder) pack(f *packedFamily, vals []types.Datum) (v []byte, empty bool, err error) {
	empty = true
	dst := e.packer.start(e.mem.room(256))
	for _, cell := range f.cells[1:] {
		absent := cell < 0 || vals[cell].Null && e.schema.Cells[cell].Missing == nil
		if err := e.packer.mark(dst, absent); err != nil {
			return nil, false, err
		}
		if absent {
			continue
		}
		empty = false
		if dst, err = e.appendValue(dst, &e.schema.Cells[cell], &vals[cell]); err != nil {
			return nil, false, err
		}
	}
	return e.mem.keep(e.packer.end(dst)), empty, nil
}

// patch makes the packed cell that old becomes by e.update; elements of old that
// no column has any more are kept.
func (e *RowEncoder) patch(f *packedFamily, old []byte) (v []byte, empty bool, err error) {
	var p packedCell
	if old != nil {
		var ok bool
		if p, ok = readPacked(old); !ok {
			return nil, false, corruptPacked(e.schema, f.name, old)
		}
	}
	empty = true
	dst := e.packer.start(e.mem.room(len(old) + 256))
	for i := 1; i < max(len(f.cells), p.count); i++ {
		cell := -1
		if i < len(f.cells) {
			cell = f.cells[i]
		}
		if cell >= 0 && e.update[cell] != nil {
			d, c := e.update[cell], &e.schema.Cells[cell]
			absent := d.Null && c.Missing == nil
			if err := e.packer.mark(dst, absent); err != nil {
				return nil, false, err
			}
			if !absent {
				empty = false
				if dst, err = e.appendValue(dst, c, d); err != nil {
					return nil, false, err
				}
			}
			continue
		}
		b, ok := p.elem(i)
		if !ok {
			return nil, false, corruptPacked(e.schema, f.name, old)
		}
		if err := e.packer.mark(dst, b == nil); err != nil {
			return nil, false, err
		}
		empty = empty && b == nil
		dst = append(dst, b...)
	}
	return e.mem.keep(e.packer.end(dst)), empty, nil
}

func corruptPacked(s *Schema, family string, b []byte) error {
	if len(b) > 0 && b[len(b)-1] == packedVersionOld {
		e := sqlerr.Unsupported("packed rows of serialization version 2 cannot be read",
			"Rewrite the table with a newer Phoenix before adopting it.")
		e.Table = s.Key.Table
		return e
	}
	return corrupt(s.Key.Table, family, "The bytes %X are not a packed row.", clip(b))
}
