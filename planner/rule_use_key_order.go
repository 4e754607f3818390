package planner

import "github.com/saltsql/saltsql/planner/plan"

// useKeyOrder drops a Sort whose order the row key serves: the scan reads in key
// order, forward or backward, and the buckets of a salted table are merged in
// it. It also lets an Aggregate of an unsalted table end each group where the
// values change, where key order brings equal groups together.
//
// Key columns bound by = to one value do not count, nor do sort keys after the whole
// primary key: no two rows are equal up to there. Not below a Limit, whose rows another
// order would change, and not where a nullable key column's NULLs lie elsewhere.
// Groups alone are no reason to merge buckets: those are grouped in parallel.
func useKeyOrder(ctx *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Sort:
		in := inOrder(n.Input, ordering{keys: n.Keys})
		if in == nil || ctx.Hints.has(hintForwardScan) && readsBackward(in) {
			return nil
		}
		return in
	case *plan.Aggregate:
		if len(n.Groups) == 0 || n.Sets != nil || n.Ordered || n.Phase != plan.Complete {
			return nil
		}
		in := inOrder(n.Input, ordering{groups: n.Groups})
		if in == nil || mergesBuckets(in) {
			return nil
		}
		c := *n
		c.Input, c.Ordered = in, true
		return &c
	}
	return nil
}

func mergesBuckets(n plan.Node) bool {
	if _, ok := n.(*plan.SaltMerge); ok {
		return true
	}
	for _, in := range n.Inputs() {
		if mergesBuckets(in) {
			return true
		}
	}
	return false
}
