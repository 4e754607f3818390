package builtin

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

func floatOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
}

func floatUnderflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: underflow")
}

// checkFloat refuses an infinity or a zero that finite operands do not explain.
func checkFloat(v float64, infOK, zeroOK bool) (float64, error) {
	if math.IsInf(v, 0) && !infOK {
		return 0, floatOverflow()
	}
	if v == 0 && !zeroOK {
		return 0, floatUnderflow()
	}
	return v, nil
}

func inf(a float64) bool { return math.IsInf(a, 0) }

func init() {
	floats := []types.T{tFloat4, tFloat8}
	for _, l := range floats {
		for _, r := range floats {
			res := tFloat8
			round := func(v float64) float64 { return v }
			if l == tFloat4 && r == tFloat4 {
				res = tFloat4
				round = func(v float64) float64 { return float64(float32(v)) }
			}
			expr.RegisterOps(
				fn("+", ts(l, r), res, k2e(func(a, b float64) (float64, error) {
					return checkFloat(round(a+b), inf(a) || inf(b), true)
				})),
				fn("-", ts(l, r), res, k2e(func(a, b float64) (float64, error) {
					return checkFloat(round(a-b), inf(a) || inf(b), true)
				})),
				fn("*", ts(l, r), res, k2e(func(a, b float64) (float64, error) {
					return checkFloat(round(a*b), inf(a) || inf(b), a == 0 || b == 0)
				})),
				fn("/", ts(l, r), res, k2e(func(a, b float64) (float64, error) {
					if b == 0 && !math.IsNaN(a) {
						return 0, numeric.DivByZero()
					}
					return checkFloat(round(a/b), inf(a), a == 0 || inf(b))
				})),
			)
		}
	}
	for _, t := range floats {
		expr.RegisterOps(
			fn("+", ts(t), t, k1(func(a float64) float64 { return a })),
			fn("-", ts(t), t, k1(func(a float64) float64 { return -a })),
			fn("@", ts(t), t, k1(math.Abs)),
		)
		expr.RegisterFuncs(fn("abs", ts(t), t, k1(math.Abs)))
	}
	expr.RegisterOps(
		fn("^", ts(tFloat8, tFloat8), tFloat8, k2e(powFloat)),
		fn("|/", ts(tFloat8), tFloat8, k1e(sqrtFloat)),
		fn("||/", ts(tFloat8), tFloat8, k1(math.Cbrt)),
	)
}

func sqrtFloat(a float64) (float64, error) {
	if a < 0 {
		return 0, sqlerr.New(sqlerr.InvalidArgumentForPower, "cannot take square root of a negative number")
	}
	return math.Sqrt(a), nil
}

func powFloat(a, b float64) (float64, error) {
	switch {
	case math.IsNaN(a):
		if b == 0 {
			return 1, nil
		}
		return a, nil
	case math.IsNaN(b):
		if a == 1 {
			return 1, nil
		}
		return b, nil
	case a == 0 && b < 0:
		return 0, sqlerr.New(sqlerr.InvalidArgumentForPower, "zero raised to a negative power is undefined")
	case a < 0 && math.Floor(b) != b:
		return 0, sqlerr.New(sqlerr.InvalidArgumentForPower, "a negative number raised to a non-integer power yields a complex result")
	}
	pow := math.Pow(a, b)
	if a > 0 && a < 0x1p-1022 {
		pow = math.Pow(a*0x1p54, b) * math.Pow(0x1p-54, b) // Pow's logarithm takes subnormal numbers for larger ones
	}
	return checkFloat(pow, inf(a) || inf(b), a == 0 || inf(a) || inf(b))
}
