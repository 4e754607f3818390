package numeric

import "github.com/cockroachdb/apd/v3"

// Variance makes z the variance, or its square root with dev, of n values from
// their sum and the sum of their squares; sample divides by n - 1. The caller
// sees to it that n is large enough.
func Variance(z *Dec, n int64, sum, squares *Dec, sample, dev bool) error {
	if !IsFinite(sum) || !IsFinite(squares) {
		SetNaN(z)
		return nil
	}
	count := apd.New(n, 0)
	var a, b Dec
	MulWide(&a, sum, sum)
	a.Negative = !a.Negative
	MulWide(&b, count, squares)
	AddWide(&b, &b, &a)
	if Sign(&b) <= 0 {
		SetInt64(z, 0)
		return nil
	}
	div := n
	if sample {
		div--
	}
	MulWide(&a, count, apd.New(div, 0))
	scale := divScale(&b, &a)
	divWide(z, &b, &a, scale, true)
	if dev {
		return sqrtTo(z, z, scale)
	}
	return check(z)
}

// MulWide makes z x*y without a numeric's limits, for what is on the way to a
// result only.
func MulWide(z, x, y *Dec) {
	if !IsFinite(x) || !IsFinite(y) {
		_ = Mul(z, x, y) // has no limit to pass
		return
	}
	negative, exponent := x.Negative != y.Negative, x.Exponent+y.Exponent
	z.Coeff.Mul(&x.Coeff, &y.Coeff)
	z.Form, z.Negative, z.Exponent = apd.Finite, negative && z.Coeff.Sign() != 0, exponent
}

// AddWide makes z x+y without a numeric's limits.
func AddWide(z, x, y *Dec) {
	if !IsFinite(x) || !IsFinite(y) {
		_ = Add(z, x, y)
		return
	}
	exponent := min(x.Exponent, y.Exponent)
	var a, b apd.BigInt
	aligned(&a, x, exponent)
	aligned(&b, y, exponent)
	a.Add(&a, &b)
	z.Form, z.Negative, z.Exponent = apd.Finite, a.Sign() < 0, exponent
	z.Coeff.Abs(&a)
}

// aligned makes a the signed coefficient of x at a lower exponent.
func aligned(a *apd.BigInt, x *Dec, exponent int32) {
	a.Set(&x.Coeff)
	if x.Exponent > exponent {
		a.Mul(a, pow10(int(x.Exponent-exponent)))
	}
	if x.Negative {
		a.Neg(a)
	}
}
