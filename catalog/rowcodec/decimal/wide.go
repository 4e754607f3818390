package decimal

import (
	"github.com/cockroachdb/apd/v3"
)

// PostgreSQL's numeric has values that Phoenix's DECIMAL lacks. They lie between and
// beside those that it has, so that bytes sort as numbers still, and none is 00 or FF.
// An exponent that does not fit the first byte stands in three bytes behind a digit that
// Phoenix never begins with, 01 or 65; of negative numbers these are less what is added to
// those of positive ones:
//
//	NaN         FE 67                      over all
//	Infinity    FE 66
//	1E200       FE 65 41 01 66 02          exponent 101: 2^20 + 101 in 7 bits each, plus 1
//	1E-200      81 01 40 80 1E 02          exponent -99
//	0           80
//	-1E-200     7E 65 41 01 63 64 66
//	-1E200      01 01 40 80 1B 64 66
//	-Infinity   01 01                      under all
//
// A number of more than twenty base-100 digits is those, if it is positive. Of a negative
// one the byte of the twentieth is one less, 100 less the digit, and 66 ends it: it has to
// sort before the number of these twenty, which Phoenix ends by nothing.
const (
	wideBelow  = 0x01 // in place of a first digit: under all numbers of that first byte
	wideAbove  = 0x65 // over them
	wideBias   = 1 << 20
	wideMinExp = -8192 // base-100 digits: 16,383 decimal ones behind the point
	wideMaxExp = 65536 // 131,072 before it
	wideMost   = byte(decMaxExp+Bias) | 0x80
	wideLeast  = byte(decMinExp+Bias) | 0x80
)

// narrow says that Phoenix's bytes can hold the number, if not that Phoenix can.
func (x *Digits) narrow() bool {
	return x.exp >= decMinExp && x.exp <= decMaxExp && len(x.digits) <= decMaxDigits
}

// unboundedDecimal gives the bytes of NaN and the infinities.
func unboundedDecimal(d *apd.Decimal) []byte {
	switch {
	case d.Form != apd.Infinite:
		return []byte{wideMost, wideAbove + 2}
	case d.Negative:
		return []byte{^wideMost, wideBelow}
	}
	return []byte{wideMost, wideAbove + 1}
}

// appendWide is append for what a DECIMAL of Phoenix does not hold.
func (x *Digits) appendWide(dst []byte) []byte {
	b0 := byte(x.exp+Bias) | 0x80
	mark, far := byte(0), false
	switch {
	case x.exp > decMaxExp:
		b0, mark, far = wideMost, wideAbove, true
	case x.exp < decMinExp:
		b0, mark, far = wideLeast, wideBelow, true
	}
	if x.Negative {
		b0, mark = ^b0, wideAbove+wideBelow-mark
	}
	dst = append(dst, b0)
	if far {
		dst = append(dst, mark)
		for e, shift := uint32(x.exp+wideBias), 14; shift >= 0; shift -= 7 {
			c := byte(e>>shift&0x7F) + 1
			if x.Negative {
				c = 0x81 - c
			}
			dst = append(dst, c)
		}
	}
	for i, v := range x.digits {
		switch {
		case !x.Negative:
			v++
		case !far && i == decMaxDigits-1:
			v = 100 - v
		default:
			v = 101 - v
		}
		dst = append(dst, v)
	}
	if x.Negative {
		dst = append(dst, EndMark)
	}
	return dst
}

// decodeWideDecimal is Decode for what appendWide and unboundedDecimal make.
func decodeWideDecimal(b []byte, mask byte, scale int32, out *apd.Decimal) bool {
	b0, first := b[0]^mask, b[1]^mask
	neg := b0 < 0x80
	if len(b) == 2 {
		out.Coeff.SetUint64(0)
		out.Exponent, out.Negative = 0, neg
		switch {
		case b0 == wideMost && first == wideAbove+1, b0 == ^byte(wideMost) && first == wideBelow:
			out.Form = apd.Infinite
			return true
		case b0 == wideMost && first == wideAbove+2:
			out.Form = apd.NaN
			return true
		}
	}
	digits, size := b[1:], b0
	if neg {
		size = ^b0
		if n := len(digits); digits[n-1]^mask != EndMark {
			return false
		}
		digits = digits[:len(digits)-1]
		first = wideAbove + wideBelow - first
	}
	exp, far := int(size&0x7F)-Bias, false
	switch {
	case len(digits) > 4 && (size == wideMost && first == wideAbove || size == wideLeast && first == wideBelow):
		e := 0
		for _, c := range digits[1:4] {
			if c ^= mask; neg {
				c = 0x81 - c
			}
			if c < 1 || c > 0x80 {
				return false
			}
			e = e<<7 | int(c-1)
		}
		exp, far, digits = e-wideBias, true, digits[4:]
		if exp < wideMinExp || exp > wideMaxExp || exp >= decMinExp && exp <= decMaxExp {
			return false
		}
	case len(digits) <= decMaxDigits:
		return false
	}
	text := make([]byte, 0, 2*len(digits)+int(max(scale, 0)))
	for i, c := range digits {
		v := c ^ mask
		switch {
		case !neg:
			v--
		case !far && i == decMaxDigits-1:
			v = 100 - v
		default:
			v = 101 - v
		}
		if v > 99 {
			return false
		}
		text = append(text, '0'+v/10, '0'+v%10)
	}
	e := 2 * (exp - len(digits))
	if text[len(text)-1] == '0' {
		text, e = text[:len(text)-1], e+1
	}
	for ; e > 0 || -e < int(scale); e-- {
		text = append(text, '0')
	}
	out.Form, out.Negative, out.Exponent = apd.Finite, neg, int32(e)
	_, ok := out.Coeff.SetString(string(text), 10)
	return ok
}
