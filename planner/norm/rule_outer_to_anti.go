package norm

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// outerToAnti makes an anti join of a left one of which those rows are wanted that have no
// match: a column of the right side is asked to be NULL which is NULL in no match. No pair is
// made then, and one match is enough to know.
//
//	a LEFT JOIN b ON a.x = b.x WHERE b.x IS NULL     anti
//	a LEFT JOIN b ON a.x = b.x WHERE b.k IS NULL     anti, where k is NOT NULL
//	a LEFT JOIN b ON a.x = b.x WHERE b.y IS NULL     stays
func outerToAnti(z *normalizer, n logical.Node) logical.Node {
	n = logical.MapInputs(n, func(in logical.Node) logical.Node { return outerToAnti(z, in) })
	s, ok := n.(*logical.Select)
	if !ok {
		return n
	}
	j, ok := s.Input.(*logical.Join)
	if !ok || j.Kind != plan.Left || j.Apply || j.On == nil || logical.VolatileExpr(j.On) || logical.Volatile(j.Right) {
		return n
	}
	right := z.facts.Of(j.Right)
	inMatch := right.NotNull.Union(logical.NullRejected(j.On)).Intersect(right.Out)
	conds := logical.Conjuncts(s.Cond)
	rest := make([]expr.Expr, 0, len(conds))
	for _, c := range conds {
		if !isNullOf(c, inMatch) {
			rest = append(rest, c)
		}
	}
	if len(rest) == len(conds) {
		return n
	}
	p := &logical.Project{Input: &logical.Join{Kind: plan.Anti, Left: j.Left, Right: j.Right, On: j.On}, Cols: j.Out()}
	for _, id := range p.Cols {
		if right.Out.Has(id) {
			p.Exprs = append(p.Exprs, &expr.Const{Value: types.NullDatum, T: z.meta.Column(id).Type})
		} else {
			p.Exprs = append(p.Exprs, z.meta.Ref(id))
		}
	}
	if len(rest) == 0 {
		return p
	}
	return &logical.Select{Input: p, Cond: logical.AndAll(rest)}
}

// isNullOf says that a condition asks one of cols to be NULL. A record may be without being
// missing: its fields are.
func isNullOf(e expr.Expr, cols logical.ColSet) bool {
	is, ok := e.(*expr.IsNull)
	if !ok {
		return false
	}
	c, ok := is.X.(*expr.Col)
	return ok && cols.Has(c.Index) && c.T.Phys() != types.PhysArray
}
