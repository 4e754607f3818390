package relational

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/agg"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// aggTable aggregates rows by hash. One goroutine uses it at a time.
//
//	a batch's keys --> hashes --> group numbers --> state of each aggregate
//
// When the statement's memory is used up, or its groups have outgrown the processor's caches
// and most rows make new ones, it takes no new groups: their rows go to overflow, by the
// hash of their key, for a later pass.
type aggTable struct {
	spec    *aggSpec
	cx      *op.Context
	hold    memory.Share
	scratch spill.Scratch
	made    memory.Share // of results that are made when they are given out
	groups  *vec.Groups  // nil without keys: there is one group
	n       int          // of groups
	rows    int          // that came, until there is an overflow
	states  []agg.State
	sorts   []*spill.Sorter // per aggregate whose rows are put aside; else nil
	skips   []int           // arguments that come before those of the state
	counts  [][]int64       // of rows put aside, per group, for an agg.Expecting

	ids      []uint32 // per slot of the present batch; the spec's
	key, row []byte
	overflow *overflow // nil: none was needed
	depth    int
	closed   bool // rows of new groups are left out
	inOrder  bool // rows of a group come one after another
}

// neverOverflow is the depth of a table that takes every group.
const neverOverflow = -1

func newAggTable(spec *aggSpec, cx *op.Context, depth int) (*aggTable, error) {
	t := &aggTable{spec: spec, cx: cx, depth: depth, hold: memory.Of(cx.Memory, true), made: memory.Of(cx.Memory, false)}
	t.scratch.Open(cx)
	t.states = make([]agg.State, len(spec.calls))
	t.sorts = make([]*spill.Sorter, len(spec.calls))
	t.skips, t.counts = make([]int, len(spec.calls)), make([][]int64, len(spec.calls))
	for i := range spec.calls {
		if spec.calls[i].sorted {
			if err := t.putAside(i); err != nil {
				return nil, err
			}
			continue
		}
		if err := t.newState(i); err != nil {
			return nil, err
		}
	}
	if spec.ids == nil {
		spec.ids = make([]uint32, vec.MaxRows)
	}
	t.ids = spec.ids
	if spec.keys.Count() == 0 { // one group, there from the start
		clear(t.ids)
		t.n = 1
		t.resize()
		return t, nil
	}
	if spec.hashes == nil {
		spec.hashes = make([]uint64, vec.MaxRows)
	}
	t.groups = vec.NewGroups(spec.keys.Types)
	return t, nil
}

// Add aggregates the rows of a batch.
func (t *aggTable) Add(b *vec.Batch) error {
	if err := t.spec.keys.Each(t.cx.Env, b, t.addPart); err != nil {
		return err
	}
	return t.cx.Canceled()
}

// addPart aggregates rows whose keys are computed.
func (t *aggTable) addPart(b *vec.Batch) error {
	in := spill.Selection(b)
	if t.spec.side > 0 && !t.closed {
		may := b.Cols[t.spec.side-1].Bools
		for i, slot := range in { // those that may not come last
			if may[slot] {
				continue
			}
			if err := t.addRows(b, in[:i]); err != nil {
				return err
			}
			t.closed = true
			in = in[i:]
			break
		}
	}
	return t.addRows(b, in)
}

// addRows aggregates the slots in of b.
func (t *aggTable) addRows(b *vec.Batch, in []uint16) error {
	if t.groups != nil {
		var err error
		if in, err = t.find(b, in); err != nil {
			return err
		}
	}
	t.resize()
	if err := t.update(b, in); err != nil {
		return err
	}
	return t.account()
}

// find puts the groups of rows into ids and gives the rows that are in the table; those
// of groups that it has no memory for overflow.
func (t *aggTable) find(b *vec.Batch, in []uint16) ([]uint16, error) {
	s := t.spec
	if t.inOrder {
		s.missing = t.groups.Follow(s.keys.Columns(), in, t.ids, s.missing)
		t.n = t.groups.Len()
		return in, nil
	}
	vec.HashRows(s.keys.Columns(), in, s.hashes)
	s.missing = t.groups.Find(s.keys.Columns(), in, s.hashes, t.ids, t.overflow == nil && !t.closed, s.missing)
	t.n = t.groups.Len()
	if len(s.missing) == 0 {
		t.rows += len(in)
		return in, t.part()
	}
	if t.overflow != nil {
		if err := t.overflow.add(b, s.missing, s.hashes); err != nil {
			return nil, err
		}
	}
	missing := s.missing
	s.in = s.in[:0]
	for _, slot := range in { // missing ascends as in does
		if len(missing) > 0 && missing[0] == slot {
			missing = missing[1:]
			continue
		}
		s.in = append(s.in, slot)
	}
	return s.in, nil
}

// cachedGroups is how many groups a table has before it is asked whether they repeat: it is
// about as large then as a processor's own cache.
const cachedGroups = 1 << 15

// part begins to put rows of new groups aside where that is faster than a large table: each
// part of them is small enough for the caches, and they are aggregated in parallel.
func (t *aggTable) part() error {
	if t.overflow != nil || t.closed || t.n <= cachedGroups || t.rows >= 2*t.n || t.depth < 0 || t.depth >= maxOverflow/2 || !t.spec.again {
		return nil
	}
	var err error
	t.overflow, err = newOverflow(t.cx, t.depth)
	return err
}

func (t *aggTable) resize() {
	for _, s := range t.states {
		s.Resize(t.n)
	}
}

// update gives the rows in sel, whose groups are in ids, to the aggregates.
func (t *aggTable) update(b *vec.Batch, sel []uint16) error {
	if len(sel) == 0 {
		return nil
	}
	was := b.Sel
	defer func() { b.Sel = was }()
	for i := range t.spec.calls {
		c := &t.spec.calls[i]
		b.Sel = sel
		if c.filter != nil {
			passed, err := c.filter.Filter(t.cx.Env, b, t.spec.sel)
			if err != nil {
				return err
			}
			t.spec.sel = passed
			if len(passed) == 0 {
				continue
			}
			b.Sel = passed
		}
		if err := t.updateCall(i, b); err != nil {
			return err
		}
	}
	return nil
}

// updateCall gives rows to one aggregate, half of them at a time where their arguments
// are too large.
func (t *aggTable) updateCall(i int, b *vec.Batch) error {
	c := &t.spec.calls[i]
	err := t.evalArgs(i, b)
	if err == expr.ErrWide {
		sel, half := b.Sel, len(b.Sel)/2
		b.Sel = sel[:half]
		if err = t.updateCall(i, b); err == nil {
			err = t.account() // what comes by parts is large
		}
		if err == nil {
			b.Sel = sel[half:]
			err = t.updateCall(i, b)
		}
		b.Sel = sel
		return err
	}
	if err != nil {
		return err
	}
	if t.sorts[i] != nil {
		return t.keep(i, b)
	}
	return t.states[i].Update(t.ids, b.Sel, c.argVals)
}

func (t *aggTable) evalArgs(i int, b *vec.Batch) error {
	c := &t.spec.calls[i]
	for j, p := range c.args {
		v, err := p.EvalNarrow(t.cx.Env, b)
		if err != nil {
			return err
		}
		c.argVals[j] = v
	}
	if t.sorts[i] != nil {
		return c.order.Eval(t.cx.Env, b)
	}
	return nil
}

// account books the memory; where it is used up values kept are put aside, and
// then new groups overflow.
func (t *aggTable) account() error {
	n := t.bytes()
	for !t.hold.To(n) && (n > spill.LeastKept(t.cx) || t.hold.MustTo(n) != nil) {
		if o := t.overflow; o != nil && o.kept > 0 {
			if err := o.spill(); err != nil {
				return err
			}
			continue
		}
		spilled, err := t.spillKept(n)
		if err != nil {
			return err
		}
		if !spilled {
			return t.full(n)
		}
		n = t.bytes()
	}
	return nil
}

func (t *aggTable) bytes() int64 {
	var n int64
	if t.groups != nil {
		n = t.groups.Bytes()
	}
	for _, s := range t.states {
		n += s.Bytes()
	}
	return n
}

// full has new groups overflow. Those that are there go on to grow, up to what the
// statement may hold at all.
func (t *aggTable) full(n int64) error {
	if err := t.hold.MustTo(n); err != nil {
		return err
	}
	if t.overflow != nil || t.spec.keys.Count() == 0 || t.depth == neverOverflow {
		return nil // no more groups come, or few
	}
	var err error
	if t.overflow, err = newOverflow(t.cx, t.depth); err == nil {
		t.overflow.kept = 0
	}
	return err
}

// emitRows is how many groups are given out at a time: fewer where they are large.
func (t *aggTable) emitRows() int {
	each := t.hold.Bytes() / int64(max(t.n, 1))
	return int(max(min(storage.MaxBatchBytes/max(each, 1), vec.MaxRows), 1))
}

// emit puts groups lo to hi-1 into out: the groups' values, then the results.
func (t *aggTable) emit(lo, hi int, out *vec.Batch) error {
	n := hi - lo
	for _, v := range out.Cols {
		v.Resize(n)
	}
	groups := t.spec.keys.Count()
	for i := range groups {
		vec.Share(out.Cols[i], t.groups.Cols()[i], lo, hi)
	}
	if err := t.bookResults(lo, hi); err != nil {
		return err
	}
	for i, s := range t.states {
		if err := s.Final(lo, hi, out.Cols[groups+i]); err != nil {
			return err
		}
	}
	out.N, out.Sel = n, nil
	return nil
}

// bookResults books what the results of groups lo to hi-1 take that are made when they
// are given out.
func (t *aggTable) bookResults(lo, hi int) error {
	var n int64
	for _, s := range t.states {
		if m, ok := s.(agg.Maker); ok {
			n += m.Makes(lo, hi)
		}
	}
	return t.made.MustTo(n)
}

func (t *aggTable) close() {
	t.hold.Release()
	t.made.Release()
	t.scratch.Close()
	for _, s := range t.sorts {
		if s != nil {
			s.Close()
		}
	}
	if t.overflow != nil {
		t.overflow.close()
	}
}
