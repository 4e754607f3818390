package logical

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

func (f *Facts) ofJoin(n *Join, p *Props) {
	left, right := f.Of(n.Left), f.Of(n.Right)
	switch n.Kind {
	case plan.Semi, plan.Anti, plan.Mark, plan.Single:
		p.Keys = left.Keys
		p.NotNull, p.Const = left.NotNull, left.Const
		p.ExactlyOne = left.ExactlyOne && (n.Kind == plan.Mark || n.Kind == plan.Single)
		if n.Kind == plan.Semi {
			p.NotNull = left.NotNull.Union(NullRejected(And(n.On, n.Cond)).Intersect(left.Out))
		}
		if n.Kind == plan.Mark && n.Cond == nil {
			p.NotNull = p.NotNull.Copy()
			p.NotNull.Add(n.Mark)
		}
		return
	case plan.Inner:
		p.NotNull = left.NotNull.Union(right.NotNull)
		p.NotNull.AddAll(NullRejected(n.On).Intersect(p.Out))
		p.Const = left.Const.Copy()
		if !n.Apply {
			p.Const.AddAll(right.Const)
		}
		p.ExactlyOne = n.On == nil && left.ExactlyOne && right.ExactlyOne
	case plan.Left:
		p.NotNull, p.Const = left.NotNull, left.Const
		p.ExactlyOne = left.ExactlyOne && right.AtMostOne()
	case plan.Right:
		p.NotNull, p.Const = right.NotNull, right.Const
	}
	matched := f.equated(n, right.Out)
	uniqueRight := right.UniqueBy(matched)
	uniqueLeft := left.UniqueBy(f.equated(n, left.Out))
	if uniqueRight && (n.Kind == plan.Inner || n.Kind == plan.Left) {
		for _, k := range left.Keys {
			p.addKey(k)
		}
	}
	if uniqueLeft && !n.Apply && (n.Kind == plan.Inner || n.Kind == plan.Right) {
		for _, k := range right.Keys {
			p.addKey(k)
		}
	}
	for _, a := range left.Keys {
		for _, b := range right.Keys {
			p.addKey(a.Union(b))
		}
	}
}

// equated are the columns of one side that the join's condition binds to values of the other.
func (f *Facts) equated(n *Join, side ColSet) ColSet {
	var s ColSet
	for _, c := range Conjuncts(n.On) {
		x, y, _, ok := Equality(c)
		if !ok {
			continue
		}
		for _, pair := range [][2]expr.Expr{{x, y}, {y, x}} {
			if col, isCol := CastFree(pair[0]).(*expr.Col); isCol && side.Has(col.Index) && !f.ColsOf(pair[1]).Intersects(side) {
				s.Add(col.Index)
			}
		}
	}
	return s
}

// Equated are the columns of a join's right side that its condition binds to values of the
// left.
func (f *Facts) Equated(n *Join) ColSet { return f.equated(n, f.Of(n.Right).Out) }
