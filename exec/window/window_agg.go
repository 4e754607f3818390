package window

import (
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr/agg"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// windowAgg is an aggregate over frames. How it goes from one row's frame to the next:
//
//	growing   [from … tail)                 values are added, the result read off
//	inverse   [head … tail)                 values that leave are taken out again
//	tree      [head … tail) less excluded   partial results of 16, 256 … rows are put together
//	afresh    a short frame, or a result that holds all values: those are added again
//
// No way is quadratic but the last, whose results are as large as its work. Floats are added in
// the order of the rows where a frame grows or is short, as Postgres adds them; over a tree
// their last digits may differ.
type windowAgg struct {
	call    *plan.WindowCall
	args    []int
	filter  int // column; -1 is none
	frame   *frame
	state   agg.Framed
	inverse agg.Inverse // nil: it has none, or needs none
	newTree func() (agg.Combined, error)
	tree    []agg.Combined // by level; a node of level k is put together from 16^(k+1) rows
	built   bool           // for this partition
	shares  bool           // results of Peek may be shared by slots

	begun      bool
	head, tail int64               // what state holds, where it grows or slides
	spans      spans               // what state holds, else
	add        [3]spill.KeptReader // one for each span
	remove     spill.KeptReader
	sel        []uint16
	groups     []uint32 // zeros, but while a tree is made
	vals       []*vec.Vec
}

const (
	fanout = 16
	// shortFrame is how many rows are aggregated afresh rather than over a tree.
	shortFrame = 64
)

func (w *window) newWindowAgg(c *plan.WindowCall) (windowEval, error) {
	args, err := w.columns(c.Args)
	if err != nil {
		return nil, err
	}
	a := &windowAgg{call: c, args: args, filter: -1, groups: make([]uint32, vec.MaxRows), vals: make([]*vec.Vec, len(args))}
	if c.Filter != nil {
		if a.filter, err = w.column(c.Filter); err != nil {
			return nil, err
		}
	}
	if a.frame, err = w.newFrame(c.Frame); err != nil {
		return nil, err
	}
	slides := !a.frame.growing && c.Frame.Exclude == plan.ExcludeNoOthers
	if a.state, err = agg.NewFramed(c.Agg, slides); err != nil {
		return nil, err
	}
	a.state.Resize(1)
	if slides {
		a.inverse, _ = a.state.(agg.Inverse)
	}
	if _, ok := a.state.(agg.Combined); ok && !a.frame.growing && a.inverse == nil {
		a.newTree = func() (agg.Combined, error) {
			st, err := agg.NewFramed(c.Agg, false)
			if err != nil {
				return nil, err
			}
			return st.(agg.Combined), nil
		}
	}
	switch c.Agg.Name {
	case "string_agg", "array_agg", "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg":
		a.shares = true
	}
	return a, nil
}

func (a *windowAgg) begin(w *window) error {
	if a.remove.Of == nil {
		for i := range a.add {
			a.add[i].Open(&w.kept)
		}
		a.remove.Open(&w.kept)
	}
	a.state.Clear(0)
	a.head, a.tail = w.from, w.from
	a.begun, a.built, a.tree = false, false, nil
	return nil
}

func (a *windowAgg) block(w *window, lo, hi int64, out *vec.Vec, at int) error {
	f := a.frame
	if err := f.block(w, lo, hi); err != nil {
		return err
	}
	for r := lo; r < hi; r++ {
		i := at + int(r-lo)
		var same bool
		var err error
		if f.growing || a.inverse != nil {
			same, err = a.slide(f.head[r-lo], f.tail[r-lo])
		} else {
			same, err = a.collect(w, f.of(w, r, int(r-lo)))
		}
		if err != nil {
			return err
		}
		if same && r > lo {
			a.share(out, i, i-1)
			continue
		}
		if err := a.state.Peek(0, out, i); err != nil {
			return err
		}
	}
	return nil
}

// share makes slot i that of slot j, of one frame.
func (a *windowAgg) share(out *vec.Vec, i, j int) {
	switch {
	case out.Nulls.Get(j):
		out.Nulls.Set(i)
	case a.shares && out.Type.Phys() == types.PhysBytes:
		out.Bytes[i] = out.Bytes[j]
	default:
		vec.CopySlot(out, i, out, j)
	}
}

// slide brings the state to a frame that is further on; true if it was there.
func (a *windowAgg) slide(head, tail int64) (same bool, err error) {
	same = a.begun && head == a.head && tail == a.tail
	a.begun = true
	if same {
		return true, nil
	}
	if head >= a.tail && head > a.head { // nothing stays
		a.state.Clear(0)
		a.head, a.tail = head, head
	}
	for a.head < head {
		n, err := a.rows(&a.remove, a.head, head)
		if err != nil {
			return false, err
		}
		if err := a.inverse.Remove(a.groups, a.sel, a.vals); err != nil {
			return false, err
		}
		a.head += n
	}
	if a.tail < tail {
		err = a.feed(&a.add[0], a.tail, tail)
		a.tail = tail
	}
	return false, err
}

// rows finds the rows of a page from lo on, up to hi, puts those that pass the filter into
// sel and their arguments into vals, and says how many rows it went over.
func (a *windowAgg) rows(r *spill.KeptReader, lo, hi int64) (int64, error) {
	b, s, err := r.At(lo)
	if err != nil {
		return 0, err
	}
	n := min(hi, r.To) - lo
	a.sel = a.sel[:0]
	if a.filter < 0 {
		for i := range int(n) {
			a.sel = append(a.sel, uint16(s+i))
		}
	} else {
		f := b.Cols[a.filter]
		for i := s; i < s+int(n); i++ {
			if f.Bools[i] && !f.Nulls.Get(i) {
				a.sel = append(a.sel, uint16(i))
			}
		}
	}
	for i, c := range a.args {
		a.vals[i] = b.Cols[c]
	}
	return n, nil
}

// feed adds rows lo to hi-1 to the state.
func (a *windowAgg) feed(r *spill.KeptReader, lo, hi int64) error {
	for lo < hi {
		n, err := a.rows(r, lo, hi)
		if err != nil {
			return err
		}
		if len(a.sel) > 0 {
			if err := a.state.Update(a.groups, a.sel, a.vals); err != nil {
				return err
			}
		}
		lo += n
	}
	return nil
}

// collect makes the state that of some spans; true if it was.
func (a *windowAgg) collect(w *window, s spans) (same bool, err error) {
	if a.begun && s == a.spans {
		return true, nil
	}
	a.begun, a.spans = true, s
	a.state.Clear(0)
	for i, p := range s.at[:s.n] {
		if a.newTree == nil || p[1]-p[0] <= shortFrame {
			err = a.feed(&a.add[i], p[0], p[1])
		} else {
			err = a.climb(w, &a.add[i], p[0]-w.from, p[1]-w.from)
		}
		if err != nil {
			return false, err
		}
	}
	return false, w.cx.Canceled()
}

// climb adds rows lo to hi-1 of the partition, over the tree.
func (a *windowAgg) climb(w *window, r *spill.KeptReader, lo, hi int64) error {
	if !a.built {
		if err := a.build(w); err != nil {
			return err
		}
	}
	first, last := (lo+fanout-1)/fanout, hi/fanout
	if err := a.feed(r, w.from+lo, w.from+first*fanout); err != nil {
		return err
	}
	if err := a.nodes(0, first, last); err != nil {
		return err
	}
	return a.feed(r, w.from+last*fanout, w.from+hi)
}

// nodes adds nodes lo to hi-1 of a level, those of a level above where it has them.
func (a *windowAgg) nodes(level int, lo, hi int64) error {
	if hi-lo < 2*fanout || level+1 == len(a.tree) {
		for i := lo; i < hi; i++ {
			if err := a.state.(agg.Combined).Take(0, a.tree[level], int(i)); err != nil {
				return err
			}
		}
		return nil
	}
	first, last := (lo+fanout-1)/fanout, hi/fanout
	if err := a.nodes(level, lo, first*fanout); err != nil {
		return err
	}
	if err := a.nodes(level+1, first, last); err != nil {
		return err
	}
	return a.nodes(level, last*fanout, hi)
}

// build makes the tree over the partition.
func (a *windowAgg) build(w *window) error {
	a.built = true
	n := (w.to - w.from + fanout - 1) / fanout
	leaves, err := a.newTree()
	if err != nil {
		return err
	}
	defer clear(a.groups)
	a.tree = append(a.tree[:0], leaves)
	for lo := w.from; lo < w.to; {
		rows, err := a.rows(&a.add[0], lo, w.to)
		if err != nil {
			return err
		}
		slot := int(lo - a.add[0].From)
		for i := range int(rows) {
			a.groups[slot+i] = uint32((lo + int64(i) - w.from) / fanout)
		}
		lo += rows
		leaves.Resize(int((lo-w.from-1)/fanout) + 1)
		if err := leaves.Update(a.groups, a.sel, a.vals); err != nil {
			return err
		}
		if _, err := w.book(); err != nil {
			return err
		}
		if err := w.cx.Canceled(); err != nil {
			return err
		}
	}
	for n > 2*fanout {
		below := a.tree[len(a.tree)-1]
		level, err := a.newTree()
		if err != nil {
			return err
		}
		above := (n + fanout - 1) / fanout
		level.Resize(int(above))
		a.tree = append(a.tree, level)
		for i := range n {
			if err := level.Take(uint32(i/fanout), below, int(i)); err != nil {
				return err
			}
		}
		n = above
	}
	_, err = w.book()
	return err
}

func (a *windowAgg) bytes() int64 {
	n := a.state.Bytes()
	for _, t := range a.tree {
		n += t.Bytes()
	}
	return n
}

func (a *windowAgg) close() {
	for i := range a.add {
		a.add[i].Close()
	}
	a.remove.Close()
	a.state.Clear(0)
	a.tree = nil
}
