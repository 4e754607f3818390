package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// mergeProjections computes a projection of a projection in one step.
//
// Not where the lower one computes something: it might then be computed twice.
func mergeProjections(_ *Context, n plan.Node) plan.Node {
	upper, ok := n.(*plan.Project)
	if !ok {
		return nil
	}
	lower, ok := upper.Input.(*plan.Project)
	if !ok {
		return nil
	}
	for _, e := range lower.Exprs {
		switch e.(type) {
		case *expr.Col, *expr.Const, *expr.Param:
		default:
			return nil
		}
	}
	out := &plan.Project{Input: lower.Input, Cols: upper.Cols, Exprs: make([]expr.Expr, len(upper.Exprs))}
	for i, e := range upper.Exprs {
		out.Exprs[i] = mapCols(e, func(c *expr.Col) expr.Expr { return lower.Exprs[c.Index] })
	}
	return out
}
