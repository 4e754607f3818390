package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// maxTopN is up to how many rows are kept in memory rather than sorted with spilling.
const maxTopN = 100000

// topN keeps the first rows while it reads, where a Limit would cut them from a
// whole sort. Above a gather each bucket keeps its own.
//
// Not without a LIMIT, nor for one so large that its rows may not fit in memory.
func topN(_ *Context, n plan.Node) plan.Node {
	l, ok := n.(*plan.Limit)
	if !ok || l.Count == nil || l.Ties != nil {
		return nil
	}
	s, ok := l.Input.(*plan.Sort)
	if !ok || isLarge(l.Count) || isLarge(l.Offset) {
		return nil
	}
	return &plan.TopN{Input: s.Input, Keys: s.Keys, Count: l.Count, Offset: l.Offset}
}

func isLarge(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && (c.Value.Null || c.Value.Int > maxTopN)
}
