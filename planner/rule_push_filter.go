package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// pushFilter moves a Filter below a Project (of a subquery in FROM) by putting
// the projected expressions in the place of its columns, below a Sort or the other
// branches of an Append, and joins it with a Filter below it. Below an
// aggregation go the conditions over its groups alone: a group passes them or not
// as each of its rows does.
//
// Not where the projection calls a volatile function: it would be called twice,
// or for other rows. Not below a Limit or DISTINCT ON, where it would mean
// something else.
func pushFilter(_ *Context, n plan.Node) plan.Node {
	f, ok := n.(*plan.Filter)
	if !ok {
		return nil
	}
	return pushedFilter(f)
}

func pushedFilter(f *plan.Filter) plan.Node {
	// The filter's new place may again be above something it can pass.
	again := func(f *plan.Filter) plan.Node {
		if m := pushedFilter(f); m != nil {
			return m
		}
		return f
	}
	switch in := f.Input.(type) {
	case *plan.Filter:
		cond := walk.AndAll(append(walk.Conjuncts(in.Cond), walk.Conjuncts(f.Cond)...))
		return again(&plan.Filter{Input: in.Input, Cond: cond})
	case *plan.Sort:
		return &plan.Sort{Input: again(&plan.Filter{Input: in.Input, Cond: f.Cond}), Keys: in.Keys}
	case *plan.Project:
		for _, e := range in.Exprs {
			if expr.Volatile(e) {
				return nil
			}
		}
		var below, above []expr.Expr
		for _, c := range walk.Conjuncts(f.Cond) {
			if by := (func(c *expr.Col) expr.Expr { return in.Exprs[c.Index] }); expr.Copies(c, by) {
				above = append(above, c)
			} else {
				below = append(below, expr.MapCols(c, by))
			}
		}
		if len(below) == 0 {
			return nil
		}
		out := plan.Node(&plan.Project{Input: again(&plan.Filter{Input: in.Input, Cond: walk.AndAll(below)}), Exprs: in.Exprs, Cols: in.Cols})
		if len(above) > 0 {
			out = &plan.Filter{Input: out, Cond: walk.AndAll(above)}
		}
		return out
	case *plan.Aggregate:
		if in.Sets != nil {
			return nil // a set may leave the filter's column out
		}
		return filterGroups(f, in, again)
	case *plan.Append:
		out := &plan.Append{Cols: in.Cols}
		for _, part := range in.Parts {
			out.Parts = append(out.Parts, again(&plan.Filter{Input: part, Cond: f.Cond}))
		}
		return out
	}
	return nil
}

func filterGroups(f *plan.Filter, in *plan.Aggregate, again func(*plan.Filter) plan.Node) plan.Node {
	if len(in.Groups) == 0 {
		return nil
	}
	var below, above []expr.Expr
	for _, c := range walk.Conjuncts(f.Cond) {
		ofGroups := !expr.Volatile(c)
		for _, col := range expr.Cols(c) {
			ofGroups = ofGroups && col < len(in.Groups) && !expr.Volatile(in.Groups[col])
		}
		if by := (func(x *expr.Col) expr.Expr { return in.Groups[x.Index] }); ofGroups && !expr.Copies(c, by) {
			below = append(below, expr.MapCols(c, by))
		} else {
			above = append(above, c)
		}
	}
	if len(below) == 0 {
		return nil
	}
	agg := *in
	agg.Input = again(&plan.Filter{Input: in.Input, Cond: walk.AndAll(below)})
	if len(above) == 0 {
		return &agg
	}
	return &plan.Filter{Input: &agg, Cond: walk.AndAll(above)}
}
