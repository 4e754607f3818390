package numeric

import "github.com/cockroachdb/apd/v3"

// Add makes z x + y.
func Add(z, x, y *Dec) error { return addSub(z, x, y, false) }

// Sub makes z x - y.
func Sub(z, x, y *Dec) error { return addSub(z, x, y, true) }

func addSub(z, x, y *Dec, sub bool) error {
	if !IsFinite(x) || !IsFinite(y) {
		yneg := y.Negative != sub
		switch {
		case IsNaN(x) || IsNaN(y):
			SetNaN(z)
		case IsFinite(y):
			SetInf(z, x.Negative)
		case IsFinite(x) || x.Negative == yneg:
			SetInf(z, yneg)
		default:
			SetNaN(z)
		}
		return nil
	}
	if addWords(z, x, y, sub) {
		return nil
	}
	scale := max(Scale(x), Scale(y))
	var a, b apd.BigInt
	signed(&a, x, scale)
	signed(&b, y, scale)
	if sub {
		a.Sub(&a, &b)
	} else {
		a.Add(&a, &b)
	}
	return setSigned(z, &a, scale)
}

// Neg makes z -x.
func Neg(z, x *Dec) {
	z.Set(x)
	if Sign(x) != 0 && !IsNaN(x) {
		z.Negative = !x.Negative
	}
}

// Mul makes z x × y.
func Mul(z, x, y *Dec) error {
	if !IsFinite(x) || !IsFinite(y) {
		sx, sy := Sign(x), Sign(y)
		if IsNaN(x) || IsNaN(y) || sx == 0 || sy == 0 {
			SetNaN(z)
		} else {
			SetInf(z, sx != sy)
		}
		return nil
	}
	if mulWords(z, x, y) {
		return nil
	}
	scale := Scale(x) + Scale(y)
	neg := x.Negative != y.Negative
	var a apd.BigInt
	a.Mul(&x.Coeff, &y.Coeff)
	if e := max(0, int(x.Exponent)) + max(0, int(y.Exponent)); e > 0 {
		a.Mul(&a, pow10(e))
	}
	if neg {
		a.Neg(&a)
	}
	return setSigned(z, &a, scale)
}

// divScale is Postgres's select_div_scale: at least 16 significant digits and
// no fewer digits after the point than either argument shows.
func divScale(x, y *Dec) int {
	w1, f1 := digits4(x)
	w2, f2 := digits4(y)
	q := w1 - w2
	if f1 <= f2 {
		q--
	}
	scale := max(minSigDigits-q*4, Scale(x), Scale(y), 0)
	return min(scale, maxDisplayScale)
}

// Div makes z x / y.
func Div(z, x, y *Dec) error {
	if done, err := divSpecial(z, x, y); done {
		return err
	}
	return divTo(z, x, y, divScale(x, y), true)
}

// DivTrunc makes z the integer part of x / y: the function div.
func DivTrunc(z, x, y *Dec) error {
	if done, err := divSpecial(z, x, y); done {
		return err
	}
	return divTo(z, x, y, 0, false)
}

func divSpecial(z, x, y *Dec) (bool, error) {
	switch {
	case IsNaN(x) || IsNaN(y):
		SetNaN(z)
	case !IsFinite(x) && !IsFinite(y):
		SetNaN(z)
	case !IsFinite(x):
		if Sign(y) == 0 {
			return true, DivByZero()
		}
		SetInf(z, x.Negative != y.Negative)
	case !IsFinite(y):
		z.Set(&zeroDec)
	case Sign(y) == 0:
		return true, DivByZero()
	default:
		return false, nil
	}
	return true, nil
}

// divTo divides finite values to a given scale.
func divTo(z, x, y *Dec, scale int, round bool) error {
	divWide(z, x, y, scale, round)
	return check(z)
}

// divWide is divTo without a limit.
func divWide(z, x, y *Dec, scale int, round bool) {
	neg := x.Negative != y.Negative
	var a, b, r apd.BigInt
	a.Set(&x.Coeff)
	b.Set(&y.Coeff)
	if e := scale + int(x.Exponent) - int(y.Exponent); e >= 0 {
		a.Mul(&a, pow10(e))
	} else {
		b.Mul(&b, pow10(-e))
	}
	a.QuoRem(&a, &b, &r)
	if round {
		r.Mul(&r, big2)
		if r.Cmp(&b) >= 0 {
			a.Add(&a, big1)
		}
	}
	z.Form, z.Exponent = apd.Finite, -int32(scale)
	z.Coeff.Set(&a)
	z.Negative = neg && a.Sign() != 0
}

// Mod makes z the remainder of x / y, with the sign of x.
func Mod(z, x, y *Dec) error {
	if !IsFinite(x) || !IsFinite(y) {
		switch {
		case IsNaN(x) || IsNaN(y):
			SetNaN(z)
		case !IsFinite(x):
			if Sign(y) == 0 {
				return DivByZero()
			}
			SetNaN(z)
		default:
			z.Set(x)
		}
		return nil
	}
	if Sign(y) == 0 {
		return DivByZero()
	}
	scale := max(Scale(x), Scale(y))
	var a, b apd.BigInt
	signed(&a, x, scale)
	signed(&b, y, scale)
	a.Rem(&a, &b)
	return setSigned(z, &a, scale)
}

// Round makes z x rounded half away from zero to scale digits after the point;
// a negative scale rounds before it.
func Round(z, x *Dec, scale int) error { return roundTrunc(z, x, scale, true) }

// Trunc is Round that cuts off.
func Trunc(z, x *Dec, scale int) error { return roundTrunc(z, x, scale, false) }

func roundTrunc(z, x *Dec, scale int, round bool) error {
	z.Set(x)
	if !IsFinite(x) {
		return nil
	}
	scale = max(-MaxWeightDigits, min(scale, MaxScale))
	rescale(z, scale, round)
	return check(z)
}

// Ceil makes z the least integer not below x.
func Ceil(z, x *Dec) error { return toward(z, x, false) }

// Floor makes z the greatest integer not above x.
func Floor(z, x *Dec) error { return toward(z, x, true) }

func toward(z, x *Dec, down bool) error {
	if !IsFinite(x) {
		z.Set(x)
		return nil
	}
	neg := x.Negative
	var whole Dec
	whole.Set(x)
	rescale(&whole, 0, false)
	if neg == down && Cmp(&whole, x) != 0 {
		whole.Coeff.Add(&whole.Coeff, big1)
		whole.Negative = down
	}
	z.Set(&whole)
	return check(z)
}

// TrimScale makes z x without the zeros at its end.
func TrimScale(z, x *Dec) {
	z.Set(x)
	if IsFinite(x) {
		rescale(z, MinScale(x), false)
	}
}

// MinScale is the least scale that shows x exactly.
func MinScale(x *Dec) int {
	s := Scale(x)
	if s == 0 || x.Coeff.Sign() == 0 {
		return 0
	}
	var c, q, r apd.BigInt
	c.Set(&x.Coeff)
	for s > 0 {
		q.QuoRem(&c, big10, &r)
		if r.Sign() != 0 {
			break
		}
		c.Set(&q)
		s--
	}
	return s
}

// GCD makes z the greatest common divisor.
func GCD(z, x, y *Dec) error {
	if !IsFinite(x) || !IsFinite(y) {
		SetNaN(z)
		return nil
	}
	scale := max(Scale(x), Scale(y))
	var a, b apd.BigInt
	signed(&a, x, scale)
	signed(&b, y, scale)
	a.Abs(&a)
	b.Abs(&b)
	if a.Sign() == 0 {
		return setSigned(z, &b, scale)
	}
	if b.Sign() != 0 {
		a.GCD(nil, nil, &a, &b)
	}
	return setSigned(z, &a, scale)
}

// LCM makes z the least common multiple.
func LCM(z, x, y *Dec) error {
	if !IsFinite(x) || !IsFinite(y) {
		SetNaN(z)
		return nil
	}
	scale := max(Scale(x), Scale(y))
	var a, b, g apd.BigInt
	signed(&a, x, scale)
	signed(&b, y, scale)
	a.Abs(&a)
	b.Abs(&b)
	if a.Sign() == 0 || b.Sign() == 0 {
		g.SetInt64(0)
		return setSigned(z, &g, scale)
	}
	g.GCD(nil, nil, &a, &b)
	a.Quo(&a, &g)
	a.Mul(&a, &b)
	return setSigned(z, &a, scale)
}
