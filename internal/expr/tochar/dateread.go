package tochar

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// readFields are what a template found in a text; 0 is not given.
type readFields struct {
	calendar               calendar
	hh, mi, ss, ssss       int
	pm                     int
	d, dd, ddd, mm, ww, w  int
	year, yearDigits       int
	cc, bc, j              int
	ms, us, fractionDigits int
	clock12                bool
	zoneSign, tzh, tzm     int
}

func badFormat(format string, args ...any) *sqlerr.Error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = strings.ToValidUTF8(s, "")
		}
	}
	return sqlerr.New(sqlerr.InvalidDatetimeFormat, format, args...)
}

// reader takes fields off a text.
type reader struct {
	f    *DateFormat
	s    string
	pos  int
	out  readFields
	skip int  // characters skipped beyond what the template has
	fx   bool // FX was seen: nothing is skipped that the template has not
	std  bool // every character must be the template's
	left bool // the text ended before the template
}

func (r *reader) rest() string { return r.s[r.pos:] }

func (r *reader) at() byte {
	if r.pos < len(r.s) {
		return r.s[r.pos]
	}
	return 0
}

func (r *reader) advance() {
	if r.pos < len(r.s) {
		_, n := utf8.DecodeRuneInString(r.rest())
		r.pos += n
	}
}

func (r *reader) spaces() {
	for isSpace(r.at()) {
		r.pos++
		r.skip++
	}
}

func (r *reader) read() error {
	for i := range r.f.nodes {
		if r.pos >= len(r.s) {
			r.left = true
			return nil
		}
		n := &r.f.nodes[i]
		isFX := n.kind == nodeField && n.key.field == fFX
		if !r.fx && !isFX && (n.kind == nodeField || i == 0) {
			r.spaces()
		}
		if n.kind != nodeField {
			if r.std {
				if err := r.match(n); err != nil {
					return err
				}
				continue
			}
			r.literal(n)
			continue
		}
		if err := r.useCalendar(n.key.calendar); err != nil {
			return err
		}
		if err := r.field(n, i); err != nil {
			return err
		}
		if !r.fx {
			r.skip = 0
			r.spaces()
		}
	}
	return nil
}

// literal passes over what a character of the template stands for. It need not
// be the same character.
func (r *reader) literal(n *dateNode) {
	switch {
	case r.fx:
		r.advance()
	case n.kind != nodeChar:
		// One blank or separator, or nothing.
		r.skip--
		if c := r.at(); isSpace(c) || isSeparator(c) {
			r.pos++
			r.skip++
		}
	case r.skip > 0:
		r.skip--
	default:
		r.advance()
	}
}

func (r *reader) useCalendar(c calendar) error {
	if c == anyCalendar || r.out.calendar == c {
		return nil
	}
	if r.out.calendar != anyCalendar {
		return badFormat("invalid combination of date conventions").
			WithHint("Do not mix Gregorian and ISO week date conventions in a formatting template.")
	}
	r.out.calendar = c
	return nil
}

func (r *reader) field(n *dateNode, i int) error {
	o := &r.out
	var err error
	width := len(n.key.name)
	switch n.key.field {
	case fFX:
		r.fx = true
		return nil
	case fAM, fAMDots:
		o.clock12 = true
		return r.half(n, &o.pm, "am", "pm")
	case fAD, fADDots:
		return r.half(n, &o.bc, "ad", "bc")
	case fMonth, fMon:
		return r.name(n, monthNames[:], n.key.field == fMon, func(v int) error { return set(n, &o.mm, v+1) })
	case fRM:
		return r.name(n, romanMonths[:], false, func(v int) error { return set(n, &o.mm, 12-v) })
	case fDay, fDy:
		// Set to the number from 0, then counted from 1: a repeated field is a
		// conflict.
		return r.name(n, dayNames[:], n.key.field == fDy, func(v int) error {
			err := set(n, &o.d, v)
			o.d++
			return err
		})
	case fTZ, fOF:
		return sqlerr.New(sqlerr.FeatureNotSupported, `formatting field "%s" is only supported in to_char`, n.key.name)
	case fTZH:
		o.zoneSign = 1
		switch c := r.at(); {
		case c == '+' || c == '-' || c == ' ':
			if c == '-' {
				o.zoneSign = -1
			}
			r.pos++
		case r.skip > 0 && r.pos > 0 && r.s[r.pos-1] == '-':
			// The sign was passed over as a separator.
			o.zoneSign = -1
		}
		_, err = r.number(n, i, &o.tzh, 2)
		return err
	case fTZM:
		if o.zoneSign == 0 {
			o.zoneSign = 1
		}
		_, err = r.number(n, i, &o.tzm, 2)
		return err
	case fHH12:
		o.clock12 = true
		_, err = r.number(n, i, &o.hh, 2)
	case fHH24:
		_, err = r.number(n, i, &o.hh, 2)
	case fMI:
		_, err = r.number(n, i, &o.mi, width)
	case fSS:
		_, err = r.number(n, i, &o.ss, width)
	case fSSSS:
		_, err = r.number(n, i, &o.ssss, width)
	case fMS:
		err = r.fraction(n, i, &o.ms, 3)
	case fUS:
		err = r.fraction(n, i, &o.us, 6)
	case fFraction:
		o.fractionDigits = n.key.digits
		err = r.fractionOf(n, i, &o.us, n.key.digits, 6)
	case fMM:
		_, err = r.number(n, i, &o.mm, width)
	case fDDD, fIDDD:
		_, err = r.number(n, i, &o.ddd, 3)
	case fDD:
		_, err = r.number(n, i, &o.dd, width)
	case fD:
		_, err = r.number(n, i, &o.d, width)
	case fID:
		// Counted from Monday; kept counted from Sunday.
		if _, err = r.number(n, i, &o.d, 1); err == nil {
			if o.d++; o.d > 7 {
				o.d = 1
			}
		}
	case fWW, fIW:
		_, err = r.number(n, i, &o.ww, width)
	case fW:
		_, err = r.number(n, i, &o.w, width)
	case fQ:
		// A quarter does not tell a date: it is read and not used.
		_, err = r.number(n, i, nil, width)
	case fCC:
		_, err = r.number(n, i, &o.cc, width)
	case fJ:
		_, err = r.number(n, i, &o.j, width)
	case fCommaYear:
		err = r.commaYear(n)
	case fYear, fIYear:
		var used int
		if used, err = r.number(n, i, &o.year, width); err == nil {
			if n.key.digits < 4 && used < 4 {
				o.year = nearYear(o.year)
			}
			o.yearDigits = n.key.digits
		}
	}
	if err == nil && n.th != noOrdinal {
		r.advance()
		r.advance()
	}
	return err
}

// nearYear completes a year of less than four digits to the one nearest 2020.
func nearYear(y int) int {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	case y < 520:
		return y + 2000
	case y < 1000:
		return y + 1000
	}
	return y
}

// set gives a field its value; it may be given twice if it is the same.
func set(n *dateNode, dest *int, v int) error {
	if dest == nil {
		return nil
	}
	if *dest != 0 && *dest != v {
		return badFormat(`conflicting values for "%s" field in formatting string`, n.key.name).
			WithDetail("This value contradicts a previous setting for the same field type.")
	}
	*dest = v
	return nil
}

func (r *reader) half(n *dateNode, dest *int, a, b string) error {
	names := []string{a, b}
	if n.key.field == fAMDots || n.key.field == fADDots {
		for i, s := range names {
			names[i] = s[:1] + "." + s[1:] + "."
		}
	}
	return r.name(n, names, false, func(v int) error { return set(n, dest, v) })
}

// name reads one of names, or its first three letters, in any case.
func (r *reader) name(n *dateNode, names []string, short bool, found func(int) error) error {
	rest := r.rest()
	for i, name := range names {
		if short {
			name = name[:3]
		}
		if len(rest) >= len(name) && lowerASCII(rest[:len(name)]) == lowerASCII(name) {
			r.pos += len(name)
			return found(i)
		}
	}
	for i := range len(rest) {
		if isSpace(rest[i]) {
			rest = rest[:i]
			break
		}
	}
	return badFormat(`invalid value "%s" for "%s"`, rest, n.key.name).
		WithDetail("The given value did not match any of the allowed values for this field.")
}
