package numeric

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Power makes z x^y: 2201F for 0 to a negative power and for a negative number
// to a power that is no integer.
func Power(z, x, y *Dec) error {
	if !IsFinite(x) || !IsFinite(y) {
		return powerSpecial(z, x, y)
	}
	if Sign(x) == 0 && Sign(y) < 0 {
		return sqlerr.New(sqlerr.InvalidArgumentForPower, "zero raised to a negative power is undefined")
	}
	whole := MinScale(y) == 0
	if Sign(x) < 0 && !whole {
		return sqlerr.New(sqlerr.InvalidArgumentForPower, "a negative number raised to a non-integer power yields a complex result")
	}
	if whole {
		if n, ok := IsInt64(y); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
			return powerInt(z, x, int(n))
		}
	}
	if Sign(x) == 0 {
		SetInt64(z, 0)
		rescale(z, minSigDigits, false)
		return nil
	}
	return powerReal(z, x, y, whole)
}

func powerInt(z, x *Dec, n int) error {
	f := 0.0
	if Sign(x) != 0 {
		f = float64(n) * log10Abs(x)
	}
	if f > (math.MaxInt16+1)*4 {
		return Overflow()
	}
	scale := clampScale(max(minSigDigits, Scale(x)))
	if f+1 < float64(-scale) {
		SetInt64(z, 0)
		rescale(z, scale, false)
		return nil
	}
	if Sign(x) == 0 && n != 0 {
		SetInt64(z, 0)
		rescale(z, scale, false)
		return nil
	}
	var base Dec
	base.Set(x)
	Normalize(&base)
	switch n {
	case 0:
		SetInt64(z, 1)
		rescale(z, scale, false)
		return nil
	case 1, 2:
		z.Set(&base)
		if n == 2 {
			z.Coeff.Mul(&base.Coeff, &base.Coeff)
			z.Exponent *= 2
			z.Negative = false
		}
		rescale(z, scale, true)
		return check(z)
	case -1:
		SetInt64(z, 1)
		var one Dec
		one.Set(z)
		return divTo(z, &one, &base, scale, true)
	}
	digits := int(math.Abs(f)) + scale + 12 + int(math.Log10(math.Abs(float64(n))))
	abs := n
	if abs < 0 {
		abs = -abs
	}
	var r, b Dec
	r.SetInt64(1)
	b.Set(&base)
	for {
		if abs&1 != 0 {
			mulDigits(&r, &r, &b, digits)
		}
		abs >>= 1
		if abs == 0 {
			break
		}
		mulDigits(&b, &b, &b, digits)
	}
	if n < 0 {
		return divTo(z, apd.New(1, 0), &r, scale, true)
	}
	z.Set(&r)
	rescale(z, scale, true)
	return check(z)
}

// mulDigits makes z x*y, cut to so many digits. Unlike apd's contexts, which end at
// 10^100000, it has no limit that a numeric could reach.
func mulDigits(z, x, y *Dec, digits int) {
	negative, exponent := x.Negative != y.Negative, x.Exponent+y.Exponent
	z.Coeff.Mul(&x.Coeff, &y.Coeff)
	if over := int(apd.NumDigits(&z.Coeff)) - digits; over > 0 {
		z.Coeff.Quo(&z.Coeff, pow10(over))
		exponent += int32(over)
	}
	z.Negative, z.Exponent = negative, exponent
}

func powerReal(z, x, y *Dec, whole bool) error {
	negative := false
	var base Dec
	base.Set(x)
	if base.Negative {
		var r Dec
		_ = Mod(&r, y, apd.New(2, 0))
		negative = Sign(&r) != 0
		base.Negative = false
	}
	val := Float64(y) * log10Abs(&base) * math.Ln10
	if math.Abs(val) > maxResultScale*3.01 {
		if val > 0 {
			return Overflow()
		}
		SetInt64(z, 0)
		rescale(z, maxDisplayScale, false)
		return nil
	}
	weight := val * 0.434294481903252
	scale := clampScale(max(minSigDigits-int(weight), Scale(x), Scale(y)))
	digits := max(0, int(weight)) + scale + 20
	ln, err := lnDigits(&base, digits+int(apd.NumDigits(&y.Coeff)))
	if err != nil {
		return err
	}
	var p Dec
	if _, err := context(digits+int(apd.NumDigits(&y.Coeff))).Mul(&p, ln, y); err != nil {
		return sqlerr.Internal(err, "power failed")
	}
	if err := expTo(z, &p, val, scale); err != nil {
		return err
	}
	z.Negative = negative && z.Coeff.Sign() != 0
	return nil
}

// powerSpecial follows IEEE 754 and POSIX pow, as numeric_power does.
func powerSpecial(z, x, y *Dec) error {
	one := apd.New(1, 0)
	switch {
	case IsNaN(x):
		if IsFinite(y) && Sign(y) == 0 {
			SetInt64(z, 1)
		} else {
			SetNaN(z)
		}
		return nil
	case IsNaN(y):
		if Cmp(x, one) == 0 {
			SetInt64(z, 1)
		} else {
			SetNaN(z)
		}
		return nil
	case Sign(x) == 0 && Sign(y) < 0:
		return sqlerr.New(sqlerr.InvalidArgumentForPower, "zero raised to a negative power is undefined")
	case Cmp(x, one) == 0 || Sign(y) == 0:
		SetInt64(z, 1)
		return nil
	case Sign(x) < 0 && IsFinite(y) && MinScale(y) != 0:
		return sqlerr.New(sqlerr.InvalidArgumentForPower, "a negative number raised to a non-integer power yields a complex result")
	case !IsFinite(y):
		var abs Dec
		abs.Set(x)
		abs.Negative = false
		c := Cmp(&abs, one)
		switch {
		case c == 0:
			SetInt64(z, 1)
		case (c > 0) == !y.Negative:
			SetInf(z, false)
		default:
			SetInt64(z, 0)
		}
		return nil
	}
	// x is infinite, y is finite and not zero.
	if Sign(y) < 0 {
		SetInt64(z, 0)
		return nil
	}
	odd := false
	if x.Negative {
		var r Dec
		_ = Mod(&r, y, apd.New(2, 0))
		odd = Sign(&r) != 0
	}
	SetInf(z, odd)
	return nil
}
