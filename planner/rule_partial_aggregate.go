package planner

import "github.com/saltsql/saltsql/planner/plan"

// partialAggregate lets each bucket of a salted table aggregate its own rows, in
// parallel, and combines the results once.
//
// Not with grouping sets, with DISTINCT or an order inside an aggregate, which need all values of a
// group in one place, and not for groups in key order that are merged: those
// stream, and a Sort above them has been dropped for that.
func partialAggregate(_ *Context, n plan.Node) plan.Node {
	a, ok := n.(*plan.Aggregate)
	if !ok || a.Phase != plan.Complete || a.Sets != nil {
		return nil
	}
	if _, ok := a.Input.(*plan.SaltGather); !ok || len(a.Groups)+len(a.Aggs) == 0 {
		return nil
	}
	for i := range a.Aggs {
		if a.Aggs[i].Distinct || len(a.Aggs[i].OrderBy) > 0 {
			return nil
		}
	}
	part, final := *a, *a
	part.Phase, final.Phase = plan.Partial, plan.Final
	final.Input = &part
	return &final
}
