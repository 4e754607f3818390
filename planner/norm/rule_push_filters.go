package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// pushFilters moves conditions as far down as they may go, in one walk from the top:
//
//	inner join      to the side they name; those of both sides into its condition
//	left join       those of its left side down; of its own condition what names the right side
//	semi, anti …    the same
//	GROUP BY        conditions over groups; over windows, over partition columns
//	UNION           into every part; INTERSECT and EXCEPT alike
//
// Not conditions with a volatile function, which are evaluated once for each row that the
// others let through; not through a projection that calls one; not below LIMIT, locks and
// recursion, where they would mean something else.
func pushFilters(z *normalizer, n logical.Node) logical.Node { return z.push(n, nil) }

// push gives the rows of n for which all of conds are true.
func (z *normalizer) push(n logical.Node, conds []expr.Expr) logical.Node {
	switch m := n.(type) {
	case *logical.Select:
		return z.pushSelect(m, conds)
	case *logical.Project:
		return z.pushProject(m, conds)
	case *logical.Join:
		return z.pushJoin(m, conds)
	case *logical.GroupBy:
		return z.pushGroupBy(m, conds)
	case *logical.Window:
		below, above := z.splitBy(conds, m, plainCols(m.Partition))
		return z.over(logical.WithInputs(m, []logical.Node{z.push(m.Input, below)}), above)
	case *logical.DistinctOn:
		below, above := z.splitBy(conds, m, plainCols(m.Exprs))
		return z.over(logical.WithInputs(m, []logical.Node{z.push(m.Input, below)}), above)
	case *logical.ProjectSet:
		out := z.facts.Of(m.Input).Out
		below, above := z.splitBy(conds, m, out)
		return z.over(logical.WithInputs(m, []logical.Node{z.push(m.Input, below)}), above)
	case *logical.Sort:
		return logical.WithInputs(m, []logical.Node{z.push(m.Input, conds)})
	case *logical.With:
		return logical.WithInputs(m, []logical.Node{exactly(z.meta, z.push(m.Query, nil), m.Query.Out()), z.push(m.Body, conds)})
	case *logical.Union:
		parts := make([]logical.Node, len(m.Parts))
		for i, p := range m.Parts {
			parts[i] = exactly(z.meta, z.push(p, renamed(conds, m.Cols, p.Out())), p.Out())
		}
		return logical.WithInputs(m, parts)
	case *logical.SetOp:
		return z.pushSetOp(m, conds)
	}
	return z.over(logical.MapInputs(n, func(in logical.Node) logical.Node { return exactly(z.meta, z.push(in, nil), in.Out()) }), conds)
}

// over puts conditions above a node.
func (z *normalizer) over(n logical.Node, conds []expr.Expr) logical.Node {
	if len(conds) == 0 {
		return n
	}
	return &logical.Select{Input: n, Cond: logical.AndAll(conds)}
}

// splitBy parts conditions over the rows of n into those that of its columns name only what
// is in allowed, and others.
func (z *normalizer) splitBy(conds []expr.Expr, n logical.Node, allowed logical.ColSet) (below, above []expr.Expr) {
	cols := logical.SetOf(n.Out()...)
	for _, c := range conds {
		if named := z.facts.ColsOf(c).Intersect(cols); !named.Empty() && named.SubsetOf(allowed) {
			below = append(below, c)
		} else {
			above = append(above, c)
		}
	}
	return below, above
}

func (z *normalizer) pushSelect(n *logical.Select, conds []expr.Expr) logical.Node {
	own := logical.Conjuncts(n.Cond)
	var below, volatile []expr.Expr
	var seen expr.Distinct
	for _, c := range own {
		if logical.VolatileExpr(c) {
			volatile = append(volatile, c)
		} else if seen.Add(c) {
			below = append(below, c)
		}
	}
	for _, c := range conds {
		if seen.Add(c) {
			below = append(below, c)
		}
	}
	in := z.push(n.Input, below)
	// The same tree where nothing moved, so that it is seen to be finished.
	if s, ok := in.(*logical.Select); ok && len(volatile) == 0 && s.Input == n.Input && expr.Equal(s.Cond, n.Cond) {
		return n
	}
	if len(volatile) == len(own) && len(conds) == 0 && in == n.Input {
		return n
	}
	return z.over(in, volatile)
}

func (z *normalizer) pushProject(n *logical.Project, conds []expr.Expr) logical.Node {
	if slices.ContainsFunc(n.Exprs, logical.VolatileExpr) {
		return z.over(logical.WithInputs(n, []logical.Node{z.push(n.Input, nil)}), conds)
	}
	below, above := through(conds, n.Cols, n.Exprs)
	return z.over(logical.WithInputs(n, []logical.Node{z.push(n.Input, below)}), above)
}

// through gives conditions by what the columns cols are computed of, and those that would copy too
// much of it.
func through(conds []expr.Expr, cols []logical.ColumnID, exprs []expr.Expr) (below, copied []expr.Expr) {
	by := placed(cols, exprs)
	for _, c := range conds {
		if expr.Copies(c, by) {
			copied = append(copied, c)
		} else {
			below = append(below, replaceCols(c, cols, exprs))
		}
	}
	return below, copied
}

// replaceCols puts exprs in the place of the columns cols.
func replaceCols(e expr.Expr, cols []logical.ColumnID, exprs []expr.Expr) expr.Expr {
	return expr.MapCols(e, placed(cols, exprs))
}

// placed gives the expression in the place of a column.
func placed(cols []logical.ColumnID, exprs []expr.Expr) func(*expr.Col) expr.Expr {
	return func(c *expr.Col) expr.Expr {
		if i := slices.Index(cols, c.Index); i >= 0 {
			return exprs[i]
		}
		return c
	}
}

// renamed says conditions over other columns.
func renamed(conds []expr.Expr, from, to []logical.ColumnID) []expr.Expr {
	out := make([]expr.Expr, len(conds))
	for i, c := range conds {
		out[i] = expr.MapCols(c, func(c *expr.Col) expr.Expr {
			if i := slices.Index(from, c.Index); i >= 0 {
				moved := *c
				moved.Index = to[i]
				return &moved
			}
			return c
		})
	}
	return out
}

func (z *normalizer) pushJoin(n *logical.Join, conds []expr.Expr) logical.Node {
	left, right := z.facts.Of(n.Left).Out, z.facts.Of(n.Right).Out
	var toLeft, toRight, on, above []expr.Expr
	place := func(c expr.Expr, ofJoin bool) {
		cols := z.facts.ColsOf(c)
		namesLeft, namesRight := cols.Intersects(left), cols.Intersects(right)
		volatile := logical.VolatileExpr(c)
		switch {
		case volatile && ofJoin:
			on = append(on, c)
		case n.Kind == plan.Inner && !namesRight, n.Kind == plan.Semi && ofJoin && !namesRight:
			toLeft = append(toLeft, c)
		case n.Kind == plan.Inner && !namesLeft:
			toRight = append(toRight, c)
		case n.Kind == plan.Inner:
			on = append(on, c)
		case ofJoin && !namesLeft && namesRight && keepsLeft(n.Kind):
			toRight = append(toRight, c)
		case ofJoin && !namesRight && namesLeft && n.Kind == plan.Right:
			toLeft = append(toLeft, c)
		case ofJoin:
			on = append(on, c)
		case keepsLeft(n.Kind) && cols.Intersect(logical.SetOf(n.Out()...)).SubsetOf(left):
			toLeft = append(toLeft, c)
		case n.Kind == plan.Right && cols.Intersect(logical.SetOf(n.Out()...)).SubsetOf(right):
			toRight = append(toRight, c)
		default:
			above = append(above, c)
		}
	}
	own := n.On
	cond := n.Cond
	if n.Kind == plan.Semi {
		own, cond = logical.And(own, cond), nil
	}
	for _, c := range logical.Conjuncts(own) {
		place(c, true)
	}
	for _, c := range conds {
		place(c, false)
	}
	j := *n
	j.Left, j.Right = z.push(n.Left, toLeft), z.push(n.Right, toRight)
	j.On, j.Cond = logical.AndAll(on), cond
	if j.Left == n.Left && j.Right == n.Right && sameConds(j.On, n.On) && j.Cond == n.Cond {
		return z.over(n, above)
	}
	return z.over(&j, above)
}

func sameConds(a, b expr.Expr) bool {
	return expr.EqualLists(logical.Conjuncts(a), logical.Conjuncts(b))
}

// keepsLeft says that a join gives rows of its left side, each as it is.
func keepsLeft(k plan.JoinKind) bool {
	switch k {
	case plan.Left, plan.Semi, plan.Anti, plan.Mark, plan.Single:
		return true
	}
	return false
}

func (z *normalizer) pushGroupBy(n *logical.GroupBy, conds []expr.Expr) logical.Node {
	var allowed logical.ColSet
	for i, g := range n.Groups {
		in := !logical.VolatileExpr(g)
		for _, set := range n.Sets {
			in = in && slices.Contains(set, i)
		}
		if in {
			allowed.Add(n.GroupCols[i])
		}
	}
	named, above := z.splitBy(conds, n, allowed)
	below, copied := through(named, n.GroupCols, n.Groups)
	return z.over(logical.WithInputs(n, []logical.Node{z.push(n.Input, below)}), append(above, copied...))
}

func (z *normalizer) pushSetOp(n *logical.SetOp, conds []expr.Expr) logical.Node {
	left := exactly(z.meta, z.push(n.Left, renamed(conds, n.Cols, n.Left.Out())), n.Left.Out())
	// A row of the right side counts where it equals one of the left, and must then pass
	// with it: equal values may be told apart where they are not one value.
	var toRight []expr.Expr
	for _, c := range conds {
		told := false
		for _, id := range z.facts.ColsOf(c).Cols() {
			if slices.Contains(n.Cols, id) && !oneForm(z.meta.Column(id).Type) {
				told = true
			}
		}
		if !told {
			toRight = append(toRight, c)
		}
	}
	right := exactly(z.meta, z.push(n.Right, renamed(toRight, n.Cols, n.Right.Out())), n.Right.Out())
	return logical.WithInputs(n, []logical.Node{left, right})
}

// oneForm says that equal values of a type are one value.
func oneForm(t types.T) bool {
	switch t.Kind {
	case types.Bool, types.Int2, types.Int4, types.Int8, types.Text, types.Varchar, types.UUID, types.Date,
		types.Timestamp, types.Timestamptz, types.Bytea, types.Enum:
		return true
	}
	return false
}
