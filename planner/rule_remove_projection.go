package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// removeProjection drops a projection that gives its input's columns as they are.
// The names the user sees are the plan's, not the node's.
func removeProjection(_ *Context, n plan.Node) plan.Node {
	p, ok := n.(*plan.Project)
	if !ok || len(p.Exprs) != plan.Width(p.Input) {
		return nil
	}
	if _, empty := p.Input.(*plan.OneRow); empty {
		return nil
	}
	for i, e := range p.Exprs {
		if c, ok := e.(*expr.Col); !ok || c.Index != i {
			return nil
		}
	}
	return p.Input
}
