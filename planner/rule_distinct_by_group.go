package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// distinctByGroup computes aggregates with DISTINCT, all over the same argument, from its
// groups: those are found in each bucket of a salted table, in parallel, and where the key
// brings equal values together, without a table of them.
//
//	Aggregate (count(DISTINCT n))      Aggregate (count(DISTINCT n))
//	└─ Salt Gather               ->    └─ Aggregate (by n)
//	                                      └─ Salt Gather
//
// Not with groups of its own, a FILTER or an order, nor of aggregates whose result depends
// on which of equal values come, or in what order, nor where the scan seeks the values.
func distinctByGroup(_ *Context, n plan.Node) plan.Node {
	a, ok := n.(*plan.Aggregate)
	if !ok || a.Phase != plan.Complete || len(a.Groups) > 0 || a.Sets != nil || len(a.Aggs) == 0 {
		return nil
	}
	arg := onlyDistinct(a.Aggs)
	if arg == nil || expr.Volatile(arg) {
		return nil
	}
	inner := &plan.Aggregate{Input: a.Input, Groups: []expr.Expr{arg}, Cols: []plan.Column{{Type: arg.Type()}}}
	if s, ok := walk.ScanUnder(a.Input); ok && s.Distinct > 0 {
		return nil
	}
	if in := keyorder.InOrder(a.Input, keyorder.Ordering{Groups: inner.Groups}); in != nil && !mergesBuckets(in) {
		inner.Input, inner.Ordered = in, true
	} else if _, ok := a.Input.(*plan.SaltGather); !ok {
		return nil
	}
	c := *a
	c.Input, c.Aggs = inner, slices.Clone(a.Aggs)
	for i := range c.Aggs {
		call := &c.Aggs[i]
		plain := *call.Agg
		call.Args = []expr.Expr{&expr.Col{T: arg.Type()}}
		plain.Distinct, plain.Args = false, call.Args
		call.Agg, call.Distinct = &plain, false
	}
	return &c
}

// onlyDistinct gives the argument over which all calls aggregate different values, in any
// order; nil if they do not.
func onlyDistinct(calls []plan.AggCall) expr.Expr {
	for i := range calls {
		call := &calls[i]
		if !call.Distinct || len(call.Args) != 1 || call.Filter != nil || len(call.OrderBy) > 0 || !expr.Equal(call.Args[0], calls[0].Args[0]) {
			return nil
		}
		switch call.Agg.Name {
		case "count":
		case "sum", "avg", "min", "max": // equal values of other types may look different
			if call.Args[0].Type().Phys() != types.PhysInt {
				return nil
			}
		default:
			return nil
		}
	}
	return calls[0].Args[0]
}
