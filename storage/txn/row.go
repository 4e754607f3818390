package txn

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

// rowState is one row as a transaction sees it: the store's cells with the
// transaction's changes applied. Its slices point into the store's batch and
// the buffer. It is reused from row to row.
type rowState struct {
	cells []storage.Cell // by family, qualifier, newest first
	shown []storage.Cell
}

// load starts from row i of rb; a negative i is a row that is not there.
func (s *rowState) load(rb *storage.RowBatch, i int) {
	s.cells = s.cells[:0]
	if i < 0 {
		return
	}
	for j := range rb.NumCells(i) {
		s.cells = append(s.cells, rb.Cell(i, j))
	}
	if !slices.IsSortedFunc(s.cells, compareCells) {
		slices.SortStableFunc(s.cells, compareCells)
	}
}

func compareCells(a, b storage.Cell) int {
	if c := compareColumn(&a, b.Family, b.Qualifier); c != 0 {
		return c
	}
	return cmp.Compare(b.Timestamp, a.Timestamp)
}

func compareColumn(a *storage.Cell, family string, qualifier []byte) int {
	if c := strings.Compare(a.Family, family); c != 0 {
		return c
	}
	return bytes.Compare(a.Qualifier, qualifier)
}

func (s *rowState) apply(changes []change) {
	for i := range changes {
		s.applyMutations(changes[i].muts)
	}
}

func (s *rowState) applyMutations(muts []storage.Mutation) {
	for i := range muts {
		m := &muts[i]
		switch m.Op {
		case storage.SetCell:
			c := storage.Cell{Family: m.Family, Qualifier: m.Qualifier, Timestamp: m.Timestamp, Value: m.Value}
			if m.Latest {
				s.cells = slices.DeleteFunc(s.cells, func(o storage.Cell) bool {
					return o.Timestamp >= c.Timestamp && compareColumn(&o, c.Family, c.Qualifier) == 0
				})
			}
			at, found := slices.BinarySearchFunc(s.cells, c, compareCells)
			if found {
				s.cells[at] = c
			} else {
				s.cells = slices.Insert(s.cells, at, c)
			}
		case storage.DeleteCell:
			s.cells = slices.DeleteFunc(s.cells, func(c storage.Cell) bool {
				return compareColumn(&c, m.Family, m.Qualifier) == 0
			})
		case storage.DeleteFamily:
			s.cells = slices.DeleteFunc(s.cells, func(c storage.Cell) bool { return c.Family == m.Family })
		case storage.DeleteRow:
			s.cells = s.cells[:0]
		}
	}
}

// visible gives the cells that req asks for; valid until the next call.
func (s *rowState) visible(req *storage.ScanRequest) []storage.Cell {
	versions := max(req.Versions, 1)
	out, n := s.shown[:0], 0
	for i := range s.cells {
		c := &s.cells[i]
		if i == 0 || compareColumn(c, s.cells[i-1].Family, s.cells[i-1].Qualifier) != 0 {
			n = 0
		}
		if c.Timestamp < req.MinTS || n >= versions {
			continue
		}
		n++
		if projected(req.Project, c) {
			out = append(out, *c)
		}
	}
	s.shown = out
	return out
}

func projected(cols []storage.Col, c *storage.Cell) bool {
	if len(cols) == 0 {
		return true
	}
	for i := range cols {
		if compareColumn(c, cols[i].Family, cols[i].Qualifier) == 0 {
			return true
		}
	}
	return false
}

// cellView implements storage.RowView.
type cellView []storage.Cell

func (v cellView) Get(family string, qualifier []byte) ([]byte, bool) {
	for i := range v {
		if compareColumn(&v[i], family, qualifier) == 0 {
			return v[i].Value, true
		}
	}
	return nil, false
}

// emit appends what req shows of the row to dst and says whether that was
// anything.
func (s *rowState) emit(table string, key []byte, req *storage.ScanRequest, dst *storage.RowBatch) (bool, error) {
	cells := s.visible(req)
	if len(cells) == 0 {
		if !req.EveryRow {
			return false, nil
		}
		all := storage.ScanRequest{MinTS: req.MinTS}
		if len(s.visible(&all)) == 0 {
			return false, nil
		}
		cells = nil
	}
	if req.Filter != nil {
		view := cellView(cells)
		if req.KeysOnly {
			view = nil
		}
		if ok, err := req.Filter(key, view); err != nil || !ok {
			return false, err
		}
	}
	size := len(key)
	for i := range cells {
		size += len(cells[i].Qualifier) + len(cells[i].Value)
	}
	if !dst.Fits(size) {
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

// holds evaluates a condition on the row.
func (s *rowState) holds(c *storage.Cond) bool {
	req := storage.ScanRequest{MinTS: c.MinTS}
	var col [1]storage.Col
	if c.Op >= storage.CellAbsent {
		col[0] = storage.Col{Family: c.Family, Qualifier: c.Qualifier}
		req.Project = col[:]
	}
	cells := s.visible(&req)
	switch c.Op {
	case storage.RowAbsent, storage.CellAbsent:
		return len(cells) == 0
	case storage.CellTSEquals:
		return len(cells) > 0 && cells[0].Timestamp == c.Timestamp
	default:
		return len(cells) > 0
	}
}

// sameRow compares row i of a with row j of b cell by cell; a negative index
// is a row that is not there.
func sameRow(a *storage.RowBatch, i int, b *storage.RowBatch, j int) bool {
	if i < 0 || j < 0 {
		return i < 0 && j < 0
	}
	var x, y rowState
	x.load(a, i)
	y.load(b, j)
	return slices.EqualFunc(x.cells, y.cells, func(c, d storage.Cell) bool {
		return compareCells(c, d) == 0 && bytes.Equal(c.Value, d.Value)
	})
}
