package numeric

import (
	"math"
	"strconv"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// FromFloat makes z what Postgres makes of a float8 (digits 15) or a float4
// (digits 6): the value rounded to that many significant digits.
func FromFloat(z *Dec, f float64, digits int) error {
	switch {
	case math.IsNaN(f):
		SetNaN(z)
		return nil
	case math.IsInf(f, 0):
		SetInf(z, f < 0)
		return nil
	}
	var buf [40]byte
	b := strconv.AppendFloat(buf[:0], f, 'g', digits, 64)
	if err := Parse(z, string(b)); err != nil {
		return err
	}
	// %g drops zeros at the end; strconv does not for a given precision.
	TrimScale(z, z)
	return nil
}

// Float64 gives the float8 nearest to x, ±Inf if it is out of range.
func Float64(x *Dec) float64 {
	switch {
	case IsNaN(x):
		return math.NaN()
	case !IsFinite(x) && x.Negative:
		return math.Inf(-1)
	case !IsFinite(x):
		return math.Inf(1)
	}
	if x.Coeff.IsUint64() && x.Exponent <= 0 && x.Exponent >= -22 {
		// Both parts are exact floats, so one division rounds once.
		if u := x.Coeff.Uint64(); u < 1<<53 {
			f := float64(u) / exact10[-x.Exponent]
			if x.Negative {
				f = -f
			}
			return f
		}
	}
	var buf [64]byte
	b := Append(buf[:0], x)
	f, _ := strconv.ParseFloat(string(b), 64)
	return f
}

var exact10 = [23]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// ApplyPrecision rounds z to numeric(p,s): 22003 if p digits do not hold it.
func ApplyPrecision(z *Dec, p, s int) error {
	if IsNaN(z) {
		return nil
	}
	overflow := sqlerr.New
	if !IsFinite(z) {
		return overflow(sqlerr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d cannot hold an infinite value.", p, s)
	}
	rescale(z, s, true)
	if z.Coeff.Sign() == 0 {
		return nil
	}
	// The digits before the point may be p - s.
	limit := pow10(p + max(0, -s))
	if z.Coeff.Cmp(limit) >= 0 {
		bound := "1"
		if p-s != 0 {
			bound = "10^" + strconv.Itoa(p-s)
		}
		return overflow(sqlerr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d must round to an absolute value less than %s.", p, s, bound)
	}
	return nil
}
