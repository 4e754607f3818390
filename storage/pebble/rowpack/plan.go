package rowpack

import (
	"bytes"
	"encoding/binary"
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Plan is a read request resolved against a table's descriptor: what
// decides which cells of a packed row go into a RowBatch.
type Plan struct {
	req      *storage.ScanRequest
	desc     *Desc
	project  []projCol // by (family, qualifier); meaningless where all is set
	all      bool
	every    bool // rows without a column of project too
	versions int
	bounds   []valueBounds // rows are dropped by these

	// bounded says that a cell may be hidden by its timestamp, or that
	// families differ in versions.
	bounded bool
	limits  []cellLimits // by family id; filled where bounded

	shapes shapeCache
	view   packedView

	FilterFailed bool // the error of emit is the filter's own
}

type projCol struct {
	family uint32
	qual   []byte
	column int // in the request's Project
}

type cellLimits struct {
	minTS    int64
	versions int
}

var planPool = sync.Pool{New: func() any { return new(Plan) }}

// NewPlan resolves req. The plan goes back by Release.
func NewPlan(req *storage.ScanRequest, desc *Desc, now func() time.Time) *Plan {
	p := planPool.Get().(*Plan)
	p.req, p.desc = req, desc
	p.every = req.EveryRow && len(req.Project) > 0
	p.project = p.project[:0]
	for i := range req.Project {
		c := &req.Project[i]
		if id := desc.FamilyID(c.Family); id != 0 {
			p.addProject(projCol{id, c.Qualifier, i})
		}
	}
	p.versions = max(1, req.Versions)
	p.bounded = desc.HasTTL || req.MinTS > 0 || p.versions > 1
	p.all = len(req.Project) == 0 || p.every && p.bounded // then any cell may be the one that is seen
	p.limits = p.limits[:0]
	if p.bounded {
		at := now()
		for i := range desc.ByID {
			f := &desc.ByID[i]
			p.limits = append(p.limits, cellLimits{max(req.MinTS, f.Oldest(at)), min(p.versions, f.versions)})
		}
	}
	if h := req.Hint; h != nil && !p.bounded {
		p.addBounds(h)
		for i := range h.And {
			p.addBounds(&h.And[i])
		}
	}
	p.shapes.forget()
	p.view.plan, p.FilterFailed = p, false
	return p
}

func (p *Plan) addBounds(h *storage.Hint) {
	if id := p.desc.FamilyID(h.Col.Family); id != 0 {
		p.bounds = append(p.bounds, newValueBounds(h, id))
	}
}

// addProject keeps the list sorted and distinct; it is short and mostly comes
// in order.
func (p *Plan) addProject(c projCol) {
	p.project = append(p.project, c)
	for i := len(p.project) - 1; i > 0; i-- {
		switch compareCol(p.project[i-1], p.project[i]) {
		case 0:
			p.project = append(p.project[:i], p.project[i+1:]...)
			return
		case -1:
			return
		}
		p.project[i-1], p.project[i] = p.project[i], p.project[i-1]
	}
}

func compareCol(a, b projCol) int {
	switch {
	case a.family < b.family:
		return -1
	case a.family > b.family:
		return 1
	}
	return bytes.Compare(a.qual, b.qual)
}

// Release gives the plan back.
func (p *Plan) Release() {
	clear(p.project[:cap(p.project)])
	p.shapes.forget()
	p.req, p.desc, p.view.raw = nil, nil, nil
	clear(p.bounds)
	p.bounds = p.bounds[:0]
	planPool.Put(p)
}

// StartBatch is called when another batch is going to be filled: what shapes
// have put into the batch before is not in it.
func (p *Plan) StartBatch() { p.shapes.generation++ }

// InColumns says that batches are filled by EmitValues.
func (p *Plan) InColumns() bool {
	return p.req.ValuesOnly && !p.req.KeysOnly && !p.all && !p.bounded && p.req.Filter == nil
}

// Emit appends what the plan shows of a packed row, and says whether that was
// anything. What lies between the first and the last value wanted is copied in
// one piece; qualifiers are those of the shape, which is copied once a batch.
func (p *Plan) Emit(dst *storage.RowBatch, key, raw []byte) (bool, error) {
	if p.req.Filter != nil {
		if ok, err := p.passes(key, raw); !ok || err != nil {
			return false, err
		}
	}
	if p.req.KeysOnly && p.all && !p.bounded && len(p.bounds) == 0 {
		dst.StartRow(key)
		return true, nil
	}
	s, err := p.shapeOf(raw)
	if err != nil {
		return false, err
	}
	if len(s.cells) == 0 {
		if p.every {
			dst.StartRow(key)
		}
		return p.every, nil
	}
	if s.values > len(raw) {
		return false, ErrCorrupt
	}
	if len(p.bounds) > 0 {
		if ok, err := s.matches(p.bounds, raw[s.ends:s.values], raw[s.values:]); !ok || err != nil {
			return false, err
		}
	}
	if p.req.KeysOnly && !p.bounded {
		dst.StartRow(key)
		return true, nil
	}
	p.shapes.ensurePlaced(dst, s, p.desc)
	f := filler{base: int64(binary.BigEndian.Uint64(raw[len(s.now):])), ends: raw[s.ends:s.values], vals: raw[s.values:]}
	from := endOf(f.ends, s.width, s.cells[0].index-1)
	to := endOf(f.ends, s.width, s.cells[len(s.cells)-1].index)
	if from > to || to > len(f.vals) {
		return false, ErrCorrupt
	}
	f.from = uint32(from)
	dst.StartRow(key)
	out := dst.AddCells(len(s.cells))
	sparse := !p.all && to-from > sparseBytes
	if !p.req.KeysOnly && !sparse {
		f.shift = dst.AddBytes(f.vals[from:to]) - f.from
	}
	var n int
	if p.bounded {
		n = f.bounded(out, s, p)
	} else {
		n = f.all(out, s)
	}
	dst.TrimCells(len(out) - max(n, 0))
	switch {
	case n < 0:
		return false, ErrCorrupt
	case n == 0:
		dst.DropRow()
		return false, nil
	case p.req.KeysOnly:
		dst.TrimCells(n)
	case sparse:
		copyEach(dst, out[:n], f.vals)
	}
	return true, nil
}

// filler fills in cells of one row. Offsets of values are those of the packed
// values plus shift, which wraps around as the sum does; each must begin where
// the one before ended or later, from from on.
type filler struct {
	base  int64
	ends  []byte
	vals  []byte
	from  uint32
	shift uint32
}

// all fills in every cell of a shape, and gives -1 where an offset is wrong.
// The first loop is the hot one: it writes field by field, since a struct
// literal is built aside and copied.
func (f *filler) all(out []storage.CellRef, s *shape) int {
	out = out[:len(s.cells)]
	at := f.from
	if s.width == 1 {
		for i := range s.cells {
			c, o := &s.cells[i], &out[i]
			lo, hi := uint32(0), uint32(f.ends[c.index])
			if c.index > 0 {
				lo = uint32(f.ends[c.index-1])
			}
			if lo < at || hi < lo {
				return -1
			}
			at = hi
			o.QualLo, o.QualHi = c.qLo, c.qHi
			o.ValLo, o.ValHi = lo+f.shift, hi+f.shift
			o.Timestamp = f.base + c.delta
			o.Family = c.number
		}
		return len(out)
	}
	for i := range s.cells {
		if at = f.one(&out[i], s, &s.cells[i], at); at == badOffset {
			return -1
		}
	}
	return len(out)
}

// bounded fills in the cells that timestamps and versions let be seen, and
// says how many; -1 where an offset is wrong.
func (f *filler) bounded(out []storage.CellRef, s *shape, p *Plan) int {
	n, left := 0, 0
	at := f.from
	for i := range s.cells {
		c := &s.cells[i]
		l := &p.limits[c.family]
		if !c.again {
			left = l.versions
		}
		ts := f.base + c.delta
		if left == 0 || ts < l.minTS {
			continue
		}
		left--
		if at = f.one(&out[n], s, c, at); at == badOffset {
			return -1
		}
		n++
	}
	return n
}

const badOffset = 1<<32 - 1

func (f *filler) one(o *storage.CellRef, s *shape, c *shapeCell, at uint32) uint32 {
	lo, hi := uint32(endOf(f.ends, s.width, c.index-1)), uint32(endOf(f.ends, s.width, c.index))
	if lo < at || hi < lo || int64(hi) > int64(len(f.vals)) {
		return badOffset
	}
	o.QualLo, o.QualHi = c.qLo, c.qHi
	o.ValLo, o.ValHi = lo+f.shift, hi+f.shift
	o.Timestamp = f.base + c.delta
	o.Family = c.number
	return hi
}

// copyEach copies the values of cells, whose offsets are those of vals.
func copyEach(dst *storage.RowBatch, cells []storage.CellRef, vals []byte) {
	for i := range cells {
		c := &cells[i]
		shift := dst.AddBytes(vals[c.ValLo:c.ValHi]) - c.ValLo
		c.ValLo += shift
		c.ValHi += shift
	}
}

// sparseBytes is the size from which the columns of a projection are copied
// one by one, since most of what lies between them may not be wanted.
const sparseBytes = 512

// passes runs the filter over the row as it lies.
func (p *Plan) passes(key, raw []byte) (bool, error) {
	p.view.raw, p.view.err = raw, nil
	ok, err := p.req.Filter(key, &p.view)
	if p.view.err != nil {
		return false, p.view.err
	}
	p.FilterFailed = err != nil
	return ok, err
}

// packedView implements storage.RowView on a packed row.
type packedView struct {
	plan *Plan
	raw  []byte
	err  error
}

func (v *packedView) Get(family string, qualifier []byte) ([]byte, bool) {
	id := v.plan.desc.FamilyID(family)
	if id == 0 {
		return nil, false
	}
	c := Open(v.raw)
	for c.Next() {
		if c.Family != id || string(c.Qualifier) != string(qualifier) {
			continue
		}
		if v.plan.visible(&c.cell) {
			return c.value, true
		}
	}
	if c.Err != nil {
		v.err = c.Err
	}
	return nil, false
}

// visible says whether timestamps hide a cell.
func (p *Plan) visible(c *cell) bool {
	return !p.bounded || c.TS >= p.limits[c.Family].minTS
}
