package rowpack

import "github.com/saltsql/saltsql/storage"

// shape is what a plan wants of the rows that begin with the same bytes, but for the
// timestamps of their cells: their version, width and shape.
type shape struct {
	prefix     []byte // of the row that it was learned from
	stamps     []stamp
	now        []byte // of the row met last
	columns    int    // where the first cell is in prefix
	count      int    // cells of such a row; 0: nothing is learned
	width      int
	ends       int         // where the ends of the values begin
	values     int         // where the values do
	cells      []shapeCell // wanted
	hinted     []int       // the cells that the plan's bounds are of, -1 without
	generation int         // batch that holds a copy of prefix, at which qLo and qHi point
	base       uint32      // where that copy is
}

// stamp is where a cell's timestamp lies in the prefix of a shape.
type stamp struct{ lo, hi int }

type shapeCell struct {
	index    int // among the row's cells
	qLo, qHi uint32
	delta    int64
	family   uint32
	number   uint16 // of family, in the batch
	again    bool   // another version of the wanted column before
	column   int    // in the request's Project
}

// shapeCache remembers the shapes met last. NULLs make shapes differ within a
// table, so there are several, found by a hash of the shape. Timestamps are no part of
// it: once single cells have been written, most rows have theirs.
type shapeCache struct {
	slots      [16]shape
	last       *shape
	generation int
}

// forget makes the cache fit for another plan and keeps its memory.
func (c *shapeCache) forget() {
	for i := range c.slots {
		c.slots[i].count, c.slots[i].now = 0, c.slots[i].now[:0]
	}
	c.last = nil
	c.generation++
}

// shapeOf gives the shape of a packed row.
func (p *Plan) shapeOf(raw []byte) (*shape, error) {
	c := &p.shapes
	s := c.last
	if s == nil || len(raw) < len(s.now)+baseLen || string(raw[:len(s.now)]) != string(s.now) {
		l, err := ReadLayout(raw)
		if err != nil {
			return nil, err
		}
		if s != nil && s.takes(raw, &l) {
			return s, nil
		}
		s = &c.slots[shapeHash(raw, &l)%uint32(len(c.slots))]
		if !s.takes(raw, &l) {
			if err := p.learn(s, raw, &l); err != nil {
				return nil, err
			}
		}
		c.last = s
	}
	return s, nil
}

// takes says whether a row has the shape, and if so makes the row's timestamps those of
// the shape.
func (s *shape) takes(raw []byte, l *Layout) bool {
	if s.count != l.Count || s.width != l.width {
		return false
	}
	from, pos, wanted := s.columns, l.columns, 0
	for i := range s.stamps {
		t := &s.stamps[i]
		n := t.lo - from
		if l.base-pos < n || string(raw[pos:pos+n]) != string(s.prefix[from:t.lo]) {
			return false
		}
		d, next := Uvarint(raw[:l.base], pos+n)
		if next < 0 {
			return false
		}
		if wanted < len(s.cells) && s.cells[wanted].index == i {
			s.cells[wanted].delta = unzigzag(d)
			wanted++
		}
		from, pos = t.hi, next
	}
	if pos != l.base {
		return false
	}
	s.ends, s.values = l.ends(), l.values()
	s.now = append(s.now[:0], raw[:l.base]...)
	return true
}

// ensurePlaced has the qualifiers of a shape in dst. It must be called before
// the row is started, so that dropping the row leaves them.
func (c *shapeCache) ensurePlaced(dst *storage.RowBatch, s *shape, d *Desc) {
	if s.generation != c.generation {
		s.place(dst, d)
		s.generation = c.generation
	}
}

// shapeHash is FNV-1a of a shape without its timestamps.
func shapeHash(raw []byte, l *Layout) uint32 {
	h := uint32(2166136261)
	from := l.columns
	for c := openShape(raw, l); c.next(); from = c.pos {
		for _, x := range raw[from:c.ts] {
			h = (h ^ uint32(x)) * 16777619
		}
	}
	return h ^ h>>16
}

// learn reads a shape and decides which of its cells the plan wants.
func (p *Plan) learn(s *shape, raw []byte, l *Layout) error {
	*s = shape{prefix: s.prefix[:0], stamps: s.stamps[:0], now: s.now[:0], cells: s.cells[:0], generation: -1, hinted: s.hinted[:0]}
	for range p.bounds {
		s.hinted = append(s.hinted, -1)
	}
	project := p.project // columns not passed yet
	wanted := false
	column := 0
	sc := openShape(raw, l)
	for i := 0; sc.next(); i++ {
		if int(sc.family) >= len(p.desc.ByID) || p.desc.ByID[sc.family].name == "" {
			return ErrCorrupt
		}
		s.stamps = append(s.stamps, stamp{sc.ts, sc.pos})
		again := sc.again && wanted
		if !sc.again {
			wanted = p.all
			col := projCol{family: sc.family, qual: raw[sc.qLo:sc.qHi]}
			for k := range p.bounds {
				if compareCol(col, p.bounds[k].col) == 0 {
					s.hinted[k] = i
				}
			}
			for !wanted && len(project) > 0 {
				order := compareCol(project[0], col)
				if order > 0 {
					break
				}
				wanted, column = order == 0, project[0].column
				project = project[1:]
			}
		}
		if !wanted || again && !p.bounded {
			continue
		}
		s.cells = append(s.cells, shapeCell{index: i, qLo: uint32(sc.qLo), qHi: uint32(sc.qHi), delta: sc.delta, family: sc.family, again: again, column: column})
	}
	if sc.err != nil {
		return sc.err
	}
	s.ends, s.values = l.ends(), l.values()
	s.prefix, s.now = append(s.prefix, raw[:l.base]...), append(s.now, raw[:l.base]...)
	s.columns, s.width = l.columns, l.width
	s.count = l.Count // last: an unread shape matches nothing
	return nil
}

// place copies the shape into a batch and points its cells there.
func (s *shape) place(dst *storage.RowBatch, d *Desc) {
	old := s.base
	if s.generation < 0 {
		old = 0
	}
	s.base = dst.AddBytes(s.prefix)
	for i := range s.cells {
		c := &s.cells[i]
		c.qLo += s.base - old
		c.qHi += s.base - old
		if i == 0 || c.family != s.cells[i-1].family {
			c.number = dst.Intern(d.ByID[c.family].name)
		} else {
			c.number = s.cells[i-1].number
		}
	}
}
