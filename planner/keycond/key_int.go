package keycond

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// intCompare compares a column of whole numbers with a wider number. A literal's bound
// is moved to the next whole number inside; that of a parameter when the scan runs.
//
//	k = 1.5   never        k < 1.5   k <= 1        k > 1.5   k >= 2
func (r *Reader) intCompare(col *catalog.Column, op string, e expr.Expr) DNF {
	if !IsWider(e.Type().Kind) || !expr.IsConst(e) {
		return Nothing
	}
	c, ok := e.(*expr.Const)
	if !ok {
		return r.term(CompareOps[op], col, e)
	}
	if c.Value.Null {
		return neverTrue
	}
	switch outcome, to, bound := plan.WholeCompare(CompareOps[op], c.Value, c.T.Kind); outcome {
	case plan.WholeNever:
		return neverTrue
	case plan.WholeBound:
		return r.term(to, col, &expr.Const{Value: types.NewInt(bound), T: types.Of(types.Int8), At: c.At})
	}
	return Nothing
}

// IsWider names the number types that whole numbers are cast to for a comparison.
func IsWider(k types.Kind) bool {
	return k == types.Numeric || k == types.Float8 || k == types.Float4
}
