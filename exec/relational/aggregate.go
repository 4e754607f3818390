package relational

import (
	"io"
	"sync"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// NewAggregate builds a complete aggregation, or a Final and the Partial below
// it as one operator: what goes between them is tables, not rows.
func NewAggregate(n *plan.Aggregate, in op.Operator) (op.Operator, error) {
	below := n
	if n.Phase == plan.Final {
		p, ok := n.Input.(*plan.Aggregate)
		if !ok || p.Phase != plan.Partial {
			return nil, sqlerr.Internal(nil, "final aggregation without a partial one below it")
		}
		below = p
	} else if n.Phase == plan.Partial {
		return nil, sqlerr.Internal(nil, "partial aggregation without a final one above it")
	}
	if n.Sets != nil {
		return newGroupingSets(n, in)
	}
	spec, err := newAggSpec(below)
	if err != nil {
		return nil, err
	}
	out := vec.NewBatch(op.TypesOf(n))
	if n.Ordered && len(n.Groups) > 0 {
		return &orderedAgg{spec: spec, in: in, below: below, top: n, out: out}, nil
	}
	return &hashAgg{top: n, node: n, spec: spec, in: in, out: out, rowTypes: op.TypesOf(below.Input)}, nil
}

// AggregateInput is the node whose rows an aggregation takes: for a Final, that of the
// Partial below it.
func AggregateInput(n *plan.Aggregate) plan.Node {
	if p, ok := n.Input.(*plan.Aggregate); ok && n.Phase == plan.Final && p.Phase == plan.Partial {
		return p.Input
	}
	return n.Input
}

// hashAgg aggregates all of its input before it gives the first group. Rows that a table
// did not take are aggregated part by part: in parallel where all are in memory, else one
// part after another, each when the groups before it have been given out.
//
//	input --> table, table …  --> merged: groups to give out
//	             | rows of other groups
//	             v
//	          part 0 | part 1 | …  --> a table each
type hashAgg struct {
	top      *plan.Aggregate
	node     plan.Node // whose work it is
	spec     *aggSpec
	in       op.Operator
	rowTypes []types.T
	cx       *op.Context

	tables []*aggTable // whose groups are to be given out, of the first from at on
	at     int
	parts  []aggPart // still to be aggregated
	filled bool
	out    *vec.Batch
}

func (a *hashAgg) Open(cx *op.Context) error {
	a.cx, a.filled, a.at, a.tables, a.parts = cx, false, 0, nil, nil
	return a.in.Open(cx)
}

func (a *hashAgg) Next() (*vec.Batch, error) {
	if !a.filled {
		if err := a.consume(); err != nil {
			return nil, err
		}
		a.filled = true
	}
	for {
		if len(a.tables) == 0 {
			if len(a.parts) == 0 {
				return nil, io.EOF
			}
			if err := a.aggregateParts(); err != nil {
				return nil, err
			}
			continue
		}
		t := a.tables[0]
		if a.at == 0 {
			if err := t.finish(); err != nil {
				return nil, err
			}
		}
		if n := min(t.n-a.at, t.emitRows()); n > 0 {
			if err := t.emit(a.at, a.at+n, a.out); err != nil {
				return nil, err
			}
			a.at += n
			return a.out, nil
		}
		t.close()
		a.tables[0] = nil
		a.tables, a.at = a.tables[1:], 0
	}
}

func (a *hashAgg) consume() error {
	var mu sync.Mutex
	newSink := func() (op.Sink, error) {
		mu.Lock()
		defer mu.Unlock()
		spec := a.spec
		if len(a.tables) > 0 {
			spec = spec.clone()
		}
		t, err := newAggTable(spec, a.cx, 0)
		if err == nil {
			a.tables = append(a.tables, t)
		}
		return t, err
	}
	var err error
	if a.top.Phase == plan.Final || a.spec.inParts() {
		err = op.Feed(a.in, newSink) // in parts, which are merged
	} else {
		err = op.FeedFrom(a.in.Next, newSink)
	}
	if err == nil && len(a.tables) == 0 {
		_, err = newSink()
	}
	if below := a.spec.n; a.cx.Actuals != nil && below != a.top {
		for _, t := range a.tables {
			a.cx.Actual(below).Rows += int64(t.n)
		}
	}
	if err == nil {
		err = a.in.Close()
	}
	if err != nil {
		return err
	}
	if len(a.tables) == 1 { // its overflow holds no row of a group it took
		return a.takeParts(a.tables[0])
	}
	if a.canCombine() {
		return a.combineParts()
	}
	return a.mergeTables()
}

// mergeTables makes one table of all, and looks at the rows that overflowed from them:
// those of groups that one of them took are part of those groups, the others wait.
func (a *hashAgg) mergeTables() error {
	t := a.tables[0]
	for _, o := range a.tables[1:] {
		if err := t.merge(o); err != nil {
			return err
		}
	}
	var parts []*overflowPart
	defer func() {
		for _, p := range parts {
			p.close()
		}
	}()
	for _, o := range a.tables {
		taken, err := a.take(o)
		parts = append(parts, taken...)
		if err != nil {
			return err
		}
	}
	for _, o := range a.tables[1:] {
		o.close()
	}
	a.tables = a.tables[:1]
	if len(parts) == 0 {
		return nil
	}
	var err error
	if t.overflow, err = newOverflow(a.cx, 1); err != nil {
		return err
	}
	for _, p := range parts {
		if err := a.read(p, t); err != nil {
			return err
		}
	}
	return a.takeParts(t)
}

func (a *hashAgg) Close() error {
	for _, t := range a.tables {
		if t != nil {
			t.close()
		}
	}
	for i := range a.parts {
		a.parts[i].close()
	}
	a.tables, a.parts = nil, nil
	err := a.in.Close()
	a.cx = nil
	return err
}
