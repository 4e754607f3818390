package tochar

import (
	"bytes"
	"math"
	"strconv"
	"sync"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// digitsPool holds room for the digits of a number before they are laid out.
// More than fit are on the heap.
var digitsPool = sync.Pool{New: func() any {
	b := make([]byte, 0, 400)
	return &b
}}

// AppendInt8 is to_char(bigint, text). 22003 where V multiplies beyond a
// bigint, or RN's number is no integer.
func (f *NumberFormat) AppendInt8(dst []byte, v int64) ([]byte, error) {
	if f.shape.eeee {
		return f.AppendNumeric(dst, apd.New(v, 0))
	}
	if f.shape.v {
		m := math.RoundToEven(math.Pow(10, float64(f.shape.multi)))
		if m >= math.MaxInt64 {
			return dst, bigintOutOfRange()
		}
		product := v * int64(m)
		if product/int64(m) != v {
			return dst, bigintOutOfRange()
		}
		return f.integer(dst, v, product)
	}
	return f.integer(dst, v, v)
}

// AppendInt4 is to_char(integer, text). 22003 where V multiplies beyond an
// integer.
func (f *NumberFormat) AppendInt4(dst []byte, v int32) ([]byte, error) {
	if f.shape.eeee {
		return f.AppendFloat8(dst, float64(v))
	}
	if f.shape.v {
		// Postgres wraps around here, which would be a wrong answer.
		m := math.Pow(10, float64(f.shape.multi))
		if p := float64(v) * m; p > math.MaxInt32 || p < math.MinInt32 {
			return dst, integerOutOfRange()
		}
		return f.integer(dst, int64(v), int64(v)*int64(m))
	}
	return f.integer(dst, int64(v), int64(v))
}

func bigintOutOfRange() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "bigint out of range")
}

func integerOutOfRange() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "integer out of range")
}

func (f *NumberFormat) integer(dst []byte, v, scaled int64) ([]byte, error) {
	if f.empty {
		return dst, nil
	}
	s := f.shape
	if s.roman {
		return f.romanInt(dst, v)
	}
	room := digitsPool.Get().(*[]byte)
	defer digitsPool.Put(room)
	number := strconv.AppendInt((*room)[:0], scaled, 10)
	neg := number[0] == '-'
	if neg {
		number = number[1:]
	}
	s.pre += s.multi
	width := len(number)
	if s.post > 0 {
		number = append(number, '.')
		for range s.post {
			number = append(number, '0')
		}
	}
	return f.fit(dst, s, number, width, neg)
}

func (f *NumberFormat) romanInt(dst []byte, v int64) ([]byte, error) {
	if v > math.MaxInt32 || v < math.MinInt32 {
		return dst, integerOutOfRange()
	}
	room := digitsPool.Get().(*[]byte)
	defer digitsPool.Put(room)
	return f.layout(dst, f.shape, appendRoman((*room)[:0], v), 0, false)
}

// fit lays out a number with width digits before its point, or # for each digit
// if the template has fewer.
func (f *NumberFormat) fit(dst []byte, s shape, number []byte, width int, neg bool) ([]byte, error) {
	blanks := 0
	switch {
	case width < s.pre:
		blanks = s.pre - width
	case width > s.pre:
		number = hashes(nil, s.pre+s.post+1)
		number[s.pre] = '.'
	}
	return f.layout(dst, s, number, blanks, neg)
}

func hashes(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '#')
	}
	return dst
}

// noExponent is what EEEE shows for what is no finite number.
func (s *shape) noExponent() []byte {
	b := hashes(nil, s.pre+s.post+6)
	b[0] = ' '
	b[s.pre+1] = '.'
	return b
}

// AppendNumeric is to_char(numeric, text). 22003 if RN's number is no integer.
func (f *NumberFormat) AppendNumeric(dst []byte, v *apd.Decimal) ([]byte, error) {
	if f.empty {
		return dst, nil
	}
	s := f.shape
	var x numeric.Dec
	if s.roman {
		if !numeric.IsFinite(v) {
			what := "NaN"
			if !numeric.IsNaN(v) {
				what = "infinity"
			}
			return dst, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert %s to integer", what)
		}
		if err := numeric.Round(&x, v, 0); err != nil {
			return dst, err
		}
		i, ok := numeric.IsInt64(&x)
		if !ok {
			return dst, integerOutOfRange()
		}
		return f.romanInt(dst, i)
	}
	if s.eeee {
		if !numeric.IsFinite(v) {
			return f.layout(dst, s, s.noExponent(), 0, false)
		}
		return f.layout(dst, s, appendScientific(nil, v, s.post), 0, false)
	}
	x.Set(v)
	if s.v {
		if err := numeric.Mul(&x, &x, tenTo(s.multi)); err != nil {
			return dst, err
		}
		s.pre += s.multi
	}
	if err := numeric.Round(&x, &x, s.post); err != nil {
		return dst, err
	}
	room := digitsPool.Get().(*[]byte)
	defer digitsPool.Put(room)
	return f.text(dst, s, numeric.Append((*room)[:0], &x))
}

func tenTo(n int) *numeric.Dec {
	d := apd.New(10, 0)
	d.Coeff.Exp(&d.Coeff, apd.NewBigInt(int64(n)), nil)
	return d
}

// text lays out a printed number with its sign.
func (f *NumberFormat) text(dst []byte, s shape, number []byte) ([]byte, error) {
	neg := number[0] == '-'
	if neg {
		number = number[1:]
	}
	width := bytes.IndexByte(number, '.')
	if width < 0 {
		width = len(number)
	}
	return f.fit(dst, s, number, width, neg)
}

// appendScientific writes d.ddde±xx with a blank in place of a plus. Where
// rounding makes one more digit Postgres leaves it: 99 is 10e+01.
func appendScientific(dst []byte, v *apd.Decimal, digits int) []byte {
	sign := byte(' ')
	if v.Negative {
		sign = '-'
	}
	var x, ten apd.BigInt
	ten.SetInt64(10)
	x.Set(&v.Coeff)
	exp := 0
	if x.Sign() != 0 {
		// Keep digits+1 digits, rounded half away from zero.
		n := int(apd.NumDigits(&x))
		exp = n - 1 + int(v.Exponent)
		if cut := n - digits - 1; cut > 0 {
			var p, half, rest apd.BigInt
			p.Exp(&ten, apd.NewBigInt(int64(cut)), nil)
			x.QuoRem(&x, &p, &rest)
			half.Add(&rest, &rest)
			if half.Cmp(&p) >= 0 {
				x.Add(&x, apd.NewBigInt(1))
			}
		}
	}
	all := x.Append(nil, 10)
	for len(all) < digits+1 {
		all = append(all, '0')
	}
	whole := len(all) - digits
	dst = append(append(dst, sign), all[:whole]...)
	if digits > 0 {
		dst = append(dst, '.')
		dst = append(dst, all[whole:]...)
	}
	dst = append(dst, 'e')
	if exp < 0 {
		dst = append(dst, '-')
		exp = -exp
	} else {
		dst = append(dst, '+')
	}
	return appendPadded(dst, int64(exp), 2)
}

// AppendFloat8 is to_char(double precision, text).
func (f *NumberFormat) AppendFloat8(dst []byte, v float64) ([]byte, error) {
	return f.float(dst, v, 15)
}

// AppendFloat4 is to_char(real, text).
func (f *NumberFormat) AppendFloat4(dst []byte, v float32) ([]byte, error) {
	return f.float(dst, float64(v), 6)
}

// float shows no more digits than the type holds for sure.
func (f *NumberFormat) float(dst []byte, v float64, digits int) ([]byte, error) {
	if f.empty {
		return dst, nil
	}
	s := f.shape
	if s.roman {
		r := math.RoundToEven(v)
		if !(r >= 0 && r <= math.MaxInt32) {
			r = 0 // as any other number that has no numeral
		}
		return f.romanInt(dst, int64(r))
	}
	room := digitsPool.Get().(*[]byte)
	defer digitsPool.Put(room)
	if s.eeee {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return f.layout(dst, s, s.noExponent(), 0, false)
		}
		number := (*room)[:0]
		if !math.Signbit(v) {
			number = append(number, ' ')
		}
		return f.layout(dst, s, strconv.AppendFloat(number, v, 'e', s.post, 64), 0, false)
	}
	if s.v {
		v *= math.Pow(10, float64(s.multi))
		if digits == 6 {
			v = float64(float32(v))
		}
		s.pre += s.multi
	}
	width := len(appendFixed((*room)[:0], math.Abs(v), 0))
	if width >= digits {
		s.post = 0
	} else if width+s.post > digits {
		s.post = digits - width
	}
	return f.text(dst, s, appendFixed((*room)[:0], v, s.post))
}

func appendFixed(dst []byte, v float64, digits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	return strconv.AppendFloat(dst, v, 'f', digits, 64)
}

var romanDigits = [3][10]string{
	{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"},
	{"", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"},
	{"", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"},
}

// appendRoman writes 1 to 3999; others are 15 #.
func appendRoman(dst []byte, v int64) []byte {
	if v < 1 || v > 3999 {
		return hashes(dst, 15)
	}
	for range v / 1000 {
		dst = append(dst, 'M')
	}
	dst = append(dst, romanDigits[2][v/100%10]...)
	dst = append(dst, romanDigits[1][v/10%10]...)
	return append(dst, romanDigits[0][v%10]...)
}
