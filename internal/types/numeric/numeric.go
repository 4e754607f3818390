package numeric

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Postgres's limits.
const (
	//saltsql:limit types: digits of a numeric before the point (22003)
	MaxWeightDigits = 131072 // decimal digits before the point
	//saltsql:limit types: digits of a numeric behind the point
	MaxScale        = 16383 // digits after the point
	maxDisplayScale = 1000  // what operations choose by themselves
	minSigDigits    = 16    // what division and the functions aim at
	maxResultScale  = 2000
)

// Dec is a numeric.
type Dec = apd.Decimal

var (
	big1    = apd.NewBigInt(1)
	big2    = apd.NewBigInt(2)
	big5    = apd.NewBigInt(5)
	big10   = apd.NewBigInt(10)
	pow10s  [160]apd.BigInt
	zeroDec Dec
)

func init() {
	pow10s[0].SetInt64(1)
	for i := 1; i < len(pow10s); i++ {
		pow10s[i].Mul(&pow10s[i-1], big10)
	}
}

// pow10 gives 10^n, to be read only.
func pow10(n int) *apd.BigInt {
	if n < len(pow10s) {
		return &pow10s[n]
	}
	return new(apd.BigInt).Exp(big10, apd.NewBigInt(int64(n)), nil)
}

// Overflow is the error for a value beyond the format's limits.
func Overflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}

// DivByZero is the error of division by zero.
func DivByZero() error {
	return sqlerr.New(sqlerr.DivisionByZero, "division by zero")
}

// Scale is the number of digits shown after the point.
func Scale(x *Dec) int { return max(0, -int(x.Exponent)) }

// IsFinite says that x is neither NaN nor infinite.
func IsFinite(x *Dec) bool { return x.Form == apd.Finite }

// IsNaN says that x is NaN.
func IsNaN(x *Dec) bool { return x.Form == apd.NaN || x.Form == apd.NaNSignaling }

// Sign is -1, 0 or 1; 1 for NaN.
func Sign(x *Dec) int {
	if IsFinite(x) && x.Coeff.Sign() == 0 {
		return 0
	}
	if x.Negative && !IsNaN(x) {
		return -1
	}
	return 1
}

// SetNaN makes z NaN.
func SetNaN(z *Dec) {
	z.Form, z.Negative, z.Exponent = apd.NaN, false, 0
	z.Coeff.SetInt64(0)
}

// SetInf makes z infinite.
func SetInf(z *Dec, negative bool) {
	z.Form, z.Negative, z.Exponent = apd.Infinite, negative, 0
	z.Coeff.SetInt64(0)
}

// SetInt64 makes z an integer.
func SetInt64(z *Dec, v int64) {
	z.Form, z.Exponent, z.Negative = apd.Finite, 0, v < 0
	z.Coeff.SetInt64(v)
	z.Coeff.Abs(&z.Coeff)
}

// New gives coeff × 10^-scale.
func New(coeff int64, scale int) *Dec { return apd.New(coeff, int32(-scale)) }

// setSigned makes z coeff × 10^-scale, coeff of any sign, and checks limits.
func setSigned(z *Dec, coeff *apd.BigInt, scale int) error {
	z.Form = apd.Finite
	z.Negative = coeff.Sign() < 0
	z.Coeff.Abs(coeff)
	z.Exponent = int32(-scale)
	return check(z)
}

// check holds a finite z to the format's limits, rounding what is too fine.
func check(z *Dec) error {
	if s := Scale(z); s > MaxScale {
		rescale(z, MaxScale, true)
	}
	if z.Coeff.Sign() == 0 {
		z.Negative = false
		return nil
	}
	// A digit takes more than three bits.
	if bits := z.Coeff.BitLen(); bits > 3*MaxWeightDigits {
		if int(apd.NumDigits(&z.Coeff))-Scale(z) > MaxWeightDigits {
			return Overflow()
		}
	}
	return nil
}

// signed gives x's coefficient with its sign at the given scale, which is not
// below x's own.
func signed(z *apd.BigInt, x *Dec, scale int) {
	z.Set(&x.Coeff)
	if d := scale + int(x.Exponent); d > 0 {
		z.Mul(z, pow10(d))
	}
	if x.Negative {
		z.Neg(z)
	}
}

// rescale changes a finite z's scale, which may be negative; what falls away is
// rounded half away from zero, or cut off. The Exponent never ends above 0.
func rescale(z *Dec, scale int, round bool) {
	d := scale + int(z.Exponent)
	if d >= 0 {
		if d > 0 {
			z.Coeff.Mul(&z.Coeff, pow10(d))
		}
		z.Exponent = int32(-scale)
	} else {
		cut := -d
		if int64(cut) > apd.NumDigits(&z.Coeff)+1 {
			z.Coeff.SetInt64(0)
		} else {
			var r apd.BigInt
			p := pow10(cut)
			z.Coeff.QuoRem(&z.Coeff, p, &r)
			if round {
				r.Mul(&r, big2)
				if r.Cmp(p) >= 0 {
					z.Coeff.Add(&z.Coeff, big1)
				}
			}
		}
		z.Exponent = int32(-scale)
	}
	if z.Exponent > 0 {
		z.Coeff.Mul(&z.Coeff, pow10(int(z.Exponent)))
		z.Exponent = 0
	}
	if z.Coeff.Sign() == 0 {
		z.Negative = false
	}
}

// Normalize gives x an Exponent of at most 0, as every result here has.
func Normalize(x *Dec) {
	if IsFinite(x) && x.Exponent > 0 {
		rescale(x, 0, true)
	}
	if IsFinite(x) && x.Coeff.Sign() == 0 {
		x.Negative = false
	}
}

// Cmp orders numerics: NaN is equal to itself and above +Infinity.
func Cmp(x, y *Dec) int {
	if !IsFinite(x) || !IsFinite(y) {
		return cmpInt(rank(x), rank(y))
	}
	sx, sy := Sign(x), Sign(y)
	if sx != sy {
		return cmpInt(sx, sy)
	}
	if sx == 0 {
		return 0
	}
	if x.Exponent == y.Exponent {
		return sx * x.Coeff.Cmp(&y.Coeff)
	}
	if a, b, _, ok := words(x, y); ok {
		return sx * cmpInt(a, b)
	}
	// Magnitudes first, so that 1e1000 against 1 costs nothing.
	mx := apd.NumDigits(&x.Coeff) + int64(x.Exponent)
	my := apd.NumDigits(&y.Coeff) + int64(y.Exponent)
	if mx != my {
		return sx * cmpInt(mx, my)
	}
	var t apd.BigInt
	if d := int(x.Exponent) - int(y.Exponent); d > 0 {
		t.Mul(&x.Coeff, pow10(d))
		return sx * t.Cmp(&y.Coeff)
	} else {
		t.Mul(&y.Coeff, pow10(-d))
		return sx * x.Coeff.Cmp(&t)
	}
}

func rank(x *Dec) int {
	switch {
	case IsNaN(x):
		return 2
	case x.Form == apd.Infinite && x.Negative:
		return -1
	case x.Form == apd.Infinite:
		return 1
	}
	return 0
}

func cmpInt[I int | int64 | uint64](a, b I) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// IsInt64 gives x rounded to an integer if that fits an int64.
func IsInt64(x *Dec) (int64, bool) {
	if !IsFinite(x) {
		return 0, false
	}
	if x.Exponent == 0 && x.Coeff.IsInt64() {
		v := x.Coeff.Int64()
		if x.Negative {
			v = -v
		}
		return v, true
	}
	if apd.NumDigits(&x.Coeff)+int64(x.Exponent) > 20 {
		return 0, false
	}
	var t Dec
	t.Set(x)
	rescale(&t, 0, true)
	if t.Negative {
		t.Coeff.Neg(&t.Coeff)
	}
	if !t.Coeff.IsInt64() {
		return 0, false
	}
	return t.Coeff.Int64(), true
}

// digits4 describes a finite x in base 10000 as Postgres stores it: the weight
// of its first digit and that digit, (0, 0) for zero.
func digits4(x *Dec) (weight, first int) {
	if x.Coeff.Sign() == 0 {
		return 0, 0
	}
	nd := int(apd.NumDigits(&x.Coeff))
	e := nd - 1 + int(x.Exponent)
	weight = floorDiv(e, 4)
	k := e - 4*weight + 1
	return weight, int(leading(x, nd, k))
}

// leading gives the first k decimal digits of x's coefficient as a number,
// padded with zeros; k is at most 18.
func leading(x *Dec, nd, k int) int64 {
	var t apd.BigInt
	if nd >= k {
		t.Quo(&x.Coeff, pow10(nd-k))
	} else {
		t.Mul(&x.Coeff, pow10(k-nd))
	}
	return t.Int64()
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// log10Abs estimates the decimal logarithm of a finite, non-zero |x|.
func log10Abs(x *Dec) float64 {
	nd := int(apd.NumDigits(&x.Coeff))
	return math.Log10(float64(leading(x, nd, 17))) + float64(nd-17+int(x.Exponent))
}
