package norm

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// join hoists in a join's condition. That of an inner join may as well stand above it. A
// query of an outer join's that names one side only is computed beside that side's rows;
// one that names both makes of the join an Apply, whose right side filters itself.
func (h *hoister) join(n *logical.Join) logical.Node {
	if n.Kind == plan.Inner {
		j := *n
		var above []expr.Expr
		var on []expr.Expr
		for _, c := range logical.Conjuncts(n.On) {
			if logical.HoldsQuery(c) {
				above = append(above, c)
			} else {
				on = append(on, c)
			}
		}
		j.On = logical.AndAll(on)
		return h.filter(&j, logical.AndAll(above))
	}
	if n.Kind == plan.Right {
		swapped := *n
		swapped.Kind, swapped.Left, swapped.Right = plan.Left, n.Right, n.Left
		return h.join(&swapped)
	}
	if n.Cond != nil && logical.HoldsQuery(n.Cond) {
		panic(sqlerr.New(sqlerr.InternalError, "a query inside the condition of a join of kind %s", n.Kind))
	}
	j := *n
	left, right := h.facts.Of(n.Left).Out, h.facts.Of(n.Right).Out
	var on, both []expr.Expr
	for _, c := range logical.Conjuncts(n.On) {
		if !logical.HoldsQuery(c) {
			on = append(on, c)
			continue
		}
		one := fail.Must(expr.Map(c, func(x expr.Expr) (expr.Expr, error) {
			s, ok := x.(*logical.Subquery)
			if !ok {
				return nil, nil
			}
			cols := h.facts.ColsOf(s)
			switch {
			case !cols.Intersects(right):
				return h.value(&j.Left, s, nil), nil
			case !cols.Intersects(left):
				return h.value(&j.Right, s, nil), nil
			}
			return x, nil
		}))
		if logical.HoldsQuery(one) {
			both = append(both, one)
		} else {
			on = append(on, one)
		}
	}
	j.On = logical.AndAll(on)
	if len(both) == 0 {
		return &j
	}
	if n.Kind == plan.Full {
		panic(sqlerr.Unsupported("a subquery over both sides in the condition of a FULL JOIN is not supported",
			"Compute the subquery beside one of the sides, in a query in FROM.").At(both[0].Pos()))
	}
	j.Right = h.filter(j.Right, logical.AndAll(both))
	j.Apply = true
	return &j
}
