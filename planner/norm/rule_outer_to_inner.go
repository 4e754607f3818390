package norm

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// outerToInner makes an inner join of a left one where a condition above is never true of
// the NULLs that stand for a missing right side, and less of a full one; a right join is
// a left one with its sides changed.
//
//	a LEFT JOIN b ON … WHERE b.x = 1       inner
//	a FULL JOIN b ON … WHERE a.x = 1       left
//	a LEFT JOIN b ON … WHERE b.x IS NULL   stays
func outerToInner(z *normalizer, n logical.Node) logical.Node {
	return z.rejected(n, logical.ColSet{})
}

// rejected rewrites n, of whose rows those with NULL in one of rejects are not needed.
func (z *normalizer) rejected(n logical.Node, rejects logical.ColSet) logical.Node {
	switch m := n.(type) {
	case *logical.Select:
		in := z.rejected(m.Input, rejects.Union(logical.NullRejected(m.Cond)))
		return logical.WithInputs(m, []logical.Node{in})
	case *logical.Project:
		var below logical.ColSet
		for i, e := range m.Exprs {
			if rejects.Has(m.Cols[i]) && !logical.VolatileExpr(e) {
				below.AddAll(logical.NullFrom(e))
			}
		}
		return logical.WithInputs(m, []logical.Node{z.rejected(m.Input, below)})
	case *logical.GroupBy:
		var below logical.ColSet
		if m.Sets == nil {
			for i, g := range m.Groups {
				if c, ok := g.(*expr.Col); ok && rejects.Has(m.GroupCols[i]) {
					below.Add(c.Index)
				}
			}
		}
		return logical.WithInputs(m, []logical.Node{z.rejected(m.Input, below)})
	case *logical.Sort:
		return logical.WithInputs(m, []logical.Node{z.rejected(m.Input, rejects)})
	case *logical.With:
		return logical.WithInputs(m, []logical.Node{exactly(z.meta, z.rejected(m.Query, logical.ColSet{}), m.Query.Out()), z.rejected(m.Body, rejects)})
	case *logical.Join:
		return z.rejectedJoin(m, rejects)
	}
	return logical.MapInputs(n, func(in logical.Node) logical.Node { return exactly(z.meta, z.rejected(in, logical.ColSet{}), in.Out()) })
}

func (z *normalizer) rejectedJoin(n *logical.Join, rejects logical.ColSet) logical.Node {
	left, right := z.facts.Of(n.Left).Out, z.facts.Of(n.Right).Out
	kind := n.Kind
	if kind == plan.Full && rejects.Intersects(left) {
		kind = plan.Left
		if rejects.Intersects(right) {
			kind = plan.Inner
		}
	} else if kind == plan.Full && rejects.Intersects(right) {
		kind = plan.Right
	}
	switch {
	case kind == plan.Left && rejects.Intersects(right), kind == plan.Right && rejects.Intersects(left):
		kind = plan.Inner
	case kind == plan.Right:
		swapped := *n
		swapped.Kind, swapped.Left, swapped.Right = plan.Left, n.Right, n.Left
		return z.rejectedJoin(&swapped, rejects)
	}
	on := logical.NullRejected(n.On)
	var toLeft, toRight logical.ColSet
	switch kind {
	case plan.Inner:
		toLeft = rejects.Union(on)
		toRight = toLeft
	case plan.Semi:
		on = on.Union(logical.NullRejected(n.Cond))
		toLeft, toRight = rejects.Union(on), on
	case plan.Left, plan.Anti, plan.Mark, plan.Single:
		toLeft, toRight = rejects.Intersect(left), on
	}
	l, r := z.rejected(n.Left, toLeft), z.rejected(n.Right, toRight)
	if kind == n.Kind && l == n.Left && r == n.Right {
		return n
	}
	j := *n
	j.Kind, j.Left, j.Right = kind, l, r
	return &j
}
