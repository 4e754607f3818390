package plan

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// exactFloat is up to where every whole number is a float8.
const exactFloat = 1 << 53

// Whole is what comparing a column of whole numbers with any number comes to.
type Whole uint8

// The outcomes.
const (
	WholeUnknown Whole = iota // the number is too large or too small to say
	WholeNever                // no whole number satisfies the comparison
	WholeBound                // compare with the bound given, by the operator given
)

// WholeCompare moves a bound on whole numbers to the next one inside.
//
//	k = 1.5   never        k < 1.5   k <= 1        k > 1.5   k >= 2
//
// op is KeyEq, KeyLt, KeyLe, KeyGt or KeyGe; d, which is not NULL, is of a number type t.
func WholeCompare(op KeyOp, d types.Datum, t types.Kind) (outcome Whole, to KeyOp, bound int64) {
	var floor int64
	whole, ok := true, true
	switch t {
	case types.Int2, types.Int4, types.Int8:
		floor = d.Int
	case types.Numeric:
		floor, whole, ok = floorDecimal(d.Decimal)
	case types.Float8, types.Float4:
		if ok = math.Abs(d.Float) < exactFloat; ok {
			floor, whole = int64(math.Floor(d.Float)), d.Float == math.Floor(d.Float)
		}
	default:
		ok = false
	}
	if !ok {
		return WholeUnknown, op, 0
	}
	if whole {
		return WholeBound, op, floor
	}
	switch op {
	case KeyEq:
		return WholeNever, op, 0
	case KeyLt:
		return WholeBound, KeyLe, floor
	case KeyGt, KeyGe:
		if floor == math.MaxInt64 {
			return WholeNever, op, 0
		}
		return WholeBound, KeyGe, floor + 1
	}
	return WholeBound, op, floor
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
