package exec

import (
	"unsafe"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/agg"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// aggSpec is what an aggregation does, compiled: shared by the tables of its
// goroutines, each of which has its own clone.
type aggSpec struct {
	n     *plan.Aggregate // the one whose expressions are over the rows that come in
	keys  *sortKeys
	calls []aggCall
}

type aggCall struct {
	call    *plan.AggCall
	args    []*expr.Prog
	filter  *expr.Prog
	order   *sortKeys // of the group's rows; nil without ORDER BY
	argVals []*vec.Vec
}

func newAggSpec(n *plan.Aggregate) (*aggSpec, error) {
	keys, err := newGroupKeys(n.Groups)
	if err != nil {
		return nil, err
	}
	s := &aggSpec{n: n, keys: keys, calls: make([]aggCall, len(n.Aggs))}
	for i := range n.Aggs {
		c := &s.calls[i]
		c.call = &n.Aggs[i]
		if c.args, err = compileAll(c.call.Args); err != nil {
			return nil, err
		}
		c.argVals = make([]*vec.Vec, len(c.args))
		if c.call.Filter != nil {
			if c.filter, err = expr.Compile(c.call.Filter); err != nil {
				return nil, err
			}
		}
		if len(c.call.OrderBy) > 0 {
			if c.order, err = newSortKeys(c.call.OrderBy); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *aggSpec) clone() *aggSpec {
	c := &aggSpec{n: s.n, keys: s.keys.clone(), calls: make([]aggCall, len(s.calls))}
	for i, call := range s.calls {
		d := aggCall{call: call.call, argVals: make([]*vec.Vec, len(call.args))}
		for _, p := range call.args {
			d.args = append(d.args, p.Clone())
		}
		if call.filter != nil {
			d.filter = call.filter.Clone()
		}
		if call.order != nil {
			d.order = call.order.clone()
		}
		c.calls[i] = d
	}
	return c
}

// aggTable aggregates rows by hash. One goroutine uses it at a time.
//
//	key bytes --> group number --> row bytes of the group's values
//	                           '-> state of each aggregate
//
// When the statement's memory is used up it takes no new groups: their rows go
// to overflow, by the hash of their key, for a later pass.
type aggTable struct {
	spec   *aggSpec
	cx     *Context
	hold   memory.Share
	groups map[string]uint32
	keys   [][]byte // per group
	values [][]byte // per group, as appendRow makes them
	arena  []byte
	bytes  int64 // of keys and values
	states []agg.State
	sorts  []*rowSorter // per aggregate with ORDER BY

	ids      []uint32 // per slot of the present batch
	sel, in  []uint16
	key, row []byte
	overflow *overflow // nil: none was needed
	depth    int
}

// neverOverflow is the depth of a table that takes every group.
const neverOverflow = -1

const groupBytes = 96 // of the map and the slices, per group

func newAggTable(spec *aggSpec, cx *Context, depth int) (*aggTable, error) {
	t := &aggTable{spec: spec, cx: cx, depth: depth, hold: memory.Of(cx.Memory, true), groups: map[string]uint32{}}
	t.states = make([]agg.State, len(spec.calls))
	t.sorts = make([]*rowSorter, len(spec.calls))
	for i := range spec.calls {
		st, err := agg.New(spec.calls[i].call.Agg)
		if err != nil {
			return nil, err
		}
		t.states[i] = st
		if spec.calls[i].order != nil {
			t.sorts[i] = &rowSorter{}
			t.sorts[i].open(cx)
		}
	}
	if len(spec.keys.progs) == 0 { // one group, there from the start
		t.newGroup(nil, nil)
		t.resize()
	}
	return t, nil
}

// add aggregates the rows of a batch.
func (t *aggTable) add(b *vec.Batch) error {
	if err := t.spec.keys.each(t.cx.Env, b, t.addPart); err != nil {
		return err
	}
	return t.cx.canceled()
}

// addPart aggregates rows whose keys are computed.
func (t *aggTable) addPart(b *vec.Batch) error {
	if cap(t.ids) < b.N {
		t.ids = make([]uint32, vec.MaxRows)
	}
	t.ids = t.ids[:b.N]
	in := b.Sel
	switch {
	case len(t.spec.keys.progs) > 0:
		in = t.in[:0]
		for i := range b.Rows() {
			slot := b.Row(i)
			kept, err := t.group(b, slot)
			if err != nil {
				return err
			}
			if kept {
				in = append(in, uint16(slot))
			}
		}
		t.in = in
	case in == nil: // every row; ids are all of the one group there is
		for i := len(t.in); i < b.N; i++ {
			t.in = append(t.in, uint16(i))
		}
		in = t.in[:b.N]
	}
	t.resize()
	if err := t.update(b, in); err != nil {
		return err
	}
	return t.account()
}

// group finds or makes the group of a row; false if the row overflowed.
func (t *aggTable) group(b *vec.Batch, slot int) (bool, error) {
	t.key = t.spec.keys.append(t.key[:0], slot)
	if id, ok := t.groups[string(t.key)]; ok {
		t.ids[slot] = id
		return true, nil
	}
	if t.overflow != nil {
		t.row = appendRow(t.row[:0], b.Cols, slot)
		return false, t.overflow.add(t.key, t.row)
	}
	t.row = appendRow(t.row[:0], t.spec.keys.vals, slot)
	t.ids[slot] = t.newGroup(t.key, t.row)
	return true, nil
}

func (t *aggTable) newGroup(key, row []byte) uint32 {
	id := uint32(len(t.keys))
	n := len(key) + len(row)
	if cap(t.arena)-len(t.arena) < n {
		t.arena = make([]byte, 0, max(n, min(4<<10<<min(len(t.keys)/64, 6), sortChunk)))
	}
	at := len(t.arena)
	t.arena = append(append(t.arena, key...), row...)
	k := t.arena[at : at+len(key) : at+len(key)]
	t.keys = append(t.keys, k)
	t.values = append(t.values, t.arena[at+len(key):at+n:at+n])
	t.groups[unsafe.String(unsafe.SliceData(k), len(k))] = id // the arena is never changed
	t.bytes += int64(n) + groupBytes
	return id
}

func (t *aggTable) resize() {
	for _, s := range t.states {
		s.Resize(len(t.keys))
	}
}

// update gives the rows in sel, whose groups are in ids, to the aggregates.
func (t *aggTable) update(b *vec.Batch, sel []uint16) error {
	if len(sel) == 0 {
		return nil
	}
	was := b.Sel
	defer func() { b.Sel = was }()
	b.Sel = sel
	for i := range t.spec.calls {
		c := &t.spec.calls[i]
		b.Sel = sel
		if c.filter != nil {
			passed, err := c.filter.Filter(t.cx.Env, b, t.sel)
			if err != nil {
				return err
			}
			t.sel = passed
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
	err := t.evalArgs(c, b)
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
	if c.order != nil {
		err = t.keep(i, b)
	} else {
		err = t.states[i].Update(t.ids, b.Sel, c.argVals)
	}
	return err
}

func (t *aggTable) evalArgs(c *aggCall, b *vec.Batch) error {
	for j, p := range c.args {
		v, err := p.EvalNarrow(t.cx.Env, b)
		if err != nil {
			return err
		}
		c.argVals[j] = v
	}
	if c.order != nil {
		return c.order.eval(t.cx.Env, b)
	}
	return nil
}

// keep puts the arguments of an ordered aggregate aside, by group and order.
func (t *aggTable) keep(i int, b *vec.Batch) error {
	c := &t.spec.calls[i]
	for _, s := range b.Sel {
		t.key = c.order.append(appendGroup(t.key[:0], t.ids[s]), int(s))
		t.row = appendRow(appendGroup(t.row[:0], t.ids[s]), c.argVals, int(s))
		if err := t.sorts[i].add(t.key, t.row); err != nil {
			return err
		}
	}
	return nil
}

// account books the memory; where it is used up new groups overflow.
func (t *aggTable) account() error {
	n := t.bytes
	for _, s := range t.states {
		n += s.Bytes()
	}
	if t.hold.To(n) {
		return nil
	}
	// The groups that are there go on to grow, up to what the statement may hold at all.
	if err := t.hold.MustTo(n); err != nil {
		return err
	}
	if t.overflow != nil || len(t.spec.keys.progs) == 0 || t.depth == neverOverflow {
		return nil // no more groups come, or few
	}
	var err error
	t.overflow, err = newOverflow(t.cx, t.depth)
	return err
}

// merge adds the groups of o, an aggregation of other rows.
func (t *aggTable) merge(o *aggTable) error {
	ids := make([]uint32, len(o.keys))
	for i := range o.keys {
		if len(t.spec.keys.progs) == 0 {
			continue
		}
		id, ok := t.groups[string(o.keys[i])]
		if !ok {
			id = t.newGroup(o.keys[i], o.values[i])
		}
		ids[i] = id
	}
	t.resize()
	for i, s := range t.states {
		if err := s.Merge(o.states[i], ids); err != nil {
			return err
		}
	}
	for i, s := range o.sorts {
		if s == nil {
			continue
		}
		if err := t.mergeSort(i, s, ids); err != nil {
			return err
		}
	}
	o.hold.Release()
	return t.account()
}

// mergeSort takes over rows put aside for an ordered aggregate.
func (t *aggTable) mergeSort(i int, from *rowSorter, ids []uint32) error {
	if err := from.finish(); err != nil {
		return err
	}
	defer from.close()
	for {
		key, row, err := from.next()
		if err == errEOF {
			return nil
		}
		if err != nil {
			return err
		}
		id := ids[groupOf(key)]
		t.key = append(appendGroup(t.key[:0], id), key[4:]...)
		t.row = append(appendGroup(t.row[:0], id), row[4:]...)
		if err := t.sorts[i].add(t.key, t.row); err != nil {
			return err
		}
	}
}

// finish computes the ordered aggregates from the rows put aside.
func (t *aggTable) finish() error {
	for i, s := range t.sorts {
		if s == nil {
			continue
		}
		if err := t.replay(i, s); err != nil {
			return err
		}
	}
	return nil
}

func (t *aggTable) replay(i int, s *rowSorter) error {
	if err := s.finish(); err != nil {
		return err
	}
	defer s.close()
	c := &t.spec.calls[i]
	cols := make([]*vec.Vec, len(c.args))
	for j, p := range c.args {
		cols[j] = vec.New(p.Type())
	}
	ids := make([]uint32, vec.MaxRows)
	sel := make([]uint16, vec.MaxRows)
	for j := range sel {
		sel[j] = uint16(j)
	}
	var buf []byte
	for {
		for _, v := range cols {
			v.Resize(vec.MaxRows)
		}
		poison.Bytes(buf)
		buf = buf[:0]
		n := 0
		for n < vec.MaxRows && len(buf) < storage.MaxBatchBytes {
			_, row, err := s.next()
			if err == errEOF {
				break
			}
			if err != nil {
				return err
			}
			at := len(buf)
			buf = append(buf, row...)
			row = buf[at:]
			ids[n] = groupOf(row)
			decodeRow(row[4:], cols, n)
			n++
		}
		if n == 0 {
			return nil
		}
		if err := t.states[i].Update(ids, sel[:n], cols); err != nil {
			return err
		}
		if err := t.account(); err != nil {
			return err
		}
		if err := t.cx.canceled(); err != nil {
			return err
		}
	}
}

// emitRows is how many groups are given out at a time: fewer where they are large.
func (t *aggTable) emitRows() int {
	each := t.hold.Bytes() / int64(max(len(t.keys), 1))
	return int(max(min(storage.MaxBatchBytes/max(each, 1), vec.MaxRows), 1))
}

// emit puts groups lo to hi-1 into out: the groups' values, then the results.
func (t *aggTable) emit(lo, hi int, out *vec.Batch) error {
	n := hi - lo
	for _, v := range out.Cols {
		v.Resize(n)
	}
	groups := out.Cols[:len(t.spec.keys.progs)]
	for i := lo; i < hi; i++ {
		decodeRow(t.values[i], groups, i-lo)
	}
	for i, s := range t.states {
		if err := s.Final(lo, hi, out.Cols[len(groups)+i]); err != nil {
			return err
		}
	}
	out.N, out.Sel = n, nil
	return nil
}

func (t *aggTable) close() {
	t.hold.Release()
	for _, s := range t.sorts {
		if s != nil {
			s.close()
		}
	}
	if t.overflow != nil {
		t.overflow.close()
	}
}
