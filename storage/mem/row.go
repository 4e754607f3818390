package mem

import (
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/saltsql/saltsql/storage"
)

// row is never changed once it is in a tree.
type row struct {
	key   string
	cells []cell // by family, qualifier, newest first
}

type cell struct {
	family, qual string
	ts           int64
	value        []byte
}

func compareCells(a, b cell) int {
	if c := strings.Compare(a.family, b.family); c != 0 {
		return c
	}
	if c := strings.Compare(a.qual, b.qual); c != 0 {
		return c
	}
	switch {
	case a.ts > b.ts:
		return -1
	case a.ts < b.ts:
		return 1
	}
	return 0
}

func (r *row) bytes() int64 {
	n := int64(len(r.key))
	for _, c := range r.cells {
		n += int64(len(c.qual) + len(c.value))
	}
	return n
}

// held is about how much memory the row takes.
func (r *row) held() int64 {
	return r.bytes() + int64(unsafe.Sizeof(*r)) + int64(len(r.cells))*int64(unsafe.Sizeof(cell{}))
}

// apply gives the row that old (nil: none) becomes.
func apply(old *row, key string, muts []storage.Mutation) *row {
	r := &row{key: key}
	if old != nil {
		r.cells = slices.Clone(old.cells)
	}
	for _, m := range muts {
		switch m.Op {
		case storage.SetCell:
			c := cell{m.Family, string(m.Qualifier), m.Timestamp, slices.Clone(m.Value)}
			if m.Latest {
				r.cells = slices.DeleteFunc(r.cells, func(o cell) bool { return o.family == c.family && o.qual == c.qual && o.ts >= c.ts })
			}
			i, found := slices.BinarySearchFunc(r.cells, c, compareCells)
			if found {
				r.cells[i] = c
			} else {
				r.cells = slices.Insert(r.cells, i, c)
			}
		case storage.DeleteCell:
			r.cells = slices.DeleteFunc(r.cells, func(c cell) bool { return c.family == m.Family && c.qual == string(m.Qualifier) })
		case storage.DeleteFamily:
			r.cells = slices.DeleteFunc(r.cells, func(c cell) bool { return c.family == m.Family })
		case storage.DeleteRow:
			r.cells = r.cells[:0]
		}
	}
	return r
}

// bounds says which cells of a family can be seen.
type bounds struct {
	minTS, maxTS int64
	versions     int
}

// boundsOf combines a request's bounds with what the family keeps. ok is false
// for a family that the table does not have.
func boundsOf(spec *storage.TableSpec, family string, req *storage.ScanRequest, now time.Time) (b bounds, ok bool) {
	i := slices.IndexFunc(spec.Families, func(f storage.FamilySpec) bool { return f.Name == family })
	if i < 0 {
		return b, false
	}
	f := &spec.Families[i]
	b = bounds{req.MinTS, req.MaxTS, min(max(req.Versions, 1), f.MaxVersions)}
	if f.TTL > 0 {
		b.minTS = max(b.minTS, now.Add(-f.TTL).UnixMicro())
	}
	return b, true
}

// visible gives the cells of r that req asks for.
func (r *row) visible(spec *storage.TableSpec, req *storage.ScanRequest, now time.Time) []cell {
	var out []cell
	var prev cell
	n := 0 // versions of prev's column given
	for i, c := range r.cells {
		if i == 0 || c.family != prev.family || c.qual != prev.qual {
			n = 0
		}
		prev = c
		b, ok := boundsOf(spec, c.family, req, now)
		if !ok || c.ts < b.minTS || b.maxTS > 0 && c.ts >= b.maxTS || n >= b.versions {
			continue
		}
		n++
		if projected(req.Project, c) {
			out = append(out, c)
		}
	}
	return out
}

// isVisible says that req's timestamps let a cell of r be seen, projected or not.
func (r *row) isVisible(spec *storage.TableSpec, req *storage.ScanRequest, now time.Time) bool {
	all := *req
	all.Project = nil
	return len(r.visible(spec, &all, now)) > 0
}

func projected(cols []storage.Col, c cell) bool {
	return len(cols) == 0 || slices.ContainsFunc(cols, func(col storage.Col) bool {
		return col.Family == c.family && string(col.Qualifier) == c.qual
	})
}

// cellView implements storage.RowView.
type cellView []cell

func (v cellView) Get(family string, qualifier []byte) ([]byte, bool) {
	for _, c := range v {
		if c.family == family && c.qual == string(qualifier) {
			return c.value, true
		}
	}
	return nil, false
}

// holds evaluates a condition; r may be nil.
func holds(c *storage.Cond, spec *storage.TableSpec, r *row, now time.Time) bool {
	req := storage.ScanRequest{MinTS: c.MinTS}
	rowCond := c.Op == storage.RowAbsent || c.Op == storage.RowPresent
	if !rowCond {
		req.Project = []storage.Col{{Family: c.Family, Qualifier: c.Qualifier}}
	}
	var cells []cell
	if r != nil {
		cells = r.visible(spec, &req, now)
	}
	switch c.Op {
	case storage.RowAbsent, storage.CellAbsent:
		return len(cells) == 0
	case storage.CellEquals:
		return len(cells) > 0 && string(cells[0].value) == string(c.Value)
	case storage.CellTSEquals:
		return len(cells) > 0 && cells[0].ts == c.Timestamp
	default:
		return len(cells) > 0
	}
}
