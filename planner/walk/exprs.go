package walk

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// MapExprs copies a node with fn applied to each of its expressions; n
// itself where none changed.
func MapExprs(n plan.Node, fn func(expr.Expr) expr.Expr) plan.Node {
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
		if ks == nil {
			return nil
		}
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
	match := func(m plan.Match) plan.Match {
		joinKeys := make([]plan.JoinKey, len(m.Keys))
		for i, k := range m.Keys {
			joinKeys[i] = k
			joinKeys[i].Left, joinKeys[i].Right = one(k.Left), one(k.Right)
		}
		return plan.Match{Keys: joinKeys, Filter: one(m.Filter), Cond: one(m.Cond)}
	}
	checks := func(cs []plan.CheckExpr) []plan.CheckExpr {
		out := make([]plan.CheckExpr, len(cs))
		for i, c := range cs {
			out[i] = plan.CheckExpr{Name: c.Name, Cond: one(c.Cond), View: c.View}
		}
		return out
	}
	var copied plan.Node
	switch n := n.(type) {
	case *plan.Scan:
		c := *n
		c.Filter, c.Recheck, c.Limit = one(n.Filter), one(n.Recheck), one(n.Limit)
		if n.Reduced != nil {
			r := *n.Reduced
			r.Recheck = one(r.Recheck)
			c.Reduced = &r
		}
		if n.Sample != nil {
			s := *n.Sample
			s.Percent, s.Seed = one(s.Percent), one(s.Seed)
			c.Sample = &s
		}
		copied = &c
	case *plan.SaltGather:
		if s := n.Scan(); s != nil {
			in := MapExprs(s, fn)
			changed = in != n.Input
			copied = &plan.SaltGather{Input: in, Serial: n.Serial}
		}
	case *plan.SaltMerge:
		if s := n.Scan(); s != nil {
			in := MapExprs(s, fn)
			changed = in != n.Input
			copied = &plan.SaltMerge{Input: in}
		} else {
			copied = &plan.SaltMerge{Input: n.Input, Keys: keys(n.Keys)}
		}
	case *plan.Filter:
		copied = &plan.Filter{Input: n.Input, Cond: one(n.Cond)}
	case *plan.Project:
		copied = &plan.Project{Input: n.Input, Exprs: list(n.Exprs), Cols: n.Cols}
	case *plan.Limit:
		c := *n
		c.Count, c.Offset, c.Ties = one(n.Count), one(n.Offset), keys(n.Ties)
		copied = &c
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
	case *plan.VirtualScan:
		c := *n
		c.Filter = one(n.Filter)
		c.Equal = slices.Clone(n.Equal)
		for i := range c.Equal {
			c.Equal[i].Value = one(c.Equal[i].Value)
		}
		copied = &c
	case *plan.TableFunc:
		c := *n
		c.Args = list(n.Args)
		copied = &c
	case *plan.ProjectSet:
		c := *n
		c.Sets = slices.Clone(n.Sets)
		for i := range c.Sets {
			c.Sets[i].Args = list(c.Sets[i].Args)
		}
		copied = &c
	case *plan.Window:
		c := *n
		c.Partition, c.Order, c.Calls = list(n.Partition), keys(n.Order), slices.Clone(n.Calls)
		for i := range c.Calls {
			w := &c.Calls[i]
			w.Args, w.Filter = list(w.Args), one(w.Filter)
			for _, b := range []*plan.Bound{&w.Frame.Start, &w.Frame.End} {
				b.Offset, b.Shift = one(b.Offset), one(b.Shift)
			}
		}
		copied = &c
	case *plan.HashJoin:
		c := *n
		c.Match = match(n.Match)
		copied = &c
	case *plan.MergeJoin:
		c := *n
		c.Match = match(n.Match)
		copied = &c
	case *plan.NestedLoop:
		c := *n
		c.Match = match(n.Match)
		copied = &c
	case *plan.Apply:
		c := *n
		c.Match, c.Params = match(n.Match), slices.Clone(n.Params)
		for i := range c.Params {
			c.Params[i].Value = one(c.Params[i].Value)
		}
		copied = &c
	case *plan.LookupJoin:
		c := *n
		c.Values, c.Filter, c.Limit = list(n.Values), one(n.Filter), one(n.Limit)
		c.Same = match(plan.Match{Keys: n.Same}).Keys
		right := *n.Right
		right.Filter = one(n.Right.Filter)
		c.Right = &right
		copied = &c
	case *plan.Lock:
		c := *n
		c.Cond, c.Count, c.Offset = one(n.Cond), one(n.Count), one(n.Offset)
		copied = &c
	case *plan.Insert:
		c := *n
		c.Set, c.Where, c.Generated, c.Checks, c.Returning = set(n.Set), one(n.Where), set(n.Generated), checks(n.Checks), list(n.Returning)
		copied = &c
	case *plan.Upsert:
		c := *n
		c.Defaults, c.Set, c.Generated, c.Checks, c.Returning = set(n.Defaults), set(n.Set), set(n.Generated), checks(n.Checks), list(n.Returning)
		copied = &c
	case *plan.Update:
		c := *n
		c.Set, c.Cond, c.Generated, c.Checks, c.Returning = set(n.Set), one(n.Cond), set(n.Generated), checks(n.Checks), list(n.Returning)
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
