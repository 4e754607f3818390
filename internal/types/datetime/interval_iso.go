package datetime

import "math"

// isoReader reads ISO 8601's forms of an interval, as PostgreSQL's DecodeISO8601Interval
// does: P1Y2M3W4DT5H6M7.8S, P0001-02-03T04:05:06, P00010203T040506.
type isoReader struct {
	b *spanBuilder
	s []byte
}

// number reads a number, in e notation too, of at most 10¹⁵; width is that of its first digits.
func (r *isoReader) number() (v int64, frac float64, width int, p problem) {
	if len(r.s) == 0 || !isDigit(r.s[0]) && r.s[0] != '-' && r.s[0] != '.' {
		return 0, 0, 0, badFormat
	}
	digits := r.s
	if digits[0] == '-' {
		digits = digits[1:]
	}
	for width < len(digits) && isDigit(digits[width]) {
		width++
	}
	f, n, bad := scanFloat(r.s)
	if n == 0 || bad {
		return 0, 0, 0, badFormat
	}
	if !(math.Abs(f) <= 1e15) {
		return 0, 0, 0, fieldOverflow
	}
	r.s = r.s[n:]
	v = int64(f)
	return v, f - float64(v), width, good
}

// next takes a byte, 0 at the end.
func (r *isoReader) next() byte {
	if len(r.s) == 0 {
		return 0
	}
	c := r.s[0]
	r.s = r.s[1:]
	return c
}

// then reads another number of the form with marks and adds it.
func (r *isoReader) then(u unit) problem {
	v, frac, _, p := r.number()
	if p != good {
		return p
	}
	_, p = r.b.add(v, frac, u)
	return p
}

func (b *spanBuilder) iso(text string) problem {
	if len(text) < 2 || text[0] != 'P' {
		return badFormat
	}
	r := &isoReader{b, []byte(text[1:])}
	inTime, some := false, false
	for len(r.s) > 0 {
		if r.s[0] == 'T' {
			inTime, some = true, false
			r.s = r.s[1:]
			continue
		}
		v, frac, width, p := r.number()
		if p != good {
			return p
		}
		mark := r.next()
		u := uNone
		switch {
		case inTime:
			u = isoTimeUnits[mark]
		default:
			u = isoDateUnits[mark]
		}
		if u != uNone {
			if _, p := b.add(v, frac, u); p != good {
				return p
			}
			some = true
			continue
		}
		if inTime {
			return r.clock(v, frac, width, mark, some)
		}
		if p := r.date(v, frac, width, mark, some); p != good {
			return p
		}
		// A time follows, or the text has ended.
		inTime, some = true, false
	}
	return good
}

var (
	isoDateUnits = map[byte]unit{'Y': uYear, 'M': uMonth, 'W': uWeek, 'D': uDay}
	isoTimeUnits = map[byte]unit{'H': uHour, 'M': uMinute, 'S': uSecond}
)

// date reads yyyymmdd or yyyy[-mm[-dd]] from its first number on, to the end or past a T.
func (r *isoReader) date(v int64, frac float64, width int, mark byte, some bool) problem {
	b := r.b
	if mark != 0 && mark != 'T' && mark != '-' {
		return badFormat
	}
	if mark != '-' && width == 8 && !some {
		if !addScaled(&b.years, v/10000, 1) || !addScaled(&b.months, v/100%100, 1) ||
			!addScaled(&b.days, v%100, 1) || !b.addPart(frac, MicrosPerDay) {
			return fieldOverflow
		}
		return good
	}
	if some {
		return badFormat
	}
	if _, p := b.add(v, frac, uYear); p != good || mark != '-' {
		return p
	}
	for i, u := range []unit{uMonth, uDay} {
		if p := r.then(u); p != good {
			return p
		}
		if len(r.s) == 0 {
			return good
		}
		switch mark := r.next(); {
		case mark == 'T':
			return good
		case mark != '-' || i == 1:
			return badFormat
		}
	}
	return good
}

// clock reads hhmmss or hh[:mm[:ss]] from its first number on to the end.
func (r *isoReader) clock(v int64, frac float64, width int, mark byte, some bool) problem {
	b := r.b
	if mark != 0 && mark != ':' {
		return badFormat
	}
	if mark == 0 && width == 6 && !some {
		if !b.addMicros(v/10000, 0, MicrosPerHour) || !b.addMicros(v/100%100, 0, MicrosPerMinute) ||
			!b.addMicros(v%100, 0, MicrosPerSecond) || !b.addPart(frac, 1) {
			return fieldOverflow
		}
		return good
	}
	if some {
		return badFormat
	}
	if _, p := b.add(v, frac, uHour); p != good || mark == 0 {
		return p
	}
	for i, u := range []unit{uMinute, uSecond} {
		if p := r.then(u); p != good {
			return p
		}
		if len(r.s) == 0 {
			return good
		}
		if i == 1 || r.next() != ':' {
			return badFormat
		}
	}
	return good
}
