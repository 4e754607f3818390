package javanum

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Pattern is a pattern that was read. Its fields are as Java's DecimalFormat has them.
type Pattern struct {
	prefix, suffix       string // of numbers that are not negative
	negPrefix, negSuffix string
	minInt               int // digits before the point, at least
	minFrac, maxFrac     int // digits behind it
	group                int // digits in a group, 0 is none
	percent              bool
	point                bool // the point is there without digits behind it
}

// maxPattern bounds a pattern, and by it the digits that one asks for.
const maxPattern = 1000

// Parse reads a pattern: 22023 where Java refuses it, 0A000 for what is not supported.
func Parse(pattern string) (*Pattern, error) {
	if len(pattern) > maxPattern {
		return nil, bad(pattern)
	}
	p := &Pattern{}
	r := reader{all: pattern, rest: pattern}
	number, err := r.part(p, &p.prefix, &p.suffix)
	if err != nil {
		return nil, err
	}
	p.negPrefix, p.negSuffix = "-"+p.prefix, p.suffix
	if r.rest != "" {
		r.rest = r.rest[1:] // the semicolon
		var other Pattern   // of whose numbers Java takes nothing
		if r.rest == "" {
			return p, p.digits(number, pattern)
		}
		if _, err := r.part(&other, &p.negPrefix, &p.negSuffix); err != nil {
			return nil, err
		}
		if r.rest != "" {
			return nil, bad(pattern)
		}
		if p.negPrefix == p.prefix && p.negSuffix == p.suffix {
			p.negPrefix = "-" + p.prefix
		}
	}
	return p, p.digits(number, pattern)
}

func bad(pattern string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "malformed number pattern %q", pattern)
}

type reader struct{ all, rest string }

// part reads prefix, number and suffix up to the end or a semicolon, and gives the number.
func (r *reader) part(p *Pattern, prefix, suffix *string) (number string, err error) {
	if *prefix, err = r.affix(p, true); err != nil {
		return "", err
	}
	n := 0
	for n < len(r.rest) && strings.IndexByte("#0,.", r.rest[n]) >= 0 {
		n++
	}
	number, r.rest = r.rest[:n], r.rest[n:]
	if n == 0 {
		return "", bad(r.all)
	}
	*suffix, err = r.affix(p, false)
	return number, err
}

// affix reads literal text; a quote makes the characters up to the next one literal.
func (r *reader) affix(p *Pattern, before bool) (string, error) {
	var b strings.Builder
	for r.rest != "" {
		c := r.rest[0]
		switch {
		case c == '\'':
			end := strings.IndexByte(r.rest[1:], '\'')
			switch {
			case end < 0:
				return "", bad(r.all)
			case end == 0:
				b.WriteByte('\'')
			default:
				b.WriteString(r.rest[1 : 1+end])
			}
			r.rest = r.rest[end+2:]
			if end > 0 && strings.HasPrefix(r.rest, "'") {
				return "", unsupported(r.all) // a quote within quotes
			}
			continue
		case c == ';':
			if before {
				return "", bad(r.all)
			}
			return b.String(), nil
		case strings.IndexByte("#0,.", c) >= 0:
			if before {
				return b.String(), nil
			}
			return "", bad(r.all)
		case c == 'E' && !before && b.Len() == 0, strings.HasPrefix(r.rest, "¤"), strings.HasPrefix(r.rest, "‰"):
			return "", unsupported(r.all)
		case c == '%':
			if p.percent {
				return "", bad(r.all)
			}
			p.percent = true
		}
		b.WriteByte(c)
		r.rest = r.rest[1:]
	}
	return b.String(), nil
}

func unsupported(pattern string) error {
	return sqlerr.Unsupported("the number pattern \""+pattern+"\" is not supported", "Exponents, currencies, per mille and quotes within quotes are not: write the digits, as #,##0.00, or PostgreSQL's pg_catalog.to_char.")
}

// digits reads the number of a pattern: #s, then 0s, the point, 0s, then #s.
func (p *Pattern) digits(number, pattern string) error {
	left, zeros, right, group, point := 0, 0, 0, -1, -1
	for _, c := range number {
		switch c {
		case '#':
			if zeros > 0 {
				right++
			} else {
				left++
			}
			if group >= 0 && point < 0 {
				group++
			}
		case '0':
			if right > 0 {
				return bad(pattern)
			}
			zeros++
			if group >= 0 && point < 0 {
				group++
			}
		case ',':
			if point >= 0 {
				return bad(pattern)
			}
			group = 0
		case '.':
			if point >= 0 {
				return bad(pattern)
			}
			point = left + zeros + right
		}
	}
	if zeros == 0 && left > 0 && point >= 0 {
		n := max(point, 1) // ###.### is ##0.###, and .### is .0##
		right, left, zeros = left-n, n-1, 1
	}
	if point < 0 && right > 0 || point >= 0 && (point < left || point > left+zeros) || group == 0 {
		return bad(pattern)
	}
	total := left + zeros + right
	whole := point
	if point < 0 {
		whole = total
	}
	p.minInt = whole - left
	if point >= 0 {
		p.maxFrac, p.minFrac = total-point, left+zeros-point
	}
	p.group, p.point = max(group, 0), point == 0 || point == total
	return nil
}
