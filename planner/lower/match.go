package lower

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// match makes the condition of a join: with keyed, what compares the two sides is a key; the
// rest is a filter or, where a NULL must stay unknown, a condition.
func (l *lowering) match(n *logical.Join, left, right *rel, keyed bool) plan.Match {
	var m plan.Match
	on, cond := n.On, n.Cond
	if cond != nil && n.Kind != plan.Anti && n.Kind != plan.Mark {
		on, cond = logical.And(on, cond), nil
	}
	both := &pair{left: left, right: right, keyed: keyed}
	m.Filter = l.overBoth(both, l.split(&m, logical.Conjuncts(on), both, false))
	m.Cond = l.overBoth(both, l.split(&m, logical.Conjuncts(cond), both, true))
	return m
}

// pair is the two sides of a join.
type pair struct {
	left, right *rel
	keyed       bool
}

// sides says of which sides an expression names columns.
func (p *pair) sides(e expr.Expr) (left, right bool) {
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok {
			if _, of := p.left.position(c.Index); of {
				left = true
			} else if _, of := p.right.position(c.Index); of {
				right = true
			}
		}
		return true
	})
	return left, right
}

// split takes the keys out of a list of conditions and gives the others.
func (l *lowering) split(m *plan.Match, conds []expr.Expr, p *pair, unknown bool) []expr.Expr {
	var rest []expr.Expr
	for _, c := range conds {
		x, y, nulls, ok := logical.Equality(c)
		if ok && p.keyed && !logical.VolatileExpr(c) {
			xl, xr := p.sides(x)
			yl, yr := p.sides(y)
			if xr && yl && !xl && !yr {
				x, y = y, x
				xl, xr, yl, yr = yl, yr, xl, xr
			}
			if xl && yr && !xr && !yl {
				m.Keys = append(m.Keys, plan.JoinKey{Left: l.expr(p.left, x), Right: l.expr(p.right, y), NullsEqual: nulls, Unknown: unknown && !nulls})
				continue
			}
		}
		rest = append(rest, c)
	}
	return rest
}

// overBoth joins conditions, over the left side's columns followed by the right's.
func (l *lowering) overBoth(p *pair, conds []expr.Expr) expr.Expr {
	if len(conds) == 0 {
		return nil
	}
	cols := make([]logical.ColumnID, 0, len(p.left.cols)+len(p.right.cols))
	r := &rel{cols: append(append(cols, p.left.cols...), p.right.cols...)}
	return l.expr(r, logical.AndAll(conds))
}
