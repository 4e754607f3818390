package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// useKeyOrder drops a Sort whose order the row key serves: the scan reads in key
// order, forward or backward, and the buckets of a salted table are merged in
// it. It also lets an Aggregate of an unsalted table end each group where the
// values change, where key order brings equal groups together.
//
// Key columns bound by = to one value do not count, nor do sort keys after the whole
// primary key: no two rows are equal up to there. Not below a Limit, whose rows another
// order would change, and not where a nullable key column's NULLs lie elsewhere.
// Groups alone are a reason to merge buckets only where there are many of few rows each:
// others are grouped in parallel, and fewer rows are left to be combined.
func useKeyOrder(ctx *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Sort:
		in := keyorder.InOrder(n.Input, keyorder.Ordering{Keys: n.Keys})
		if in == nil || ctx.Hints.has(hintForwardScan) && readsBackward(in) {
			return nil
		}
		return in
	case *plan.Aggregate:
		if len(n.Groups) == 0 || n.Sets != nil || n.Ordered || n.Phase != plan.Complete || ctx.Hints.has(hintHashGroups) {
			return nil
		}
		in := keyorder.InOrder(n.Input, keyorder.Ordering{Groups: n.Groups})
		if in == nil || mergesBuckets(in) && !hardlyGroups(ctx, n) {
			return nil
		}
		c := *n
		c.Input, c.Ordered = in, true
		return &c
	}
	return nil
}

// manyGroups is from how many groups on a table of them outgrows a processor's own cache.
const manyGroups = 1 << 15

// hardlyGroups says that an aggregation of a salted table by the first columns of its key
// makes many groups, with fewer than two rows in a bucket: then merging the buckets costs
// less than groups of each, and takes no memory. Not where a filter leaves fewer rows.
func hardlyGroups(ctx *Context, n *plan.Aggregate) bool {
	s, ok := walk.ScanUnder(n.Input)
	if !ok || s.Filter != nil {
		return false
	}
	prefix := 0
	for _, g := range n.Groups {
		c, ok := g.(*expr.Col)
		if !ok || c.Index >= len(s.Cols) {
			return false
		}
		prefix = max(prefix, s.Table.Columns[s.Cols[c.Index]].KeyPos+1)
	}
	sp, ok := estimate.KeySpread(ctx.Known(), s)
	return ok && prefix < len(sp.Runs) && sp.Distinct[prefix] >= manyGroups && 2*sp.Runs[prefix] > sp.Rows
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
