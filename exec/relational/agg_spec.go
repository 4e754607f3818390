package relational

import (
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// aggSpec is what an aggregation does, compiled: shared by the tables of its
// goroutines, each of which has its own clone.
type aggSpec struct {
	n     *plan.Aggregate // the one whose expressions are over the rows that come in
	keys  *spill.Keys
	calls []aggCall
	side  int // one more than the column that says of a row whether it may make a group; 0: all may
	// again: what is computed of a row may be computed again later, with the same result.
	again bool

	// What adding a batch needs, kept from table to table.
	hashes           []uint64
	ids              []uint32
	missing, in, sel []uint16
}

type aggCall struct {
	call    *plan.AggCall
	args    []*eval.Prog
	filter  *eval.Prog
	order   *spill.Keys // of the group's rows, of those put aside; nil: none are
	sorted  bool        // rows are put aside from the start
	by      int         // of DISTINCT, how many arguments are compared; 0: repeats are taken
	argVals []*vec.Vec
}

func newAggSpec(n *plan.Aggregate) (*aggSpec, error) {
	keys, err := spill.NewGroupKeys(n.Groups)
	if err != nil {
		return nil, err
	}
	s := &aggSpec{n: n, keys: keys, calls: make([]aggCall, len(n.Aggs)), again: !slices.ContainsFunc(n.Groups, expr.Volatile)}
	for i := range n.Aggs {
		s.again = s.again && !slices.ContainsFunc(n.Aggs[i].Args, expr.Volatile) && (n.Aggs[i].Filter == nil || !expr.Volatile(n.Aggs[i].Filter))
		c := &s.calls[i]
		c.call = &n.Aggs[i]
		if c.args, err = op.CompileAll(c.call.Args); err != nil {
			return nil, err
		}
		c.argVals = make([]*vec.Vec, len(c.args))
		if c.call.Filter != nil {
			if c.filter, err = eval.Compile(c.call.Filter); err != nil {
				return nil, err
			}
		}
		if err := c.setOrder(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// inParts says that rows may be aggregated in any order, and in parts that are merged. It is
// asked of aggregations that the planner has not taken apart.
func (s *aggSpec) inParts() bool {
	if s.side > 0 {
		return false
	}
	for i := range s.n.Aggs {
		c := &s.n.Aggs[i]
		if c.Distinct || len(c.OrderBy) > 0 || c.Agg.Ordered || c.Agg.Order != nil || c.Agg.ShowsOrder() {
			return false
		}
	}
	return true
}

func (s *aggSpec) clone() *aggSpec {
	c := &aggSpec{n: s.n, side: s.side, again: s.again, keys: s.keys.Clone(), calls: make([]aggCall, len(s.calls))}
	for i, call := range s.calls {
		d := aggCall{call: call.call, sorted: call.sorted, by: call.by, argVals: make([]*vec.Vec, len(call.args))}
		for _, p := range call.args {
			d.args = append(d.args, p.Clone())
		}
		if call.filter != nil {
			d.filter = call.filter.Clone()
		}
		if call.order != nil {
			d.order = call.order.Clone()
		}
		c.calls[i] = d
	}
	return c
}
