package planner

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// exactFloat is up to where every whole number is a float8.
const exactFloat = 1 << 53

// intCompare compares a column of whole numbers with a wider number that is a
// literal: the bound is moved to the next whole number inside.
//
//	k = 1.5   never        k < 1.5   k <= 1        k > 1.5   k >= 2
func (r *keyReader) intCompare(col *catalog.Column, op string, e expr.Expr) keyDNF {
	c, ok := e.(*expr.Const)
	if !ok {
		return noKeyCond
	}
	if c.Value.Null {
		return neverTrue
	}
	var floor int64
	var whole bool
	switch c.T.Kind {
	case types.Numeric:
		floor, whole, ok = floorDecimal(c.Value.Decimal)
	case types.Float8, types.Float4:
		f := c.Value.Float
		ok = math.Abs(f) < exactFloat
		if ok {
			floor, whole = int64(math.Floor(f)), f == math.Floor(f)
		}
	default:
		return noKeyCond
	}
	if !ok {
		return noKeyCond
	}
	if !whole {
		switch op {
		case "=":
			return neverTrue
		case "<":
			op = "<="
		case ">", ">=":
			if floor == math.MaxInt64 {
				return neverTrue
			}
			op, floor = ">=", floor+1
		}
	}
	arg := &expr.Const{Value: types.NewInt(floor), T: types.Of(types.Int8), At: c.At}
	return r.term(compareOps[op], col, arg)
}

// floorDecimal gives the largest whole number not above d; ok is false where d
// is not finite or that is no int64.
func floorDecimal(d *apd.Decimal) (floor int64, whole, ok bool) {
	if d == nil || d.Form != apd.Finite || d.NumDigits() > 1000 || d.Exponent > 30 || d.Exponent < -2000 {
		return 0, false, false
	}
	var integ, frac apd.Decimal
	d.Modf(&integ, &frac)
	i, err := integ.Int64()
	if err != nil {
		return 0, false, false
	}
	if frac.IsZero() {
		return i, true, true
	}
	if d.Negative {
		if i == math.MinInt64 {
			return 0, false, false
		}
		i--
	}
	return i, false, true
}
