package numeric

import (
	"encoding/binary"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// The binary format, all fields big-endian uint16:
//
//	ndigits  weight  sign  dscale  digit*ndigits
//	12345.60 -> 00 03  00 01  00 00  00 02  00 01 09 29 17 70
//
// A digit is base 10000; the first one weighs 10000^weight. Sign is 0000 plus,
// 4000 minus, C000 NaN, D000 Infinity, F000 -Infinity.
const (
	signPos  = 0x0000
	signNeg  = 0x4000
	signNaN  = 0xC000
	signPInf = 0xD000
	signNInf = 0xF000
)

// AppendBinary appends x as numeric_send does.
func AppendBinary(dst []byte, x *Dec) []byte {
	if !IsFinite(x) {
		sign := uint16(signPInf)
		if IsNaN(x) {
			sign = signNaN
		} else if x.Negative {
			sign = signNInf
		}
		scale := byte(0x20) // what Postgres shows of an infinity's scale bits
		if IsNaN(x) {
			scale = 0
		}
		return append(dst, 0, 0, 0, 0, byte(sign>>8), byte(sign), 0, scale)
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	scale := Scale(x)
	binary.BigEndian.PutUint16(dst[start+6:], uint16(scale))
	if x.Coeff.Sign() == 0 {
		return dst
	}
	if x.Negative {
		binary.BigEndian.PutUint16(dst[start+4:], signNeg)
	}
	var buf [64]byte
	digits := x.Coeff.Append(buf[:0], 10)
	if x.Exponent > 0 {
		for range x.Exponent {
			digits = append(digits, '0')
		}
	}
	whole := len(digits) - scale // decimal digits before the point, may be negative
	weight := floorDiv(whole-1, 4)
	pos := whole - 4*(weight+1) // index of the first group's first digit, ≤ 0
	n := 0
	last := len(dst)
	for ; pos < len(digits); pos += 4 {
		v := 0
		for k := range 4 {
			v *= 10
			if i := pos + k; i >= 0 && i < len(digits) {
				v += int(digits[i] - '0')
			}
		}
		dst = append(dst, byte(v>>8), byte(v))
		n++
		if v != 0 {
			last = len(dst)
		}
	}
	dst = dst[:last]
	n = (last - start - 8) / 2
	binary.BigEndian.PutUint16(dst[start:], uint16(n))
	binary.BigEndian.PutUint16(dst[start+2:], uint16(int16(weight)))
	return dst
}

func invalid(what string) error {
	return sqlerr.New(sqlerr.InvalidBinaryRepresentation, `invalid %s in external "numeric" value`, what)
}

// ParseBinary reads what numeric_recv reads.
func ParseBinary(z *Dec, b []byte) error {
	if len(b) < 8 {
		return sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
	}
	n := int(binary.BigEndian.Uint16(b))
	weight := int(int16(binary.BigEndian.Uint16(b[2:])))
	sign := binary.BigEndian.Uint16(b[4:])
	scale := int(binary.BigEndian.Uint16(b[6:]))
	b = b[8:]
	switch sign {
	case signPos, signNeg, signNaN, signPInf, signNInf:
	default:
		return invalid("sign")
	}
	if scale > MaxScale {
		return invalid("scale")
	}
	if len(b) < 2*n {
		return sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
	}
	if len(b) > 2*n {
		return sqlerr.New(sqlerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	switch sign {
	case signNaN:
		SetNaN(z)
		return nil
	case signPInf, signNInf:
		SetInf(z, sign == signNInf)
		return nil
	}
	var text [64]byte
	digits := text[:0]
	for i := range n {
		v := binary.BigEndian.Uint16(b[2*i:])
		if v >= 10000 {
			return invalid("digit")
		}
		digits = append(digits, byte('0'+v/1000), byte('0'+v/100%10), byte('0'+v/10%10), byte('0'+v%10))
	}
	z.Form, z.Negative, z.Exponent = apd.Finite, false, int32(-scale)
	z.Coeff.SetInt64(0)
	if n == 0 {
		return nil
	}
	z.Coeff.SetString(string(digits), 10)
	z.Negative = sign == signNeg
	z.Exponent = int32(4 * (weight + 1 - n))
	// Digits beyond dscale are cut off, as numeric_recv does.
	rescale(z, scale, false)
	return check(z)
}
