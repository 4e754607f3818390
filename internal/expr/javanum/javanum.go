package javanum

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Number is a number in decimal digits: 0.Digits times 10 to the Point.
type Number struct {
	Negative bool
	Digits   string // no zeros at either end; empty is zero
	Point    int
	// exact compares what the digits stand for with them: a double is a little less, or more.
	exact int
}

// OfDecimal takes a finite decimal.
func OfDecimal(d *apd.Decimal) Number {
	digits := d.Coeff.String()
	n := Number{Negative: d.Negative, Point: len(digits) + int(d.Exponent)}
	return n.trim(digits)
}

// ofFloat takes a finite double by its shortest digits.
func ofFloat(f float64) Number {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	digits := strings.Replace(mantissa, ".", "", 1)
	n := Number{Negative: math.Signbit(f), Point: e + 1}
	short, _ := new(big.Rat).SetString(mantissa + "e" + exponent)
	n.exact = new(big.Rat).SetFloat64(math.Abs(f)).Cmp(short)
	return n.trim(digits)
}

func (n Number) trim(digits string) Number {
	for digits != "" && digits[0] == '0' {
		digits = digits[1:]
		n.Point--
	}
	n.Digits = strings.TrimRight(digits, "0")
	if n.Digits == "" {
		n.Point = 0
	}
	return n
}

// round keeps so many digits behind the point; ties go to the even digit.
func (n Number) round(places int) Number {
	keep := n.Point + places
	if keep >= len(n.Digits) {
		return n
	}
	if keep < 0 {
		return Number{Negative: n.Negative}
	}
	cut := n.Digits[keep:]
	up := cut[0] > '5' || cut[0] == '5' && (len(cut) > 1 || n.exact > 0)
	if cut == "5" && n.exact == 0 {
		up = keep > 0 && (n.Digits[keep-1]-'0')%2 == 1
	}
	head := []byte("0" + n.Digits[:keep])
	if up {
		i := len(head) - 1
		for ; head[i] == '9'; i-- {
			head[i] = '0'
		}
		head[i]++
	}
	r := Number{Negative: n.Negative, Point: n.Point + 1}
	return r.trim(string(head))
}

// AppendFloat writes a double.
func (p *Pattern) AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(append(append(dst, p.prefix...), "∞"...), p.suffix...)
	case math.IsInf(f, -1):
		return append(append(append(dst, p.negPrefix...), "∞"...), p.negSuffix...)
	case p.percent:
		f *= 100
	}
	return p.append(dst, ofFloat(f))
}

// Append writes a decimal.
func (p *Pattern) Append(dst []byte, n Number) []byte {
	if p.percent && n.Digits != "" {
		n.Point += 2
	}
	return p.append(dst, n)
}

func (p *Pattern) append(dst []byte, n Number) []byte {
	n = n.round(p.maxFrac)
	prefix, suffix := p.prefix, p.suffix
	if n.Negative {
		prefix, suffix = p.negPrefix, p.negSuffix
	}
	dst = append(dst, prefix...)
	digit := func(i int) byte { // the i-th behind the point, from 0; before it below 0
		if i += n.Point; i >= 0 && i < len(n.Digits) {
			return n.Digits[i]
		}
		return '0'
	}
	whole := max(n.Point, p.minInt, 0)
	frac := max(p.minFrac, len(n.Digits)-n.Point)
	if n.Digits == "" {
		frac = p.minFrac
	}
	if whole == 0 && frac == 0 {
		whole = 1
	}
	for i := whole; i > 0; i-- {
		dst = append(dst, digit(-i))
		if p.group > 0 && i > 1 && (i-1)%p.group == 0 {
			dst = append(dst, ',')
		}
	}
	if frac > 0 || p.point {
		dst = append(dst, '.')
	}
	for i := range frac {
		dst = append(dst, digit(i))
	}
	return append(dst, suffix...)
}

// Read reads the number that a text begins with; ok is false where there is none. What
// follows the number is left, unless the pattern has text there.
func (p *Pattern) Read(text string) (number string, ok bool) {
	neg := strings.HasPrefix(text, p.negPrefix)
	pos := strings.HasPrefix(text, p.prefix)
	if pos && neg { // the longer one
		pos, neg = len(p.prefix) >= len(p.negPrefix), len(p.negPrefix) >= len(p.prefix)
	}
	switch {
	case pos:
		text = text[len(p.prefix):]
	case neg:
		text = text[len(p.negPrefix):]
	default:
		return "", false
	}
	var b strings.Builder
	i, digits, point, exponent := 0, false, false, 0
	if p.percent {
		exponent = -2
	}
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
			digits = true
			continue
		case c == '.' && !point:
			b.WriteByte(c)
			point = true
			continue
		case c == ',' && p.group > 0 && !point:
			// It goes with the digits behind it.
			if j := strings.TrimLeft(text[i:], ","); j != "" && j[0] >= '0' && j[0] <= '9' {
				continue
			}
		case c == 'E' && digits:
			j := i + 1
			if j < len(text) && text[j] == '-' {
				j++
			}
			k := j
			for k < len(text) && text[k] >= '0' && text[k] <= '9' {
				k++
			}
			if k > j {
				e, err := strconv.Atoi(text[i+1 : k])
				if err != nil {
					e = math.MaxInt32 // which no number has
				}
				exponent, i = exponent+e, k
			}
		}
		break
	}
	if !digits {
		return "", false
	}
	text = text[i:]
	pos, neg = pos && strings.HasPrefix(text, p.suffix), neg && strings.HasPrefix(text, p.negSuffix)
	if pos && neg {
		pos, neg = len(p.suffix) > len(p.negSuffix), len(p.negSuffix) > len(p.suffix)
	}
	if pos == neg {
		return "", false
	}
	number = b.String()
	if exponent != 0 {
		number += "E" + strconv.Itoa(exponent)
	}
	if neg {
		number = "-" + number
	}
	return number, true
}
