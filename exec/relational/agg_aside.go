package relational

import (
	"io"
	"slices"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr/agg"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// Rows of an aggregate are put aside, sorted by group and then as the aggregate wants them,
// where it has an ORDER BY, and where DISTINCT or a percentile has no memory for the values
// it has seen. When
// all have come they are given to the aggregate in that order, repeats left out.
//
//	row --> sorter {group, order; arguments} --> finish: group 0's rows, group 1's … --> state

// setOrder says how rows that are put aside are ordered: as the call says, and so that
// repeats of DISTINCT come one after another.
func (c *aggCall) setOrder() error {
	var keys []plan.SortKey
	a := c.call.Agg
	if len(c.call.OrderBy) > 0 && (a.Ordered || a.Order == nil) {
		keys = append(keys, c.call.OrderBy...)
		c.sorted = agg.NewUnsorted(a, keys[0].Desc) == nil
	}
	if a.Distinct && agg.MindsRepeats(a.Name) {
		if c.by = a.DistinctBy; c.by == 0 {
			c.by = len(c.call.Args)
		}
		for _, x := range c.call.Args[:c.by] {
			keys = append(keys, plan.SortKey{Expr: x})
		}
	}
	if keys == nil {
		return nil
	}
	var err error
	c.order, err = spill.NewSortKeys(keys)
	return err
}

// putAside begins to put rows of call i aside.
func (t *aggTable) putAside(i int) error {
	st, skip, err := agg.NewPlain(t.spec.calls[i].call.Agg)
	if err != nil {
		return err
	}
	st.Resize(t.n)
	t.states[i], t.skips[i] = st, skip
	t.sorts[i] = &spill.Sorter{}
	t.sorts[i].Open(t.cx)
	return nil
}

// keep puts the arguments of an aggregate aside.
func (t *aggTable) keep(i int, b *vec.Batch) error {
	c := &t.spec.calls[i]
	for _, s := range b.Sel {
		t.key = c.order.Append(spill.AppendGroup(t.key[:0], t.ids[s]), int(s))
		t.row = spill.AppendRow(spill.AppendGroup(t.row[:0], t.ids[s]), c.argVals, int(s))
		if err := t.scratch.Book(cap(t.key) + cap(t.row)); err != nil {
			return err
		}
		if err := t.sorts[i].Add(t.key, t.row); err != nil {
			return err
		}
	}
	if counts := t.countsOf(i); counts != nil {
		last := c.argVals[len(c.argVals)-1]
		for _, s := range b.Sel {
			if !last.Nulls.Get(int(s)) {
				counts[t.ids[s]]++
			}
		}
	}
	return nil
}

// countsOf gives, where the aggregate of call i wants to know it, how many values were put
// aside for each group.
func (t *aggTable) countsOf(i int) []int64 {
	if _, ok := t.states[i].(agg.Expecting); !ok {
		return nil
	}
	for len(t.counts[i]) < t.n {
		t.counts[i] = append(t.counts[i], 0)
	}
	return t.counts[i]
}

// newState makes the accumulator of call i, of rows that are not put aside.
func (t *aggTable) newState(i int) error {
	c := &t.spec.calls[i]
	if c.order != nil && c.by == 0 {
		t.states[i] = agg.NewUnsorted(c.call.Agg, c.call.OrderBy[0].Desc)
		return nil
	}
	var err error
	t.states[i], err = agg.New(c.call.Agg)
	return err
}

// spillKept puts the values of the aggregate aside that holds most of n bytes; false if
// there is none that holds much of them.
func (t *aggTable) spillKept(n int64) (bool, error) {
	most, at := n/8, -1
	for i, s := range t.states {
		if d, ok := s.(agg.Keeper); ok && d.Bytes() > most {
			most, at = d.Bytes(), i
		}
	}
	if at < 0 {
		return false, nil
	}
	return true, t.putKeptAside(at)
}

func (t *aggTable) putKeptAside(i int) error {
	d := t.states[i].(agg.Keeper)
	if err := t.putAside(i); err != nil {
		return err
	}
	c := &t.spec.calls[i]
	order := c.order
	counts := t.countsOf(i)
	was := order.Vals
	defer func() { order.Vals = was }()
	rows := 0
	return d.Take(func(group uint32, args []*vec.Vec, at int) error {
		if order.Vals = args[:c.by]; c.by == 0 { // a percentile's
			order.Vals = args[1:]
		}
		if counts != nil {
			counts[group]++
		}
		t.key = order.Append(spill.AppendGroup(t.key[:0], group), at)
		t.row = spill.AppendRow(spill.AppendGroup(t.row[:0], group), args, at)
		if err := t.scratch.Book(cap(t.key) + cap(t.row)); err != nil {
			return err
		}
		if rows++; rows%vec.MaxRows == 0 {
			if err := t.cx.Canceled(); err != nil {
				return err
			}
		}
		return t.sorts[i].Add(t.key, t.row)
	})
}

// mergeSort takes over the rows of call i that o has put aside.
func (t *aggTable) mergeSort(i int, o *aggTable, ids []uint32) error {
	from := o.sorts[i]
	if err := from.Finish(); err != nil {
		return err
	}
	defer from.Close()
	counts := t.countsOf(i)
	for g, n := range o.counts[i] {
		counts[ids[g]] += n
	}
	for {
		key, row, err := from.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		id := ids[groupOf(key)]
		t.key = append(spill.AppendGroup(t.key[:0], id), key[4:]...)
		t.row = append(spill.AppendGroup(t.row[:0], id), row[4:]...)
		if err := t.sorts[i].Add(t.key, t.row); err != nil {
			return err
		}
	}
}

// finish gives the rows put aside to their aggregates. What one of them takes may leave no
// memory for what another keeps, which is put aside then, and comes after it.
func (t *aggTable) finish() error {
	for {
		i := slices.IndexFunc(t.sorts, func(s *spill.Sorter) bool { return s != nil })
		if i < 0 {
			return nil
		}
		if counts := t.countsOf(i); counts != nil {
			t.states[i].(agg.Expecting).Expect(counts)
		}
		if err := t.replay(i, t.sorts[i]); err != nil {
			return err
		}
		t.sorts[i] = nil
	}
}

func (t *aggTable) replay(i int, s *spill.Sorter) error {
	if err := s.Finish(); err != nil {
		return err
	}
	t.cx.AddWork(t.spec.n, &plan.Actual{SpillBytes: s.Spilled})
	defer s.Close()
	c := &t.spec.calls[i]
	cols := make([]*vec.Vec, len(c.args))
	for j, p := range c.args {
		cols[j] = vec.New(p.Type())
	}
	last := repeats{by: c.by}
	ids := make([]uint32, vec.MaxRows)
	var buf []byte
	for {
		for _, v := range cols {
			v.Resize(vec.MaxRows)
		}
		poison.Bytes(buf)
		buf = buf[:0]
		n := 0
		for n < vec.MaxRows && len(buf) < storage.MaxBatchBytes {
			_, row, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			at := len(buf)
			buf = append(buf, row...)
			row = buf[at:]
			ids[n] = groupOf(row)
			spill.DecodeRow(row[4:], cols, n)
			n++
		}
		if n == 0 {
			return nil
		}
		if err := t.states[i].Update(ids, last.drop(ids, cols, n), cols[t.skips[i]:]); err != nil {
			return err
		}
		if err := t.account(); err != nil {
			return err
		}
		if err := t.cx.Canceled(); err != nil {
			return err
		}
	}
}

// repeats leaves out rows that are as the one before them, from batch to batch.
type repeats struct {
	by    int // columns compared; 0: none are left out
	begun bool
	group uint32
	last  []*vec.Vec // one row
	sel   []uint16
}

func (r *repeats) drop(groups []uint32, cols []*vec.Vec, n int) []uint16 {
	if r.by == 0 {
		return spill.EverySlot[:n]
	}
	r.sel = r.sel[:0]
	for i := range n {
		switch {
		case i > 0 && groups[i] == groups[i-1] && equalKeys(cols[:r.by], i-1, cols, i):
		case i == 0 && r.begun && groups[0] == r.group && equalKeys(r.last, 0, cols, 0):
		default:
			r.sel = append(r.sel, uint16(i))
		}
	}
	if !r.begun {
		r.begun = true
		for _, c := range cols[:r.by] {
			r.last = append(r.last, vec.New(c.Type))
		}
	}
	r.group = groups[n-1]
	for k, v := range r.last {
		v.Resize(1)
		v.EmptyBuf()
		vec.CopySlot(v, 0, cols[k], n-1)
	}
	return r.sel
}
