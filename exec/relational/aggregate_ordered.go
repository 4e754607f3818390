package relational

import (
	"io"
	"sort"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// orderedAgg aggregates an input that comes in the order of its groups: a group
// is complete when the next begins. It holds the groups of one batch.
//
//	batch   a a b b b c c | c d d …
//	table   [a b] given out at the bar; c goes on as group 0 of the next
type orderedAgg struct {
	spec  *aggSpec
	in    op.Operator
	below *plan.Aggregate
	top   *plan.Aggregate
	cx    *op.Context

	open   *aggTable // the last group is the one that goes on
	closed *aggTable // given out last
	eof    bool
	out    *vec.Batch
	sel    []uint16
}

func (o *orderedAgg) Open(cx *op.Context) error {
	o.cx, o.eof = cx, false
	return o.in.Open(cx)
}

func (o *orderedAgg) Next() (*vec.Batch, error) {
	for !o.eof {
		b, err := o.in.Next()
		if err == io.EOF {
			o.eof = true
			if o.open == nil {
				break
			}
			return o.give(o.open)
		}
		if err != nil {
			return nil, err
		}
		full, err := o.batch(b)
		if err != nil {
			return nil, err
		}
		if full != nil {
			return o.give(full)
		}
		if err := o.cx.Canceled(); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// give puts all groups of t out.
func (o *orderedAgg) give(t *aggTable) (*vec.Batch, error) {
	if t == o.open {
		o.open = nil
	}
	if o.closed != nil {
		o.closed.close()
	}
	o.closed = t
	if err := t.finish(); err != nil {
		return nil, err
	}
	// A batch has at most MaxRows rows and adds at most as many groups, less the one that
	// goes on, to the one that went on before.
	if err := t.emit(0, t.n, o.out); err != nil {
		return nil, err
	}
	return o.out, nil
}

// batch aggregates a batch and gives the table whose groups are complete, nil
// if the batch belongs to the group that goes on.
func (o *orderedAgg) batch(b *vec.Batch) (*aggTable, error) {
	keys := o.spec.keys
	if err := keys.EvalAll(o.cx.Env, b); err != nil {
		return nil, err
	}
	rows := b.Rows()
	// from is where the last group of the batch begins: before it no row is of that group.
	last := b.Row(rows - 1)
	from := sort.Search(rows-1, func(i int) bool { return equalKeys(keys.Vals, b.Row(i), keys.Vals, last) })
	if from == 0 {
		if o.open == nil {
			return nil, o.add(b, 0, rows)
		}
		if last := o.open.groups; equalKeys(last.Cols(), last.Len()-1, keys.Vals, b.Row(0)) {
			return nil, o.add(b, 0, rows)
		}
	} else if err := o.add(b, 0, from); err != nil {
		return nil, err
	}
	full := o.open
	o.open = nil
	return full, o.add(b, from, rows)
}

// equalKeys compares slot i of some columns and slot j of others.
func equalKeys(a []*vec.Vec, i int, b []*vec.Vec, j int) bool {
	for k := range a {
		if !vec.Equal(a[k], i, b[k], j) {
			return false
		}
	}
	return true
}

// add gives rows lo to hi-1 of b to the open table.
func (o *orderedAgg) add(b *vec.Batch, lo, hi int) error {
	if o.open == nil {
		t, err := newAggTable(o.spec, o.cx, neverOverflow)
		if err != nil {
			return err
		}
		t.inOrder = true
		o.open = t
	}
	was := b.Sel
	o.sel = o.sel[:0]
	for i := lo; i < hi; i++ {
		o.sel = append(o.sel, uint16(b.Row(i)))
	}
	b.Sel = o.sel
	err := o.open.Add(b)
	b.Sel = was
	return err
}

func (o *orderedAgg) Close() error {
	for _, t := range []*aggTable{o.open, o.closed} {
		if t != nil {
			t.close()
		}
	}
	o.open, o.closed = nil, nil
	return o.in.Close()
}
