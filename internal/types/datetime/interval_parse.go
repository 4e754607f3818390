package datetime

import (
	"bytes"
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Long because it follows PostgreSQL's DecodeInterval, which is one state machine over fields.

// Span is an interval under construction or taken apart.
type Span struct {
	Months, Days int32
	Micros       int64
}

// ParseInterval reads an interval in style postgres.
func ParseInterval(s string, fields IntervalFields) (Span, error) {
	v, _, err := SpanPostgres.Parse(s, fields)
	return v, err
}

// Parse reads an interval in Postgres's, the SQL standard's or ISO
// 8601's form: 22007 for what is none, 22015 beyond the range. Numbers without a unit
// mean the last of fields, seconds where those are all. In SpanSQL a minus before the first
// field is one of all fields, where no other has a sign; used says that the text is such a one.
func (style SpanStyle) Parse(s string, fields IntervalFields) (v Span, used bool, err error) {
	var text fieldText
	var b spanBuilder
	p := text.split(s, maxIntervalText)
	if p == good {
		used = text.n > 1 && text.leadingMinus()
		b.negative = used && style == SpanSQL
		p = b.words(&text, fields)
	}
	if p == badFormat {
		b = spanBuilder{}
		p = b.iso(s)
	}
	switch p {
	case good:
	case fieldOverflow:
		return v, used, sqlerr.New(sqlerr.IntervalFieldOverflow, `interval field value out of range: "%s"`, s)
	default:
		return v, used, p.err("interval", s)
	}
	months := int64(b.years)*12 + int64(b.months)
	if months != int64(int32(months)) {
		return v, used, IntervalOutOfRange()
	}
	return Span{Months: int32(months), Days: b.days, Micros: b.micros}, used, nil
}

// leadingMinus says that the first field has a minus, and that no other field has a sign.
func (t *fieldText) leadingMinus() bool {
	for i := range t.n {
		if c := t.at(i)[0]; i == 0 && c != '-' || i > 0 && (c == '-' || c == '+') {
			return false
		}
	}
	return t.n > 0
}

// spanBuilder adds parts up. Its adders say whether the sum is in range.
type spanBuilder struct {
	years, months, days int32
	micros              int64
	negative            bool // all fields are
}

// addScaled adds v*scale to an int32.
func addScaled(to *int32, v, scale int64) bool {
	if v != int64(int32(v)) || v*scale != int64(int32(v*scale)) {
		return false
	}
	sum := int64(*to) + v*scale
	*to = int32(sum)
	return sum == int64(int32(sum))
}

// addMicros adds v*scale and a fraction of scale, which is rounded to µs.
func (b *spanBuilder) addMicros(v int64, frac float64, scale int64) bool {
	if v > math.MaxInt64/scale || v < math.MinInt64/scale {
		return false
	}
	return addTo(&b.micros, v*scale) && b.addPart(frac, scale)
}

func addTo(to *int64, v int64) bool {
	s := *to + v
	if (s > *to) != (v > 0) && v != 0 {
		return false
	}
	*to = s
	return true
}

// addPart adds a fraction of scale µs.
func (b *spanBuilder) addPart(frac float64, scale int64) bool {
	frac *= float64(scale)
	us := int64(frac)
	switch rest := frac - float64(us); {
	case rest > 0.5:
		us++
	case rest < -0.5:
		us--
	}
	return addTo(&b.micros, us)
}

// addDays adds a fraction of scale days; what is left of a day is time.
func (b *spanBuilder) addDays(frac float64, scale int64) bool {
	frac *= float64(scale)
	whole := int64(frac)
	return addScaled(&b.days, whole, 1) && b.addPart(frac-float64(whole), MicrosPerDay)
}

// addYears adds years of scale; a fraction of them is rounded to months.
func (b *spanBuilder) addYears(v int64, frac float64, scale int64) bool {
	return addScaled(&b.years, v, scale) && addScaled(&b.months, int64(math.RoundToEven(frac*float64(scale)*12)), 1)
}

// add adds v and frac, which has v's sign, of a unit, and says what that fills.
func (b *spanBuilder) add(v int64, frac float64, u unit) (bits int, p problem) {
	ok := false
	switch u {
	case uMicro:
		ok, bits = b.addMicros(v, frac, 1), spanMicro
	case uMilli:
		ok, bits = b.addMicros(v, frac, 1000), spanMilli
	case uSecond:
		ok, bits = b.addMicros(v, frac, MicrosPerSecond), spanSecond
		if frac != 0 {
			bits = spanSecond | spanMilli | spanMicro
		}
	case uMinute:
		ok, bits = b.addMicros(v, frac, MicrosPerMinute), spanMinute
	case uHour:
		ok, bits = b.addMicros(v, frac, MicrosPerHour), spanHour
	case uDay:
		ok, bits = addScaled(&b.days, v, 1) && b.addPart(frac, MicrosPerDay), spanDay
	case uWeek:
		ok, bits = addScaled(&b.days, v, 7) && b.addDays(frac, 7), spanWeek
	case uMonth:
		ok, bits = addScaled(&b.months, v, 1) && b.addDays(frac, daysPerMonth), spanMonth
	case uYear:
		ok, bits = b.addYears(v, frac, 1), spanYear
	case uDecade:
		ok, bits = b.addYears(v, frac, 10), spanDecade
	case uCentury:
		ok, bits = b.addYears(v, frac, 100), spanCentury
	case uMillennium:
		ok, bits = b.addYears(v, frac, 1000), spanMillennium
	default:
		return 0, badFormat
	}
	if !ok {
		return 0, fieldOverflow
	}
	return bits, good
}

// What an interval's fields have filled; none is filled twice.
const (
	spanMicro = 1 << iota
	spanMilli
	spanSecond
	spanMinute
	spanHour
	spanDay
	spanWeek
	spanMonth
	spanYear
	spanDecade
	spanCentury
	spanMillennium

	spanClock = spanHour | spanMinute | spanSecond | spanMilli | spanMicro
)

// words reads fields from the last to the first, so that a unit comes before its number. A
// number without a unit of its own has the one after it, days before a time or hours, and
// as the last what fields says.
func (b *spanBuilder) words(t *fieldText, fields IntervalFields) problem {
	u, named := uNone, false // named says that some field after this one told the unit
	filled, ago := 0, false
	for i := t.n - 1; i >= 0; i-- {
		kind, s := t.fields[i].kind, t.at(i)
		bits, p := 0, good
		switch kind {
		case fieldTime:
			if p = b.clock(s, fields); p != good {
				return p
			}
			if b.negative {
				b.micros = -b.micros
			}
			bits, u, named = spanClock, uDay, true
		case fieldWord, fieldSpecial:
			w := findUnit(s)
			switch w.kind {
			case wordUnit:
				u, named = unit(w.val), true
			case wordAgo:
				ago, u, named = true, uNone, true
			default:
				return badFormat
			}
		default:
			if kind == fieldZone && bytes.IndexByte(s, ':') > 0 && b.clock(s[1:], fields) == good {
				if s[0] == '-' {
					b.micros = -b.micros // a time is not negative, so this is in range
				}
				bits, u, named = spanClock, uDay, true
				break
			}
			if !named {
				u, named = fields.last(), true
			}
			if bits, u, p = b.number(s, u); p != good {
				return p
			}
		}
		if filled&bits != 0 {
			return badFormat
		}
		filled |= bits
	}
	if filled == 0 {
		return badFormat
	}
	if ago {
		if b.micros == math.MinInt64 || b.days == math.MinInt32 || b.months == math.MinInt32 || b.years == math.MinInt32 {
			return fieldOverflow
		}
		b.micros, b.days, b.months, b.years = -b.micros, -b.days, -b.months, -b.years
	}
	return good
}

// clock sets the time.
func (b *spanBuilder) clock(s []byte, fields IntervalFields) problem {
	c, p := readClock(s, fields)
	if p != good {
		return p
	}
	if c.hour > math.MaxInt64/MicrosPerHour {
		return fieldOverflow
	}
	us := int64(c.frac)
	if !addTo(&us, c.hour*MicrosPerHour) || !addTo(&us, int64(c.minute)*MicrosPerMinute) || !addTo(&us, int64(c.sec)*MicrosPerSecond) {
		return fieldOverflow
	}
	b.micros = us
	return good
}

// number reads a number of a unit, or years-months, and gives the unit for one before it.
func (b *spanBuilder) number(s []byte, u unit) (bits int, before unit, p problem) {
	v, rest, over := scanInt(s)
	if over {
		return 0, u, fieldOverflow
	}
	frac := 0.0
	switch {
	case len(rest) == 0:
	case rest[0] == '-':
		months, end, over := scanInt32(rest[1:])
		if over || months < 0 || months >= 12 {
			return 0, u, fieldOverflow
		}
		if len(end) > 0 {
			return 0, u, badFormat
		}
		if s[0] == '-' {
			months = -months
		}
		if v > math.MaxInt64/12 || v < math.MinInt64/12 {
			return 0, u, fieldOverflow
		}
		v *= 12
		if !addTo(&v, int64(months)) {
			return 0, u, fieldOverflow
		}
		u = uMonth
	case rest[0] == '.':
		if frac, p = scanFraction(rest); p != good {
			return 0, u, p
		}
		if s[0] == '-' {
			frac = -frac
		}
	default:
		return 0, u, badFormat
	}
	if b.negative && (v > 0 || frac > 0) {
		v, frac = -v, -frac
	}
	bits, p = b.add(v, frac, u)
	if u == uHour {
		u = uDay
	}
	return bits, u, p
}
