package norm

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// filter puts the conditions of a Select over input: those without queries first, then
// those that are joins by themselves.
func (h *hoister) filter(input logical.Node, cond expr.Expr) logical.Node {
	var plain, tests, rest []expr.Expr
	for _, c := range splitNot(cond) {
		_, s := testOf(c)
		switch {
		case !logical.HoldsQuery(c):
			plain = append(plain, c)
		case s != nil:
			tests = append(tests, c)
		default:
			rest = append(rest, c)
		}
	}
	cur := input
	if len(plain) > 0 {
		cur = &logical.Select{Input: cur, Cond: logical.AndAll(plain)}
	}
	for _, c := range tests {
		kind, s := testOf(c)
		right, cond := h.query(&cur, s, nil)
		j := &logical.Join{Kind: kind, Left: cur, Right: right}
		if kind == plan.Semi {
			j.On = cond
		} else {
			j.Cond = cond
		}
		cur = h.correlate(j)
	}
	if len(rest) > 0 {
		for i, c := range rest {
			e := h.expr(&cur, c, nil)
			rest[i] = e
		}
		cur = &logical.Select{Input: cur, Cond: logical.AndAll(rest)}
	}
	return cur
}

// splitNot lists the conjuncts of a condition, NOT (a OR b) as two.
func splitNot(e expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, c := range logical.Conjuncts(e) {
		not, ok := c.(*expr.Not)
		if !ok {
			out = append(out, c)
			continue
		}
		switch x := not.X.(type) {
		case *expr.Not:
			out = append(out, splitNot(x.X)...)
		case *expr.Or:
			for _, a := range x.Args {
				out = append(out, splitNot(&expr.Not{X: a, At: not.At})...)
			}
		default:
			out = append(out, c)
		}
	}
	return out
}

// testOf gives the query of a condition that is nothing else, and the join it makes.
func testOf(c expr.Expr) (plan.JoinKind, *logical.Subquery) {
	kind := plan.Semi
	if not, ok := c.(*expr.Not); ok {
		kind, c = plan.Anti, not.X
	}
	if s, ok := c.(*logical.Subquery); ok && (s.Kind == logical.Exists || s.Kind == logical.Any) {
		return kind, s
	}
	return 0, nil
}

// correlate says whether a join's right side is to be run for each left row.
func (h *hoister) correlate(j *logical.Join) *logical.Join {
	j.Apply = h.facts.Of(j.Right).Free.Intersects(h.facts.Of(j.Left).Out)
	return j
}
