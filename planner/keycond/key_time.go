package keycond

import (
	"math"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// zoneSlack is more than a clock is ever moved: a timestamp without time zone
// and one with it order alike except around such moves.
var zoneSlack = types.IntervalValue{Days: 1}

// timeCompare compares a date or a timestamp with a value of another of these types.
//
//	timestamptz >= timestamp   the value in the session's zone: exact
//	timestamp >= timestamptz   a day's slack below, and the filter stays
//	date >= timestamp          the value's day, and the filter stays
func (r *Reader) timeCompare(col *catalog.Column, op string, e expr.Expr) DNF {
	from := e.Type().Kind
	switch to := col.Type.Kind; {
	case !isTime(to) || !isTime(from) || !expr.IsConst(e) || from == types.Date && !isUsualDate(e):
		return Nothing
	case to == types.Date:
		return r.loosely(col, op, toType(e, types.Date), nil)
	case to == types.Timestamp && from == types.Timestamptz:
		slack := &expr.Const{Value: types.Datum{Interval: zoneSlack}, T: types.Of(types.Interval)}
		return r.loosely(col, op, toType(e, types.Timestamp), slack)
	default:
		arg := toType(e, to)
		if arg == nil {
			return Nothing
		}
		return r.term(CompareOps[op], col, arg)
	}
}

func isTime(k types.Kind) bool {
	return k == types.Date || k == types.Timestamp || k == types.Timestamptz
}

// isUsualDate says that e is a literal that any timestamp type can hold.
func isUsualDate(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && !c.Value.Null && (c.Value.Int == math.MaxInt64 || c.Value.Int == math.MinInt64 || c.Value.Int > -1e6 && c.Value.Int < 1e8)
}

func toType(e expr.Expr, k types.Kind) expr.Expr {
	out, err := expr.ResolveCast(e, types.Of(k), expr.Explicit, e.Pos())
	if err != nil {
		return nil
	}
	return out
}

// loosely bounds col by arg and everything nearer than slack: a superset.
func (r *Reader) loosely(col *catalog.Column, op string, arg, slack expr.Expr) DNF {
	lo, hi := arg, arg
	if arg != nil && slack != nil {
		var err error
		if lo, err = expr.ResolveOp("-", arg, slack, 0); err != nil {
			return Nothing
		}
		if hi, err = expr.ResolveOp("+", arg, slack, 0); err != nil {
			return Nothing
		}
	}
	if lo == nil || hi == nil {
		return Nothing
	}
	out := alwaysTrue
	if op[0] != '<' {
		out, _ = out.And(r.term(plan.KeyGe, col, lo))
	}
	if op[0] != '>' {
		out, _ = out.And(r.term(plan.KeyLe, col, hi))
	}
	out.Exact = false
	return out
}
