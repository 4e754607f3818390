package window

import (
	"math"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// peers says where the peers of each row of the present block begin and end, and which
// group of peers of the partition they are, from 0.
type peers struct {
	w          *window
	start, end []int64
	group      []int64

	from, to int64 // of the row before
	number   int64
	ahead    spill.KeptReader
}

func (p *peers) open(w *window) {
	p.w = w
	p.ahead.Open(&w.kept)
}

func (p *peers) begin(w *window) { p.from, p.to, p.number = w.from, w.from, -1 }

func (p *peers) block(w *window, lo, hi int64) error {
	p.start, p.end, p.group = p.start[:0], p.end[:0], p.group[:0]
	for r := lo; r < hi; r++ {
		if r == p.to {
			p.from, p.to = r, r+1
			p.number++
			for p.to < w.to {
				b, s, err := p.ahead.At(p.to)
				if err != nil {
					return err
				}
				if b.Cols[w.peer].Bools[s] {
					break
				}
				p.to++
			}
		}
		p.start, p.end, p.group = append(p.start, p.from), append(p.end, p.to), append(p.group, p.number)
	}
	return nil
}

func (p *peers) close() { p.ahead.Close() }

// frame says which rows of the partition each row of the present block sees. Both of its
// ends only go forward.
//
//	partition   from ……… head ……… row ……… tail ……… to
//	frame                [head           tail)  less what is excluded
type frame struct {
	spec       plan.Frame
	start, end edge
	growing    bool // head stays at the partition's start, nothing is excluded

	lo         int64 // of the present block
	done       int64 // up to which row it is computed
	head, tail []int64
}

// edge is one end of a frame.
type edge struct {
	bound   plan.Bound
	end     bool
	offset  int64 // of rows and groups
	shift   int   // column of RANGE's
	key     int   // column of the order's key, as the shift's type
	less    bool  // keys up to the shift are before the edge
	sub     bool  // the shift goes down
	first   bool  // NULLs
	at      int64
	group   int64 // of the row at
	current spill.KeptReader
	ahead   spill.KeptReader
}

// newFrame gives the frame of a call; those that are alike are one. A call that does not
// look at its frame has one too: its offsets must be right.
func (w *window) newFrame(spec plan.Frame) (*frame, error) {
	for _, f := range w.frames {
		if f.spec == spec {
			return f, nil
		}
	}
	f := &frame{spec: spec, start: edge{bound: spec.Start}, end: edge{bound: spec.End, end: true}}
	for _, e := range []*edge{&f.start, &f.end} {
		if spec.Mode != plan.FrameRange || e.bound.Kind != plan.OffsetPreceding && e.bound.Kind != plan.OffsetFollowing {
			continue
		}
		if len(w.n.Order) != 1 || e.bound.Shift == nil {
			return nil, sqlerr.Internal(nil, "a RANGE frame with an offset without its key")
		}
		k := w.n.Order[0]
		e.sub = (e.bound.Kind == plan.OffsetPreceding) != k.Desc
		e.less = e.end != k.Desc
		e.first = k.NullsFirst
		// The column is there already; what computes it is compiled when the offset is known.
		w.wide = append(w.wide, e.bound.Shift.Type())
		w.extra = append(w.extra, nil)
		e.shift = len(w.wide) - 1
		key, err := expr.ResolveCast(k.Expr, e.bound.Shift.Type(), expr.Implicit, 0)
		if err != nil {
			return nil, err
		}
		if e.key = w.order[0]; key != k.Expr {
			if e.key, err = w.column(key); err != nil {
				return nil, err
			}
		}
	}
	f.growing = spec.Exclude == plan.ExcludeNoOthers && f.start.bound.Kind == plan.UnboundedPreceding
	w.frames = append(w.frames, f)
	return f, nil
}

// open evaluates the offsets.
func (f *frame) open(w *window) error {
	for _, e := range []*edge{&f.start, &f.end} {
		e.current.Open(&w.kept)
		e.ahead.Open(&w.kept)
		if e.bound.Kind != plan.OffsetPreceding && e.bound.Kind != plan.OffsetFollowing {
			continue
		}
		name := "starting"
		if e.end {
			name = "ending"
		}
		d, err := eval.EvalConst(w.cx.Env, e.bound.Offset)
		if err != nil {
			return err
		}
		if d.Null {
			return sqlerr.New(sqlerr.NullValueNotAllowed, "frame %s offset must not be null", name)
		}
		if f.spec.Mode != plan.FrameRange {
			if e.offset = d.Int; d.Int < 0 {
				return sqlerr.New(sqlerr.InvalidPrecedingOrFollowing, "frame %s offset must not be negative", name)
			}
			continue
		}
		shift := expr.ShiftBy(e.bound.Shift, d.Clone(e.bound.Offset.Type()))
		if w.extra[e.shift-len(w.sorted)], err = eval.Compile(shift); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) begin(w *window) {
	f.lo, f.done = w.from, w.from
	f.head, f.tail = f.head[:0], f.tail[:0]
	for _, e := range []*edge{&f.start, &f.end} {
		e.at, e.group = w.from, 0
	}
}

// block computes the frames of rows lo to hi-1. Calls that share the frame ask for the
// same block one after another.
func (f *frame) block(w *window, lo, hi int64) error {
	if f.lo == lo && f.done == hi && len(f.head) == int(hi-lo) {
		return nil
	}
	f.lo, f.done = lo, hi
	f.head, f.tail = f.head[:0], f.tail[:0]
	for r := lo; r < hi; r++ {
		head, err := f.start.find(f.spec.Mode, w, r, int(r-lo))
		if err != nil {
			return err
		}
		tail, err := f.end.find(f.spec.Mode, w, r, int(r-lo))
		if err != nil {
			return err
		}
		f.head, f.tail = append(f.head, head), append(f.tail, max(head, tail))
	}
	return nil
}

// find gives where the edge of row r, the i-th of the block, is: the frame's first row,
// or the one after its last.
func (e *edge) find(mode plan.FrameMode, w *window, r int64, i int) (int64, error) {
	switch e.bound.Kind {
	case plan.UnboundedPreceding:
		return w.from, nil
	case plan.UnboundedFollowing:
		return w.to, nil
	case plan.CurrentRow:
		switch {
		case mode == plan.FrameRows && e.end:
			return r + 1, nil
		case mode == plan.FrameRows:
			return r, nil
		case e.end:
			return w.peers.end[i], nil
		}
		return w.peers.start[i], nil
	}
	switch mode {
	case plan.FrameRows:
		at := e.shifted(r)
		if e.end {
			at = saturated(at, 1)
		}
		return max(w.from, min(at, w.to)), nil
	case plan.FrameGroups:
		return e.findGroup(w, e.shifted(w.peers.group[i]))
	}
	return e.findRange(w, r)
}

// shifted gives n less or plus the offset.
func (e *edge) shifted(n int64) int64 {
	if e.bound.Kind == plan.OffsetPreceding {
		return saturated(n, -e.offset)
	}
	return saturated(n, e.offset)
}

func saturated(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// findGroup goes on to the first row of a group, or past its last.
func (e *edge) findGroup(w *window, group int64) (int64, error) {
	for e.at < w.to {
		if e.end && e.group > group || !e.end && e.group >= group {
			break
		}
		e.at++
		if e.at == w.to {
			break
		}
		b, s, err := e.ahead.At(e.at)
		if err != nil {
			return 0, err
		}
		if b.Cols[w.peer].Bools[s] {
			e.group++
		}
	}
	return e.at, nil
}

// findRange goes on to the first row whose key is within the frame, or to the first one
// behind it.
func (e *edge) findRange(w *window, r int64) (int64, error) {
	cur, cs, err := e.current.At(r)
	if err != nil {
		return 0, err
	}
	null := cur.Cols[e.key].Nulls.Get(cs)
	for e.at < w.to {
		b, s, err := e.ahead.At(e.at)
		if err != nil {
			return 0, err
		}
		var on bool
		switch atNull := b.Cols[e.key].Nulls.Get(s); {
		case !atNull && !null:
			on = e.inRange(b.Cols[e.key], s, cur, cs) == e.end
		case e.end && e.first:
			on = atNull
		case e.end:
			on = null
		case e.first:
			on = atNull && !null
		default:
			on = !atNull && null
		}
		if !on {
			break
		}
		e.at++
	}
	return e.at, nil
}

// inRange says whether a key is at most the shift of the current row, or at least it.
func (e *edge) inRange(key *vec.Vec, s int, cur *vec.Batch, cs int) bool {
	shift := cur.Cols[e.shift]
	if shift.Nulls.Get(cs) { // beyond all values
		return e.less != e.sub
	}
	if notNumber(shift, cs) && !notNumber(cur.Cols[e.key], cs) { // an infinity less itself
		return !notNumber(key, s) || !e.less
	}
	c := vec.Compare(key, s, shift, cs)
	return c == 0 || (c < 0) == e.less
}

func notNumber(v *vec.Vec, i int) bool {
	switch v.Type.Phys() {
	case types.PhysFloat:
		return math.IsNaN(v.Floats[i])
	case types.PhysDecimal:
		return numeric.IsNaN(&v.Decimals[i])
	}
	return false
}

// spans is a frame less what it excludes: up to three runs of rows.
type spans struct {
	n  int
	at [3][2]int64
}

func (s *spans) add(lo, hi int64) {
	if lo < hi {
		s.at[s.n] = [2]int64{lo, hi}
		s.n++
	}
}

// rows is how many there are.
func (s *spans) rows() int64 {
	var n int64
	for _, p := range s.at[:s.n] {
		n += p[1] - p[0]
	}
	return n
}

// nth gives the n-th row, from 0; false if there are not as many.
func (s *spans) nth(n int64) (int64, bool) {
	for _, p := range s.at[:s.n] {
		if n < p[1]-p[0] {
			return p[0] + n, true
		}
		n -= p[1] - p[0]
	}
	return 0, false
}

// of gives the rows that row r, the i-th of the block, sees.
func (f *frame) of(w *window, r int64, i int) spans {
	var s spans
	head, tail := f.head[i], f.tail[i]
	var lo, hi int64 // excluded
	switch f.spec.Exclude {
	case plan.ExcludeNoOthers:
		s.add(head, tail)
		return s
	case plan.ExcludeCurrentRow:
		lo, hi = r, r+1
	default:
		lo, hi = w.peers.start[i], w.peers.end[i]
	}
	s.add(head, min(tail, lo))
	if f.spec.Exclude == plan.ExcludeTies && head <= r && r < tail {
		s.add(r, r+1)
	}
	s.add(max(head, hi), tail)
	return s
}

func (f *frame) close() {
	for _, e := range []*edge{&f.start, &f.end} {
		e.current.Close()
		e.ahead.Close()
	}
}
