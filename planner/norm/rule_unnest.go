package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// unnest makes plain joins of Applies: what the right side asks of the left side's columns
// is lifted into the join's condition, through projections, joins, groups, windows and
// DISTINCT ON, which then group by what is compared:
//
//	a APPLY (SELECT … FROM b WHERE b.x = a.x)           a JOIN b ON b.x = a.x
//	a APPLY (SELECT sum(b.y) FROM b WHERE b.x = a.x)    a LEFT JOIN (SELECT b.x, sum(b.y) FROM b GROUP BY b.x) ON …
//
// An aggregate over no rows is what it is: count is 0 where the left join finds nothing.
//
// Not what is volatile, or asked for on a condition only; not below LIMIT; nor a value whose
// expressions could fail for rows that no left row asks for.
func unnest(z *normalizer, n logical.Node) logical.Node {
	ins := n.Inputs()
	if len(ins) > 0 {
		out := make([]logical.Node, len(ins))
		for i, in := range ins {
			out[i] = unnest(z, in)
			if positional(n, i) {
				out[i] = exactly(z.meta, out[i], in.Out())
			}
		}
		n = logical.WithInputs(n, out)
	}
	if j, ok := n.(*logical.Join); ok && j.Apply {
		return z.unnestJoin(j)
	}
	return n
}

// positional says that n reads the columns of its input i by their order.
func positional(n logical.Node, i int) bool {
	switch n.(type) {
	case *logical.Union, *logical.SetOp, *logical.RecursiveUnion, *logical.Write:
		return true
	case *logical.With:
		return i == 0
	}
	return false
}

func (z *normalizer) correlated(n logical.Node, outer logical.ColSet) bool {
	return z.facts.Of(n).Free.Intersects(outer)
}

func (z *normalizer) unnestJoin(n *logical.Join) logical.Node {
	outer := z.facts.Of(n.Left).Out
	if !z.correlated(n.Right, outer) {
		j := *n
		j.Apply = false
		return &j
	}
	if logical.Volatile(n.Right) || (n.Kind == plan.Left || n.Kind == plan.Single) && exprsFail(n.Right) {
		return n
	}
	if out := z.unnestScalar(n, outer); out != nil {
		return out
	}
	if out := z.liftProject(n, outer); out != nil {
		return z.unnestJoin(out)
	}
	x := lifter{z: z, outer: outer}
	right, conds, ok := x.lift(n.Right)
	if !ok {
		return n
	}
	j := *n
	j.Right, j.On, j.Apply = right, logical.And(n.On, logical.AndAll(conds)), false
	return &j
}

// liftProject takes a projection that computes with the left side's columns off the right
// side; the join's kind says how its columns are told from NULL. nil where it is not one.
func (z *normalizer) liftProject(n *logical.Join, outer logical.ColSet) *logical.Join {
	p, ok := n.Right.(*logical.Project)
	if !ok {
		return nil
	}
	uses := false
	for _, e := range p.Exprs {
		uses = uses || z.facts.ColsOf(e).Intersects(outer)
	}
	if !uses {
		return nil
	}
	switch n.Kind {
	case plan.Semi, plan.Anti, plan.Mark:
		j := *n
		j.Right = p.Input
		j.On, j.Cond = replaceCols(n.On, p.Cols, p.Exprs), replaceCols(n.Cond, p.Cols, p.Exprs)
		return &j
	}
	return nil
}

// scalarOver gives the aggregation of exactly one row that n projects and filters.
func scalarOver(n logical.Node) (g *logical.GroupBy, chain []logical.Node) {
	for {
		switch m := n.(type) {
		case *logical.Project:
			chain = append(chain, m)
			n = m.Input
		case *logical.Select:
			chain = append(chain, m)
			n = m.Input
		case *logical.GroupBy:
			if len(m.Groups) > 0 || m.Sets != nil {
				return nil, nil
			}
			return m, chain
		default:
			return nil, nil
		}
	}
}

// unnestScalar unnests a right side of one aggregated row. nil where it is none.
func (z *normalizer) unnestScalar(n *logical.Join, outer logical.ColSet) logical.Node {
	g, chain := scalarOver(n.Right)
	if g == nil || n.Kind == plan.Right || n.Kind == plan.Full || z.usesOf(g, outer) || !emptyIsKnown(g) || takesOrder(g) || z.guarded(chain) {
		return nil
	}
	x := lifter{z: z, outer: outer}
	in, conds, ok := x.lift(g.Input)
	if !ok {
		return nil
	}
	grouped := &logical.GroupBy{Input: in, Aggs: g.Aggs, AggCols: g.AggCols}
	on, ok := x.groupBy(grouped, conds)
	if !ok {
		return nil
	}
	var joined logical.Node = &logical.Join{Kind: plan.Left, Left: n.Left, Right: grouped, On: logical.AndAll(on)}
	if len(conds) == 0 {
		joined = &logical.Join{Kind: plan.Inner, Left: n.Left, Right: g}
	}
	// What each column of the aggregation is, in terms of the join.
	cols, exprs := slices.Clone(g.AggCols), make([]expr.Expr, len(g.AggCols))
	for i, c := range g.AggCols {
		exprs[i] = z.meta.Ref(c)
		if isCount(&g.Aggs[i]) && len(conds) > 0 {
			zero := &expr.Const{Value: types.NewInt(0), T: exprs[i].Type()}
			exprs[i] = &expr.Coalesce{Args: []expr.Expr{exprs[i], zero}, T: exprs[i].Type()}
		}
	}
	var having []expr.Expr
	for _, m := range slices.Backward(chain) {
		switch m := m.(type) {
		case *logical.Select:
			for _, c := range logical.Conjuncts(m.Cond) {
				having = append(having, replaceCols(c, cols, exprs))
			}
		case *logical.Project:
			next := make([]expr.Expr, len(m.Exprs))
			for i, e := range m.Exprs {
				next[i] = replaceCols(e, cols, exprs)
			}
			cols, exprs = m.Cols, next
		}
	}
	for _, c := range logical.Conjuncts(n.On) {
		having = append(having, replaceCols(c, cols, exprs))
	}
	return z.withOneRow(n, joined, cols, exprs, logical.AndAll(having), replaceCols(n.Cond, cols, exprs))
}

// withOneRow is the join n, where joined has for each left row the one row of the right
// side: exprs are its columns cols, and it is a candidate where on is true.
func (z *normalizer) withOneRow(n *logical.Join, joined logical.Node, cols []logical.ColumnID, exprs []expr.Expr, on, cond expr.Expr) logical.Node {
	left := n.Left.Out()
	isTrue := func(e expr.Expr) expr.Expr {
		t, err := expr.MakeIsTest(e, "true", false, 0)
		if err != nil {
			return e // not reached: e is boolean
		}
		return t
	}
	switch n.Kind {
	case plan.Inner:
		if on != nil {
			joined = &logical.Select{Input: joined, Cond: on}
		}
	case plan.Left, plan.Single:
		if on != nil {
			for i, e := range exprs {
				exprs[i] = &expr.Case{Whens: []expr.When{{Cond: on, Then: e}}, T: e.Type()}
			}
		}
	case plan.Semi:
		all := logical.And(on, cond)
		if all != nil {
			joined = &logical.Select{Input: joined, Cond: all}
		}
		return exactly(z.meta, joined, left)
	case plan.Anti:
		// A row stays if the other is no candidate, or the condition is false of it.
		var stays []expr.Expr
		if on != nil {
			stays = append(stays, &expr.Not{X: isTrue(on)})
		}
		if cond != nil {
			stays = append(stays, &expr.Not{X: cond})
		}
		var test expr.Expr = &expr.Const{Value: types.NewBool(false), T: types.Of(types.Bool)}
		switch len(stays) {
		case 1:
			test = stays[0]
		case 2:
			test = &expr.Or{Args: stays}
		}
		return exactly(z.meta, &logical.Select{Input: joined, Cond: test}, left)
	case plan.Mark:
		var mark expr.Expr = &expr.Const{Value: types.NewBool(true), T: types.Of(types.Bool)}
		if cond != nil {
			mark = cond
		}
		if on != nil {
			no := &expr.Const{Value: types.NewBool(false), T: types.Of(types.Bool)}
			mark = &expr.Case{Whens: []expr.When{{Cond: on, Then: mark}}, Else: no, T: types.Of(types.Bool)}
		}
		return &logical.Project{Input: joined, Exprs: append(z.meta.Refs(left), mark), Cols: append(slices.Clone(left), n.Mark)}
	}
	return &logical.Project{Input: joined, Exprs: append(z.meta.Refs(left), exprs...), Cols: append(slices.Clone(left), cols...)}
}

func isCount(a *plan.AggCall) bool { return a.Agg.Name == "count" || a.Agg.Name == "regr_count" }

// emptyIsKnown says that every aggregate is NULL over no rows, or 0 as count is.
func emptyIsKnown(g *logical.GroupBy) bool {
	for i := range g.Aggs {
		switch g.Aggs[i].Agg.Name {
		case "rank", "dense_rank", "percent_rank", "cume_dist":
			return false
		}
	}
	return true
}

// usesOf says that a node's own expressions name columns of a set.
func (z *normalizer) usesOf(n logical.Node, cols logical.ColSet) bool {
	found := false
	logical.VisitExprs(n, func(e expr.Expr) { found = found || z.facts.ColsOf(e).Intersects(cols) })
	return found
}

// guarded says that one of the nodes asks for the column of a guard: what is below is to
// be run only where that is true.
func (z *normalizer) guarded(chain []logical.Node) bool {
	for _, n := range chain {
		if s, ok := n.(*logical.Select); ok && z.isGuard(s.Cond) {
			return true
		}
	}
	return false
}

func (z *normalizer) isGuard(cond expr.Expr) bool {
	return slices.ContainsFunc(logical.Conjuncts(cond), func(c expr.Expr) bool {
		col, ok := c.(*expr.Col)
		return ok && z.meta.Column(col.Index).Name == guardName
	})
}
