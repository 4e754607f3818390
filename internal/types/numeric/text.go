package numeric

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Append prints x as numeric_out does.
func Append(dst []byte, x *Dec) []byte {
	switch {
	case IsNaN(x):
		return append(dst, "NaN"...)
	case !IsFinite(x) && x.Negative:
		return append(dst, "-Infinity"...)
	case !IsFinite(x):
		return append(dst, "Infinity"...)
	}
	if x.Negative && x.Coeff.Sign() != 0 {
		dst = append(dst, '-')
	}
	start := len(dst)
	if x.Coeff.IsUint64() {
		dst = strconv.AppendUint(dst, x.Coeff.Uint64(), 10)
	} else {
		dst = x.Coeff.Append(dst, 10)
	}
	if x.Exponent > 0 {
		if x.Coeff.Sign() != 0 {
			for range x.Exponent {
				dst = append(dst, '0')
			}
		}
		return dst
	}
	scale := -int(x.Exponent)
	if scale == 0 {
		return dst
	}
	n := len(dst) - start
	if pad := scale + 1 - n; pad > 0 {
		for range pad {
			dst = append(dst, '0')
		}
		copy(dst[start+pad:], dst[start:start+n])
		for i := range pad {
			dst[start+i] = '0'
		}
	}
	dst = append(dst, 0)
	point := len(dst) - 1 - scale
	copy(dst[point+1:], dst[point:len(dst)-1])
	dst[point] = '.'
	return dst
}

// String prints x.
func String(x *Dec) string { return string(Append(nil, x)) }

func syntax(s string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, `invalid input syntax for type numeric: "%s"`, s)
}

// Parse reads what numeric_in reads.
func Parse(z *Dec, s string) error {
	t := strings.Trim(s, " \t\n\r\f\v")
	neg := false
	body := t
	if body != "" && (body[0] == '-' || body[0] == '+') {
		neg = body[0] == '-'
		body = body[1:]
	}
	if body == "" {
		return syntax(s)
	}
	if c := body[0]; c != '.' && (c < '0' || c > '9') {
		switch {
		case strings.EqualFold(t, "nan"):
			SetNaN(z)
		case strings.EqualFold(body, "infinity"), strings.EqualFold(body, "inf"):
			SetInf(z, neg)
		default:
			return syntax(s)
		}
		return nil
	}
	digits, scale, ok := scan(body)
	if !ok {
		return syntax(s)
	}
	if scale < -MaxWeightDigits*2 || scale > MaxScale*2 {
		return Overflow()
	}
	z.Form = apd.Finite
	if len(digits) <= 18 {
		v, _ := strconv.ParseInt(digits, 10, 64)
		z.Coeff.SetInt64(v)
	} else if _, ok := z.Coeff.SetString(digits, 10); !ok {
		return syntax(s)
	}
	z.Negative = neg && z.Coeff.Sign() != 0
	if scale > MaxScale {
		return Overflow()
	}
	if z.Coeff.Sign() == 0 && scale < 0 {
		scale = 0
	}
	z.Exponent = int32(-scale)
	if int64(len(digits))-int64(scale) > MaxWeightDigits && apd.NumDigits(&z.Coeff)-int64(scale) > MaxWeightDigits {
		return Overflow()
	}
	Normalize(z)
	return check(z)
}

// scan splits an unsigned number into its digits and its scale.
func scan(b string) (digits string, scale int, ok bool) {
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	digits = b[:i]
	if i < len(b) && b[i] == '.' {
		j := i + 1
		for j < len(b) && b[j] >= '0' && b[j] <= '9' {
			j++
		}
		scale = j - i - 1
		if digits == "" {
			digits = b[i+1 : j]
		} else if scale > 0 {
			digits += b[i+1 : j]
		}
		i = j
	}
	if digits == "" {
		return "", 0, false
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		e := b[i+1:]
		n := strings.TrimLeft(e, "+-")
		if len(e)-len(n) > 1 || n == "" || strings.Trim(n, "0123456789") != "" {
			return "", 0, false
		}
		v, err := strconv.Atoi(e)
		if err != nil || v > 1<<30 || v < -1<<30 {
			v = 1 << 30
		}
		scale -= v
		i = len(b)
	}
	if i != len(b) {
		return "", 0, false
	}
	// 1e5 shows no digits after the point; 1.50e1 shows one.
	return digits, scale, true
}
