package numeric

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func clampScale(s int) int { return min(max(s, 0), maxDisplayScale) }

// context gives a context that computes digits significant digits.
func context(digits int) *apd.Context {
	c := apd.BaseContext.WithPrecision(uint32(max(digits, 20)))
	c.Rounding = apd.RoundHalfUp
	c.Traps = 0
	c.MaxExponent, c.MinExponent = 100000, -100000
	return c
}

// Sqrt makes z the square root of x: 2201F below 0.
func Sqrt(z, x *Dec) error {
	if IsNaN(x) || !IsFinite(x) && !x.Negative {
		z.Set(x)
		return nil
	}
	if Sign(x) < 0 {
		return sqlerr.New(sqlerr.InvalidArgumentForPower, "cannot take square root of a negative number")
	}
	w, _ := digits4(x)
	return sqrtTo(z, x, clampScale(max(minSigDigits-((w+1)*4/2-1), Scale(x))))
}

// sqrtTo computes the root of a finite x ≥ 0 to a given scale.
func sqrtTo(z, x *Dec, scale int) error {
	// floor(sqrt(c)) at one digit more decides the rounding: a root is never
	// exactly half-way.
	var c apd.BigInt
	c.Set(&x.Coeff)
	e := 2*(scale+1) + int(x.Exponent)
	if e >= 0 {
		c.Mul(&c, pow10(e))
	} else {
		c.Quo(&c, pow10(-e))
	}
	c.Sqrt(&c)
	if err := setSigned(z, &c, scale+1); err != nil {
		return err
	}
	rescale(z, scale, true)
	return nil
}

// Exp makes z e^x: 22003 if that is too large.
func Exp(z, x *Dec) error {
	if !IsFinite(x) {
		if x.Form == apd.Infinite && x.Negative {
			SetInt64(z, 0)
		} else {
			z.Set(x)
		}
		return nil
	}
	f := Float64(x)
	val := max(-maxResultScale, min(maxResultScale, f*0.434294481903252))
	scale := clampScale(max(minSigDigits-int(val), Scale(x)))
	return expTo(z, x, f, scale)
}

func expTo(z, x *Dec, f float64, scale int) error {
	if math.Abs(f) >= maxResultScale*3 {
		if f > 0 {
			return Overflow()
		}
		SetInt64(z, 0)
		rescale(z, scale, false)
		return nil
	}
	digits := max(0, int(f*0.434294481903252)) + scale + 10
	// e^x is e^(x/2^k) squared k times: far from 0 apd's series takes too many steps.
	var t, part Dec
	part.Set(x)
	k := 0
	for ; math.Abs(f) > 1; f /= 2 {
		part.Coeff.Mul(&part.Coeff, big5)
		part.Exponent--
		k++
	}
	digits += 2 * k
	if _, err := context(digits).Exp(&t, &part); err != nil {
		expSeries(&t, &part, digits) // apd bounds its steps
	}
	for range k {
		mulDigits(&t, &t, &t, digits)
	}
	z.Set(&t)
	rescale(z, scale, true)
	return check(z)
}

// expSeries makes z e^x for |x| <= 1: the sum of x^n/n!.
func expSeries(z, x *Dec, digits int) {
	z.SetInt64(1)
	var term Dec
	term.SetInt64(1)
	for n := int64(1); ; n++ {
		mulDigits(&term, &term, x, digits)
		term.Coeff.Mul(&term.Coeff, pow10(digits))
		term.Coeff.Quo(&term.Coeff, apd.NewBigInt(n))
		term.Exponent -= int32(digits)
		if over := int(apd.NumDigits(&term.Coeff)) - digits; over > 0 {
			term.Coeff.Quo(&term.Coeff, pow10(over))
			term.Exponent += int32(over)
		}
		if term.IsZero() || int64(term.Exponent)+apd.NumDigits(&term.Coeff) < -int64(digits) {
			return
		}
		AddWide(z, z, &term)
		mulDigits(z, z, apd.New(1, 0), 2*digits)
	}
}

// lnWeight estimates the decimal weight of ln(x) as estimate_ln_dweight does.
func lnWeight(x *Dec) int {
	if Sign(x) <= 0 {
		return 0
	}
	if Cmp(x, apd.New(9, -1)) >= 0 && Cmp(x, apd.New(11, -1)) <= 0 {
		var d Dec
		_ = Sub(&d, x, apd.New(1, 0))
		if d.Coeff.Sign() == 0 {
			return 0
		}
		w, first := digits4(&d)
		return w*4 + int(math.Log10(float64(first)))
	}
	return int(math.Log10(math.Abs(log10Abs(x) * math.Ln10)))
}

func checkLog(x *Dec) error {
	if Sign(x) < 0 {
		return sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
	}
	if Sign(x) == 0 {
		return sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of zero")
	}
	return nil
}

// Ln makes z the natural logarithm: 2201E for what is not positive.
func Ln(z, x *Dec) error {
	if IsNaN(x) {
		SetNaN(z)
		return nil
	}
	if err := checkLog(x); err != nil {
		return err
	}
	if !IsFinite(x) {
		SetInf(z, false)
		return nil
	}
	w := lnWeight(x)
	scale := clampScale(max(minSigDigits-w, Scale(x)))
	t, err := lnDigits(x, max(w, 0)+scale+10)
	if err != nil {
		return err
	}
	z.Set(t)
	rescale(z, scale, true)
	return check(z)
}

func lnDigits(x *Dec, digits int) (*Dec, error) {
	t := new(Dec)
	adjusted := int64(x.Exponent) + apd.NumDigits(&x.Coeff) - 1
	if adjusted > apd.MaxExponent/2 || adjusted < apd.MinExponent/2 {
		return t, lnFar(t, x, adjusted, digits)
	}
	if _, err := context(digits).Ln(t, x); err != nil {
		return nil, sqlerr.Internal(err, "ln failed")
	}
	return t, nil
}

// lnFar makes z ln(x) for x = m * 10^adjusted that apd's contexts do not reach:
// ln(m) + adjusted * ln(10).
func lnFar(z, x *Dec, adjusted int64, digits int) error {
	var m, ten Dec
	m.Set(x)
	m.Exponent -= int32(adjusted)
	c := context(digits + 8) // ln(m) is at most ln(10): the sum has at most six digits more before the point
	_, err := c.Ln(&m, &m)
	if err == nil {
		_, err = c.Ln(&ten, apd.New(10, 0))
	}
	if err == nil {
		_, err = c.Mul(&ten, &ten, apd.New(adjusted, 0))
	}
	if err == nil {
		_, err = c.Add(z, &m, &ten)
	}
	if err != nil {
		return sqlerr.Internal(err, "ln failed")
	}
	return nil
}

// Log makes z the logarithm of x to a base.
func Log(z, base, x *Dec) error {
	if IsNaN(x) || IsNaN(base) {
		SetNaN(z)
		return nil
	}
	if err := checkLog(base); err != nil {
		return err
	}
	if err := checkLog(x); err != nil {
		return err
	}
	switch {
	case !IsFinite(base) && !IsFinite(x):
		SetNaN(z)
		return nil
	case !IsFinite(base):
		SetInt64(z, 0)
		return nil
	case !IsFinite(x):
		SetInf(z, false)
		return nil
	}
	wb, wx := lnWeight(base), lnWeight(x)
	scale := clampScale(max(minSigDigits-(wx-wb), Scale(base), Scale(x)))
	digits := scale + max(0, wx-wb) + 20
	lb, err := lnDigits(base, digits)
	if err != nil {
		return err
	}
	lx, err := lnDigits(x, digits)
	if err != nil {
		return err
	}
	if lb.IsZero() {
		return DivByZero()
	}
	var q Dec
	if _, err := context(digits).Quo(&q, lx, lb); err != nil {
		return sqlerr.Internal(err, "log failed")
	}
	z.Set(&q)
	rescale(z, scale, true)
	return check(z)
}
