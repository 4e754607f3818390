package rowstate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Row is one row's cells. Its slices point into what it was loaded from and into the
// mutations applied. The zero Row is one that is not there.
type Row struct {
	Cells []storage.Cell // by family, qualifier, newest first
	shown []storage.Cell
}

// Families says what a table keeps of its cells. nil keeps all.
type Families struct {
	Specs []storage.FamilySpec
	Now   time.Time
}

// bounds gives the oldest timestamp (µs) and the most versions kept in a family; ok is
// false for one that the table does not have.
func (f *Families) bounds(name string) (minTS int64, versions int, ok bool) {
	i := slices.IndexFunc(f.Specs, func(s storage.FamilySpec) bool { return s.Name == name })
	if i < 0 {
		return 0, 0, false
	}
	if ttl := f.Specs[i].TTL; ttl > 0 {
		minTS = f.Now.Add(-ttl).UnixMicro()
	}
	return minTS, f.Specs[i].MaxVersions, true
}

// Load starts from row i of b; a negative i is a row that is not there.
func (r *Row) Load(b *storage.RowBatch, i int) {
	r.Cells = r.Cells[:0]
	if i < 0 {
		return
	}
	for j := range b.NumCells(i) {
		r.Cells = append(r.Cells, b.Cell(i, j))
	}
	if !slices.IsSortedFunc(r.Cells, compare) {
		slices.SortStableFunc(r.Cells, compare)
	}
}

func compare(a, b storage.Cell) int {
	if c := CompareColumn(&a, b.Family, b.Qualifier); c != 0 {
		return c
	}
	return cmp.Compare(b.Timestamp, a.Timestamp)
}

// CompareColumn orders a cell's column against another, by family and qualifier.
func CompareColumn(a *storage.Cell, family string, qualifier []byte) int {
	if c := strings.Compare(a.Family, family); c != 0 {
		return c
	}
	return bytes.Compare(a.Qualifier, qualifier)
}

// Apply makes the changes of muts, in order.
func (r *Row) Apply(muts []storage.Mutation) {
	for i := range muts {
		m := &muts[i]
		switch m.Op {
		case storage.SetCell:
			c := storage.Cell{Family: m.Family, Qualifier: m.Qualifier, Timestamp: m.Timestamp, Value: m.Value}
			if m.Latest {
				r.Cells = slices.DeleteFunc(r.Cells, func(o storage.Cell) bool {
					return o.Timestamp >= c.Timestamp && CompareColumn(&o, c.Family, c.Qualifier) == 0
				})
			}
			at, found := slices.BinarySearchFunc(r.Cells, c, compare)
			if found {
				r.Cells[at] = c
			} else {
				r.Cells = slices.Insert(r.Cells, at, c)
			}
		case storage.DeleteCell:
			r.Cells = slices.DeleteFunc(r.Cells, func(c storage.Cell) bool {
				return CompareColumn(&c, m.Family, m.Qualifier) == 0
			})
		case storage.DeleteFamily:
			r.Cells = slices.DeleteFunc(r.Cells, func(c storage.Cell) bool { return c.Family == m.Family })
		case storage.DeleteRow:
			r.Cells = r.Cells[:0]
		}
	}
}

// Visible gives the cells that req asks for of what the table keeps; valid until the
// row's next call.
func (r *Row) Visible(req *storage.ScanRequest, keep *Families) []storage.Cell {
	out, n := r.shown[:0], 0
	for i := range r.Cells {
		c := &r.Cells[i]
		if i == 0 || CompareColumn(c, r.Cells[i-1].Family, r.Cells[i-1].Qualifier) != 0 {
			n = 0
		}
		minTS, versions := req.MinTS, max(req.Versions, 1)
		if keep != nil {
			oldest, most, ok := keep.bounds(c.Family)
			if !ok {
				continue
			}
			minTS, versions = max(minTS, oldest), min(versions, most)
		}
		if c.Timestamp < minTS || n >= versions {
			continue
		}
		n++
		if projected(req.Project, c) {
			out = append(out, *c)
		}
	}
	r.shown = out
	return out
}

func projected(cols []storage.Col, c *storage.Cell) bool {
	if len(cols) == 0 {
		return true
	}
	for i := range cols {
		if CompareColumn(c, cols[i].Family, cols[i].Qualifier) == 0 {
			return true
		}
	}
	return false
}

// View implements storage.RowView on visible cells.
type View []storage.Cell

// Get implements storage.RowView.
func (v View) Get(family string, qualifier []byte) ([]byte, bool) {
	for i := range v {
		if CompareColumn(&v[i], family, qualifier) == 0 {
			return v[i].Value, true
		}
	}
	return nil, false
}

// Emit appends what req shows of the row to dst and says whether that was anything.
// What comes of the filter is given back as it is.
func (r *Row) Emit(table string, key []byte, req *storage.ScanRequest, keep *Families, dst *storage.RowBatch) (bool, error) {
	cells := r.Visible(req, keep)
	if len(cells) == 0 {
		if !req.EveryRow {
			return false, nil
		}
		all := storage.ScanRequest{MinTS: req.MinTS}
		if len(r.Visible(&all, keep)) == 0 {
			return false, nil
		}
		cells = nil
	}
	if req.Filter != nil {
		view := View(cells)
		if req.KeysOnly {
			view = nil
		}
		if ok, err := req.Filter(key, view); err != nil || !ok {
			return false, err
		}
	}
	if !dst.Fits(len(key) + int(sizeOf(cells))) {
		return false, storage.Errorf(storage.CodeTooLarge, storage.OpMultiGet, table, "rows asked for are over 4 GiB")
	}
	dst.StartRow(key)
	if !req.KeysOnly {
		for i := range cells {
			c := &cells[i]
			dst.AddCell(c.Family, c.Qualifier, c.Timestamp, c.Value)
		}
	}
	return true, nil
}

// Size is the bytes of qualifiers and values, as storage.CheckRowBytes counts them.
func (r *Row) Size() int64 { return sizeOf(r.Cells) }

func sizeOf(cells []storage.Cell) (n int64) {
	for i := range cells {
		n += int64(len(cells[i].Qualifier) + len(cells[i].Value))
	}
	return n
}

// Holds evaluates a condition on the row.
func (r *Row) Holds(c *storage.Cond, keep *Families) bool {
	if c.Op == storage.Untouched {
		all := storage.ScanRequest{MinTS: c.MinTS}
		return !slices.ContainsFunc(r.Visible(&all, keep), func(o storage.Cell) bool {
			return o.Family == c.Family || o.Timestamp > c.Timestamp && CompareColumn(&o, c.Other.Family, c.Other.Qualifier) == 0
		})
	}
	req := storage.ScanRequest{MinTS: c.MinTS}
	var col [1]storage.Col
	if c.Op >= storage.CellAbsent {
		col[0] = storage.Col{Family: c.Family, Qualifier: c.Qualifier}
		req.Project = col[:]
	}
	cells := r.Visible(&req, keep)
	switch c.Op {
	case storage.RowAbsent, storage.CellAbsent:
		return len(cells) == 0
	case storage.CellTSEquals:
		return len(cells) > 0 && cells[0].Timestamp == c.Timestamp
	case storage.CellIs:
		return len(cells) > 0 && bytes.Equal(cells[0].Value, c.Value) && (c.Timestamp == 0 || cells[0].Timestamp == c.Timestamp)
	default:
		return len(cells) > 0
	}
}

// Equal compares two rows cell by cell.
func (r *Row) Equal(o *Row) bool {
	return slices.EqualFunc(r.Cells, o.Cells, func(a, b storage.Cell) bool {
		return compare(a, b) == 0 && bytes.Equal(a.Value, b.Value)
	})
}
