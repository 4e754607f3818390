package decimal

import (
	"encoding/binary"
	"math/big"
	"math/bits"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A DECIMAL is its base-100 digits, aligned on the decimal point, behind an
// exponent that counts the digits left of it:
//
//	0         80
//	123.45    C2  02 18 2E       exponent 2; each digit plus 1
//	-123.45   3D  64 4E 38 66    exponent inverted; 101 less each digit; 66 ends it
//
// The end mark lets -1.5 sort before -1; it is left out at the 21st byte. No
// byte of a storable value is 00 or FF, so that separators stay unambiguous.
// That is Phoenix's; wide.go has what it lacks.
const (
	Zero         = 0x80
	Bias         = 64
	EndMark      = 0x66
	decMaxBytes  = 21
	decMinExp    = -63 // base-100 digits left of the point, of storable values
	decMaxExp    = 62
	decMaxDigits = decMaxBytes - 1
	decLastDigit = 0x64 // the last byte that a first digit, which is not 0, has; the first is 02
)

// MaxDigits is the most significant digits a DECIMAL of Phoenix keeps.
//
//saltsql:limit types: significant digits of a DECIMAL in a table of Phoenix (22003)
const MaxDigits = 38

// Digits is a finite, non-zero decimal as base-100 digits without trailing zeros.
type Digits struct {
	Negative bool
	exp      int    // base-100 digits left of the point
	digits   []byte // 0..99 each
	sig      int    // significant decimal digits
}

// split100 takes d apart; ok is false for zero. d is finite.
func split100(d *apd.Decimal, buf []byte) (x Digits, ok bool) {
	text := d.Coeff.Append(buf[:0], 10)
	x, ok = split(text, len(text)+int(d.Exponent))
	x.Negative = d.Negative
	return x, ok
}

// split takes decimal digits apart, point of which are left of the decimal point.
// It overwrites text.
func split(text []byte, point int) (x Digits, ok bool) {
	for len(text) > 0 && text[0] == '0' {
		text = text[1:]
		point--
	}
	for len(text) > 0 && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if len(text) == 0 {
		return x, false
	}
	x.sig = len(text)
	x.exp = point >> 1
	i, out := 0, 0
	if point&1 != 0 { // the first digit stands alone
		x.exp++
		text[0] -= '0'
		i, out = 1, 1
	}
	for ; i < len(text); i += 2 {
		v := (text[i] - '0') * 10
		if i+1 < len(text) {
			v += text[i+1] - '0'
		}
		text[out] = v
		out++
	}
	x.digits = text[:out]
	return x, true
}

// Append appends the bytes of a number that Phoenix has too.
func (x *Digits) Append(dst []byte) []byte {
	b0 := byte(x.exp+Bias) | 0x80
	if !x.Negative {
		dst = append(dst, b0)
		for _, v := range x.digits {
			dst = append(dst, v+1)
		}
		return dst
	}
	dst = append(dst, ^b0)
	for _, v := range x.digits {
		dst = append(dst, 101-v)
	}
	if len(x.digits) < decMaxDigits {
		dst = append(dst, EndMark)
	}
	return dst
}

// AppendMillionths appends whole + millionths/1,000,000, below zero where neg; millionths
// are below a million.
func AppendMillionths(dst []byte, neg bool, whole uint64, millionths uint32) []byte {
	var digits [13]byte // ten left of the point
	const point = 10
	first, end := point, point
	for ; whole > 0; whole /= 100 {
		first--
		digits[first] = byte(whole % 100)
	}
	if millionths > 0 {
		digits[point] = byte(millionths / 1e4)
		digits[point+1] = byte(millionths / 100 % 100)
		digits[point+2] = byte(millionths % 100)
		end = len(digits)
	}
	for first < end && digits[first] == 0 {
		first++
	}
	for first < end && digits[end-1] == 0 {
		end--
	}
	if first == end {
		return append(dst, Zero)
	}
	x := Digits{Negative: neg, exp: point - first, digits: digits[first:end]}
	return x.Append(dst)
}

// Append is AppendValue of a DECIMAL; phoenix is Column.Phoenix.
func Append(dst []byte, d *apd.Decimal, phoenix bool) ([]byte, error) {
	if d.Form != apd.Finite {
		if phoenix {
			return dst, sqlerr.New(sqlerr.NumericValueOutOfRange, "cannot store %s in a numeric column of a table of Phoenix", d.Text('G'))
		}
		return append(dst, unboundedDecimal(d)...), nil
	}
	var buf [96]byte
	x, ok := split100(d, buf[:0])
	switch {
	case !ok:
		return append(dst, Zero), nil
	case x.narrow() && (!phoenix || x.sig <= MaxDigits):
		return x.Append(dst), nil
	case phoenix && x.sig > MaxDigits:
		return dst, sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format").
			WithDetail("A numeric of Phoenix has at most %d significant digits, here %d.", MaxDigits, x.sig).
			WithHint("Round the value.")
	case phoenix:
		return dst, sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format").
			WithDetail("The size of a numeric of Phoenix is below 1e124 and, except for 0, not below 1e-128.")
	case x.exp < wideMinExp || x.exp > wideMaxExp:
		return dst, sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	return x.appendWide(dst), nil
}

// pow10 holds the powers of ten that fit a uint64.
var pow10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// uint128 is the accumulator of a coefficient; over says that it overflowed.
type uint128 struct {
	hi, lo uint64
	over   bool
}

func (u *uint128) mulAdd(m, a uint64) {
	h0, lo := bits.Mul64(u.lo, m)
	h1, mid := bits.Mul64(u.hi, m)
	lo, c := bits.Add64(lo, a, 0)
	hi, c := bits.Add64(mid, h0, c)
	u.over = u.over || h1 != 0 || c != 0
	u.hi, u.lo = hi, lo
}

// Decode reads the bytes of a DECIMAL, each XORed with mask, into out with at
// least scale fractional digits. It allocates only past 38 digits.
func Decode(b []byte, mask byte, scale int32, out *apd.Decimal) bool {
	if len(b) == 0 {
		return false
	}
	b0 := b[0] ^ mask
	out.Form, out.Negative = apd.Finite, false
	if b0 == Zero && len(b) == 1 {
		out.Coeff.SetUint64(0)
		out.Exponent = -max(scale, 0)
		return true
	}
	digits := b[1:]
	bias := byte(1)
	neg := b0 < 0x80
	if neg {
		b0 = ^b0
		if n := len(digits); n > 0 && digits[n-1]^mask == EndMark {
			digits = digits[:n-1]
		}
	}
	if len(digits) == 0 {
		return false
	}
	if first := digits[0] ^ mask; len(digits) > decMaxDigits || first <= 1 || first > decLastDigit {
		return decodeWideDecimal(b, mask, scale, out)
	}
	exp := 2 * (int32(b0&0x7F) - Bias - int32(len(digits)))
	if len(digits) <= wordDigits && exp <= 0 && scale <= wordScale {
		return decodeWord(digits, mask, neg, exp, scale, out)
	}
	var u uint128
	for i, c := range digits {
		v := (c ^ mask) - bias
		if neg {
			v = 101 - (c ^ mask)
		}
		if v > 99 {
			return false
		}
		if i == len(digits)-1 && v%10 == 0 {
			u.mulAdd(10, uint64(v/10))
			exp++
		} else {
			u.mulAdd(100, uint64(v))
		}
	}
	pad := int32(0) // zeros to append: a positive exponent, the declared scale
	if exp > 0 {
		pad, exp = exp, 0
	}
	if scale > -exp {
		pad += scale + exp
		exp = -scale
	}
	small := u
	for p := pad; p > 0; p -= 19 {
		small.mulAdd(pow10[min(p, 19)], 0)
	}
	out.Negative, out.Exponent = neg, exp
	switch {
	case !small.over && small.hi == 0:
		out.Coeff.SetUint64(small.lo)
	case !small.over:
		var buf [16]byte
		binary.BigEndian.PutUint64(buf[:8], small.hi)
		binary.BigEndian.PutUint64(buf[8:], small.lo)
		out.Coeff.SetBytes(buf[:])
	default:
		setWide(digits, mask, neg, pad, out)
	}
	return true
}

// Up to wordDigits base-100 digits, and the zeros that up to wordScale decimal digits behind
// the point add to them, fit a word.
const (
	wordDigits = 7
	wordScale  = 4
)

// decodeWord is Decode for few digits: exp is not above 0.
func decodeWord(digits []byte, mask byte, neg bool, exp, scale int32, out *apd.Decimal) bool {
	var u, v uint64
	for _, c := range digits {
		if v = uint64(c^mask) - 1; neg {
			v = 101 - uint64(c^mask)
		}
		if v > 99 {
			return false
		}
		u = u*100 + v
	}
	if v%10 == 0 { // of the last digit: the first ends the number
		u /= 10
		exp++
	}
	if exp > 0 {
		u *= 10
		exp--
	}
	if scale > -exp {
		u *= pow10[scale+exp]
		exp = -scale
	}
	out.Negative, out.Exponent = neg, exp
	out.Coeff.SetUint64(u)
	return true
}

// setWide sets a coefficient that does not fit 128 bits.
func setWide(digits []byte, mask byte, neg bool, pad int32, out *apd.Decimal) {
	var n, d big.Int
	hundred := big.NewInt(100)
	for _, c := range digits {
		v := int64(c^mask) - 1
		if neg {
			v = 101 - int64(c^mask)
		}
		n.Add(n.Mul(&n, hundred), d.SetInt64(v))
	}
	ten := big.NewInt(10)
	if last := digits[len(digits)-1] ^ mask; (neg && (101-last)%10 == 0) || (!neg && (last-1)%10 == 0) {
		n.Quo(&n, ten)
	}
	n.Mul(&n, d.Exp(ten, big.NewInt(int64(pad)), nil))
	out.Coeff.SetMathBigInt(&n)
}
