package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// dropUnused drops what nobody above asks for:
//
//	columns, aggregates and window functions that are not used
//	a left join that gives each left row once, none of whose right columns is used
//	a mark that is not looked at
//	DISTINCT, and GROUP BY without aggregates, over what is unique by its columns
//	DISTINCT ON of which the order is not asked for, over what is unique by its columns
//	projections that pass columns on as they are
//
// Not what calls a volatile function, nor a query for one value that may find two.
func dropUnused(z *normalizer, n logical.Node) logical.Node { return z.prune(n, z.out) }

// prune gives n with at least the columns need.
func (z *normalizer) prune(n logical.Node, need logical.ColSet) logical.Node {
	switch m := n.(type) {
	case *logical.Project:
		return z.pruneProject(m, need)
	case *logical.Join:
		return z.pruneJoin(m, need)
	case *logical.GroupBy:
		return z.pruneGroupBy(m, need)
	case *logical.Window:
		return z.pruneWindow(m, need)
	case *logical.Union:
		return z.pruneUnion(m, need)
	case *logical.DistinctOn:
		if m.AnyOrder && z.facts.Of(m.Input).UniqueBy(plainCols(m.Exprs)) {
			return z.prune(m.Input, need)
		}
		return z.pruneInput(m, need)
	case *logical.Select, *logical.ProjectSet, *logical.Sort, *logical.Limit:
		return z.pruneInput(m, need)
	case *logical.With:
		return logical.WithInputs(m, []logical.Node{z.whole(m.Query), z.prune(m.Body, need)})
	}
	return logical.MapInputs(n, z.whole)
}

// pruneInput prunes below a node that passes its input's columns on.
func (z *normalizer) pruneInput(n logical.Node, need logical.ColSet) logical.Node {
	in := n.Inputs()[0]
	return logical.WithInputs(n, []logical.Node{z.prune(in, z.with(need, n).Intersect(z.facts.Of(in).Out))})
}

// plainCols are the columns among expressions.
func plainCols(exprs []expr.Expr) (cols logical.ColSet) {
	for _, e := range exprs {
		if c, ok := e.(*expr.Col); ok {
			cols.Add(c.Index)
		}
	}
	return cols
}

// whole prunes inside n, which keeps its columns.
func (z *normalizer) whole(n logical.Node) logical.Node {
	return kept(z.meta, n, z.prune(n, logical.SetOf(n.Out()...)), n.Out())
}

// with adds to need what a node's own expressions name.
func (z *normalizer) with(need logical.ColSet, n logical.Node) logical.ColSet {
	out := need.Copy()
	logical.VisitExprs(n, func(e expr.Expr) { z.facts.ExprCols(&out, e) })
	return out
}

func (z *normalizer) pruneProject(n *logical.Project, need logical.ColSet) logical.Node {
	passes := true
	p := &logical.Project{}
	for i, e := range n.Exprs {
		c, ok := e.(*expr.Col)
		same := ok && c.Index == n.Cols[i]
		if need.Has(n.Cols[i]) || logical.VolatileExpr(e) {
			p.Exprs, p.Cols = append(p.Exprs, e), append(p.Cols, n.Cols[i])
			passes = passes && same
		}
	}
	if passes {
		return z.prune(n.Input, need.Intersect(logical.SetOf(p.Cols...)))
	}
	if len(p.Exprs) == len(n.Exprs) {
		p = n
	}
	in := z.prune(n.Input, z.with(logical.ColSet{}, p).Intersect(z.facts.Of(n.Input).Out))
	return logical.WithInputs(p, []logical.Node{in})
}

func (z *normalizer) pruneJoin(n *logical.Join, need logical.ColSet) logical.Node {
	left, right := z.facts.Of(n.Left), z.facts.Of(n.Right)
	if !need.Intersects(right.Out) && !logical.Volatile(n.Right) {
		switch {
		case n.Kind == plan.Left && right.UniqueBy(z.facts.Equated(n)) && !logical.VolatileHere(n),
			n.Kind == plan.Single && !logical.VolatileHere(n), // a value that nobody asks for is not computed
			n.Kind == plan.Mark && !need.Has(n.Mark):
			return z.prune(n.Left, need)
		}
	}
	all := z.with(need, n)
	if n.Apply {
		all.AddAll(right.Free)
	}
	l, r := z.prune(n.Left, all.Intersect(left.Out)), z.prune(n.Right, all.Intersect(right.Out))
	return logical.WithInputs(n, []logical.Node{l, r})
}

func (z *normalizer) pruneGroupBy(n *logical.GroupBy, need logical.ColSet) logical.Node {
	if len(n.Aggs) == 0 && n.Sets == nil && len(n.Groups) > 0 {
		plain := logical.PlainGroups(n)
		if plain.Len() == len(n.Groups) && z.facts.Of(n.Input).UniqueBy(plain) {
			return z.prune(n.Input, need.Intersect(plain))
		}
	}
	g := *n
	g.Aggs, g.AggCols = nil, nil
	for i := range n.Aggs {
		if need.Has(n.AggCols[i]) || slices.ContainsFunc(n.Aggs[i].Args, logical.VolatileExpr) ||
			len(n.Groups) == 0 && len(g.Aggs) == 0 && i == len(n.Aggs)-1 {
			g.Aggs, g.AggCols = append(g.Aggs, n.Aggs[i]), append(g.AggCols, n.AggCols[i])
		}
	}
	out := n
	if len(g.Aggs) != len(n.Aggs) {
		out = &g
	}
	in := z.prune(n.Input, z.with(logical.ColSet{}, out).Intersect(z.facts.Of(n.Input).Out))
	return logical.WithInputs(out, []logical.Node{in})
}

func (z *normalizer) pruneWindow(n *logical.Window, need logical.ColSet) logical.Node {
	w := *n
	w.Calls, w.Cols = nil, nil
	for i := range n.Calls {
		if need.Has(n.Cols[i]) || slices.ContainsFunc(n.Calls[i].Args, logical.VolatileExpr) {
			w.Calls, w.Cols = append(w.Calls, n.Calls[i]), append(w.Cols, n.Cols[i])
		}
	}
	if len(w.Calls) == 0 {
		return z.prune(n.Input, need)
	}
	out := n
	if len(w.Calls) != len(n.Calls) {
		out = &w
	}
	in := z.prune(n.Input, z.with(need, out).Intersect(z.facts.Of(n.Input).Out))
	return logical.WithInputs(out, []logical.Node{in})
}

func (z *normalizer) pruneUnion(n *logical.Union, need logical.ColSet) logical.Node {
	u := &logical.Union{}
	var keep []int
	for i, c := range n.Cols {
		if need.Has(c) {
			keep, u.Cols = append(keep, i), append(u.Cols, c)
		}
	}
	changed := len(keep) != len(n.Cols)
	for _, p := range n.Parts {
		cols := make([]logical.ColumnID, len(keep))
		for i, k := range keep {
			cols[i] = p.Out()[k]
		}
		part := kept(z.meta, p, z.prune(p, logical.SetOf(cols...)), cols)
		changed = changed || part != p
		u.Parts = append(u.Parts, part)
	}
	if !changed {
		return n
	}
	return u
}
