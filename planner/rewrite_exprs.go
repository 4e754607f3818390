package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// mapNodeExprs copies a node with fn applied to each of its expressions; n
// itself where none changed.
func mapNodeExprs(n plan.Node, fn func(expr.Expr) expr.Expr) plan.Node {
	changed := false
	one := func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		out := fn(e)
		changed = changed || out != e
		return out
	}
	list := func(es []expr.Expr) []expr.Expr {
		out := make([]expr.Expr, len(es))
		for i, e := range es {
			out[i] = one(e)
		}
		return out
	}
	keys := func(ks []plan.SortKey) []plan.SortKey {
		out := make([]plan.SortKey, len(ks))
		for i, k := range ks {
			out[i] = k
			out[i].Expr = one(k.Expr)
		}
		return out
	}
	set := func(ss []plan.SetColumn) []plan.SetColumn {
		out := make([]plan.SetColumn, len(ss))
		for i, s := range ss {
			out[i] = plan.SetColumn{Column: s.Column, Value: one(s.Value)}
		}
		return out
	}
	checks := func(cs []plan.CheckExpr) []plan.CheckExpr {
		out := make([]plan.CheckExpr, len(cs))
		for i, c := range cs {
			out[i] = plan.CheckExpr{Name: c.Name, Cond: one(c.Cond)}
		}
		return out
	}
	var copied plan.Node
	switch n := n.(type) {
	case *plan.Scan:
		c := *n
		c.Filter, c.Recheck, c.Limit = one(n.Filter), one(n.Recheck), one(n.Limit)
		copied = &c
	case *plan.SaltGather:
		s := mapNodeExprs(n.Input, fn).(*plan.Scan)
		changed = s != n.Input
		copied = &plan.SaltGather{Input: s, Serial: n.Serial}
	case *plan.SaltMerge:
		s := mapNodeExprs(n.Input, fn).(*plan.Scan)
		changed = s != n.Input
		copied = &plan.SaltMerge{Input: s}
	case *plan.Filter:
		copied = &plan.Filter{Input: n.Input, Cond: one(n.Cond)}
	case *plan.Project:
		copied = &plan.Project{Input: n.Input, Exprs: list(n.Exprs), Cols: n.Cols}
	case *plan.Limit:
		copied = &plan.Limit{Input: n.Input, Count: one(n.Count), Offset: one(n.Offset)}
	case *plan.Sort:
		copied = &plan.Sort{Input: n.Input, Keys: keys(n.Keys)}
	case *plan.TopN:
		copied = &plan.TopN{Input: n.Input, Keys: keys(n.Keys), Count: one(n.Count), Offset: one(n.Offset)}
	case *plan.DistinctOn:
		copied = &plan.DistinctOn{Input: n.Input, Exprs: list(n.Exprs)}
	case *plan.Aggregate:
		c := *n
		c.Groups = list(n.Groups)
		c.Aggs = make([]plan.AggCall, len(n.Aggs))
		for i, a := range n.Aggs {
			a.Args, a.Filter, a.OrderBy = list(a.Args), one(a.Filter), keys(a.OrderBy)
			c.Aggs[i] = a
		}
		copied = &c
	case *plan.Values:
		c := &plan.Values{Cols: n.Cols, Rows: make([][]expr.Expr, len(n.Rows))}
		for i, row := range n.Rows {
			c.Rows[i] = list(row)
		}
		copied = c
	case *plan.TableFunc:
		c := *n
		c.Args = list(n.Args)
		copied = &c
	case *plan.Insert:
		c := *n
		c.Set, c.Where, c.Checks, c.Returning = set(n.Set), one(n.Where), checks(n.Checks), list(n.Returning)
		copied = &c
	case *plan.Upsert:
		c := *n
		c.Defaults, c.Set, c.Checks, c.Returning = set(n.Defaults), set(n.Set), checks(n.Checks), list(n.Returning)
		copied = &c
	case *plan.Update:
		c := *n
		c.Set, c.Cond, c.Checks, c.Returning = set(n.Set), one(n.Cond), checks(n.Checks), list(n.Returning)
		copied = &c
	case *plan.Delete:
		c := *n
		c.Cond, c.Returning = one(n.Cond), list(n.Returning)
		copied = &c
	}
	if !changed {
		return n
	}
	return copied
}
