package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// mergeProjections computes a projection of a projection in one step, and lets an
// aggregation read what is below a projection.
//
// Not where the lower one computes something: it might then be computed twice.
func mergeProjections(_ *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Project:
		lower, ok := plainProject(n.Input)
		if !ok {
			return nil
		}
		return &plan.Project{Input: lower.Input, Cols: n.Cols, Exprs: throughAll(n.Exprs, lower)}
	case *plan.Aggregate:
		lower, ok := plainProject(n.Input)
		if !ok {
			return nil
		}
		c := *n
		c.Input, c.Groups = lower.Input, throughAll(n.Groups, lower)
		c.Aggs = make([]plan.AggCall, len(n.Aggs))
		for i, a := range n.Aggs {
			a.Args = throughAll(a.Args, lower)
			a.Filter = through(a.Filter, lower)
			a.OrderBy = append([]plan.SortKey(nil), a.OrderBy...)
			for j := range a.OrderBy {
				a.OrderBy[j].Expr = through(a.OrderBy[j].Expr, lower)
			}
			c.Aggs[i] = a
		}
		return &c
	}
	return nil
}

// plainProject gives a projection that computes nothing.
func plainProject(n plan.Node) (*plan.Project, bool) {
	p, ok := n.(*plan.Project)
	if !ok {
		return nil, false
	}
	for _, e := range p.Exprs {
		switch e.(type) {
		case *expr.Col, *expr.Const, *expr.Param:
		default:
			return nil, false
		}
	}
	return p, true
}

// through says e, which is over p's columns, over its input's.
func through(e expr.Expr, p *plan.Project) expr.Expr {
	return expr.MapCols(e, func(c *expr.Col) expr.Expr { return p.Exprs[c.Index] })
}

func throughAll(list []expr.Expr, p *plan.Project) []expr.Expr {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = through(e, p)
	}
	return out
}
