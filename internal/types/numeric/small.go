package numeric

import (
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// Most numerics have a coefficient of 64 bits or less. What is done with two of them is
// done on words here, and in arith.go where a word does not hold the result.

// pow10w holds the powers of ten that fit a word.
var pow10w = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// words gives the coefficients of two finite numerics at the finer one's exponent; false
// where one of them does not fit a word, or has an exponent above 0.
func words(x, y *Dec) (a, b uint64, exp int32, ok bool) {
	if x.Exponent > 0 || y.Exponent > 0 || !x.Coeff.IsUint64() || !y.Coeff.IsUint64() {
		return 0, 0, 0, false
	}
	a, b = x.Coeff.Uint64(), y.Coeff.Uint64()
	switch {
	case x.Exponent == y.Exponent:
		return a, b, x.Exponent, true
	case x.Exponent > y.Exponent:
		a, ok = timesPow10(a, x.Exponent-y.Exponent)
		return a, b, y.Exponent, ok
	}
	b, ok = timesPow10(b, y.Exponent-x.Exponent)
	return a, b, x.Exponent, ok
}

// timesPow10 gives v × 10^n if that fits a word.
func timesPow10(v uint64, n int32) (uint64, bool) {
	if int(n) >= len(pow10w) {
		return 0, v == 0
	}
	hi, lo := bits.Mul64(v, pow10w[n])
	return lo, hi == 0
}

// addWords is addSub of finite values; false where they or the sum do not fit words.
func addWords(z, x, y *Dec, sub bool) bool {
	a, b, exp, ok := words(x, y)
	if !ok || exp < -MaxScale {
		return false
	}
	neg := x.Negative
	switch {
	case neg == (y.Negative != sub):
		var carry uint64
		if a, carry = bits.Add64(a, b, 0); carry != 0 {
			return false
		}
	case a >= b:
		a -= b
	default:
		a, neg = b-a, !neg
	}
	setWord(z, a, exp, neg)
	return true
}

// mulWords is Mul of finite values; false where they or the product do not fit words.
func mulWords(z, x, y *Dec) bool {
	if x.Exponent > 0 || y.Exponent > 0 || x.Exponent+y.Exponent < -MaxScale || !x.Coeff.IsUint64() || !y.Coeff.IsUint64() {
		return false
	}
	hi, lo := bits.Mul64(x.Coeff.Uint64(), y.Coeff.Uint64())
	if hi != 0 {
		return false
	}
	setWord(z, lo, x.Exponent+y.Exponent, x.Negative != y.Negative)
	return true
}

func setWord(z *Dec, v uint64, exp int32, neg bool) {
	z.Form, z.Exponent, z.Negative = apd.Finite, exp, neg && v != 0
	z.Coeff.SetUint64(v)
}
