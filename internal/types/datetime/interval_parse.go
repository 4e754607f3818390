package datetime

import (
	"math"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Long because it follows PostgreSQL's DecodeInterval, which is one state machine over fields.

// Span is an interval under construction or taken apart.
type Span struct {
	Months, Days int32
	Micros       int64
}

type unit uint8

const (
	uMicro unit = iota
	uMilli
	uSecond
	uMinute
	uHour
	uDay
	uWeek
	uMonth
	uYear
	uDecade
	uCentury
	uMillennium
)

var unitNames = map[string]unit{
	"microsecond": uMicro, "microseconds": uMicro, "us": uMicro, "usec": uMicro, "usecs": uMicro, "usecond": uMicro, "useconds": uMicro, "microsecon": uMicro,
	"millisecond": uMilli, "milliseconds": uMilli, "ms": uMilli, "msec": uMilli, "msecs": uMilli, "msecond": uMilli, "mseconds": uMilli, "millisecon": uMilli,
	"s": uSecond, "sec": uSecond, "secs": uSecond, "second": uSecond, "seconds": uSecond,
	"m": uMinute, "min": uMinute, "mins": uMinute, "minute": uMinute, "minutes": uMinute,
	"h": uHour, "hr": uHour, "hrs": uHour, "hour": uHour, "hours": uHour,
	"d": uDay, "day": uDay, "days": uDay,
	"w": uWeek, "week": uWeek, "weeks": uWeek,
	"mon": uMonth, "mons": uMonth, "month": uMonth, "months": uMonth,
	"y": uYear, "yr": uYear, "yrs": uYear, "year": uYear, "years": uYear,
	"dec": uDecade, "decs": uDecade, "decade": uDecade, "decades": uDecade,
	"c": uCentury, "cent": uCentury, "century": uCentury, "centuries": uCentury,
	"mil": uMillennium, "mils": uMillennium, "millennium": uMillennium, "millennia": uMillennium, "millenniu": uMillennium,
}

// spanBuilder adds parts up in wide integers and checks ranges at the end.
type spanBuilder struct {
	fields       IntervalFields
	months, days int64
	micros       int64
	over         bool
}

func (b *spanBuilder) add64(to *int64, v int64) {
	s := *to + v
	if (s > *to) != (v > 0) && v != 0 {
		b.over = true
	}
	*to = s
}

// add adds whole + frac of a unit, frac carrying whole's sign.
func (b *spanBuilder) add(whole int64, frac float64, u unit) {
	mul := func(to *int64, k int64) {
		if whole != 0 && (whole*k/k != whole) {
			b.over = true
			return
		}
		b.add64(to, whole*k)
	}
	switch u {
	case uMicro:
		mul(&b.micros, 1)
		b.addSeconds(frac / 1e6)
	case uMilli:
		mul(&b.micros, 1000)
		b.addSeconds(frac / 1e3)
	case uSecond:
		mul(&b.micros, MicrosPerSecond)
		b.addSeconds(frac)
	case uMinute:
		mul(&b.micros, MicrosPerMinute)
		b.addSeconds(frac * 60)
	case uHour:
		mul(&b.micros, MicrosPerHour)
		b.addSeconds(frac * 3600)
	case uDay:
		mul(&b.days, 1)
		b.addSeconds(frac * 86400)
	case uWeek:
		mul(&b.days, 7)
		b.addDays(frac * 7)
	case uMonth:
		mul(&b.months, 1)
		b.addDays(frac * 30)
	case uYear, uDecade, uCentury, uMillennium:
		k := map[unit]int64{uYear: 12, uDecade: 120, uCentury: 1200, uMillennium: 12000}[u]
		mul(&b.months, k)
		b.add64(&b.months, int64(math.RoundToEven(frac*float64(k))))
	}
}

func (b *spanBuilder) addDays(f float64) {
	whole := math.Trunc(f)
	b.add64(&b.days, int64(whole))
	b.addSeconds((f - whole) * 86400)
}

func (b *spanBuilder) addSeconds(f float64) {
	if f != 0 {
		b.add64(&b.micros, int64(math.RoundToEven(f*1e6)))
	}
}

func (b *spanBuilder) span() (Span, bool) {
	if b.over || b.months != int64(int32(b.months)) || b.days != int64(int32(b.days)) {
		return Span{}, false
	}
	return Span{int32(b.months), int32(b.days), b.micros}, true
}

// ParseInterval reads an interval in Postgres's, the SQL standard's or ISO
// 8601's form: 22007 for what is none, 22015 beyond the range. Numbers without a unit
// mean the last of fields, seconds where those are all.
func ParseInterval(s string, fields IntervalFields) (Span, error) {
	b := &spanBuilder{fields: fields}
	t := strings.ToLower(strings.Trim(s, " \t\n\r\f\v"))
	var ok bool
	if strings.HasPrefix(t, "p") {
		ok = b.iso(t[1:])
	} else {
		ok = b.words(t)
	}
	if !ok {
		return Span{}, sqlerr.New(sqlerr.InvalidDatetimeFormat, `invalid input syntax for type interval: "%s"`, s)
	}
	sp, ok := b.span()
	if !ok {
		return Span{}, sqlerr.New(sqlerr.IntervalFieldOverflow, `interval field value out of range: "%s"`, s)
	}
	return sp, nil
}

// splitNumber reads [sign]digits[.digits] into its parts, frac with the sign.
func splitNumber(s string) (whole int64, frac float64, ok bool) {
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 || body == "" || body == "." {
		return 0, 0, false
	}
	neg := s[0] == '-'
	i, f, _ := strings.Cut(body, ".")
	if strings.Trim(i, "0123456789") != "" || strings.Trim(f, "0123456789") != "" {
		return 0, 0, false
	}
	if i != "" {
		v, err := strconv.ParseInt(i, 10, 64)
		if err != nil {
			v = math.MaxInt64
		}
		whole = v
	}
	if f != "" {
		frac, _ = strconv.ParseFloat("0."+f, 64)
	}
	if neg {
		whole, frac = -whole, -frac
	}
	return whole, frac, true
}

// intervalTokens splits at blanks, at signs that start a part and between a
// number and the letters after it.
//
// Other marks part words and mean nothing, as in Postgres: {1,} is a second.
func intervalTokens(s string) []string {
	var out []string
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*,;<=>?[\\]^_`{|}~", r) {
			return ' '
		}
		return r
	}, s)
	for _, w := range strings.Fields(s) {
		start := 0
		for i := 1; i < len(w); i++ {
			digit := isDigit(w[i]) || w[i] == '.'
			prevDigit := isDigit(w[i-1]) || w[i-1] == '.'
			letter := isAlpha(w[i])
			prevLetter := isAlpha(w[i-1])
			sign := w[i] == '-' || w[i] == '+'
			if letter && prevDigit || digit && prevLetter || sign && prevLetter {
				out = append(out, w[start:i])
				start = i
			}
		}
		out = append(out, w[start:])
	}
	return out
}

func (b *spanBuilder) words(s string) bool {
	toks := intervalTokens(s)
	ago := false
	seen := 0
	mark := func(bits int) bool {
		if seen&bits != 0 {
			return false
		}
		seen |= bits
		return true
	}
	const timeBits = 1<<uSecond | 1<<uMinute | 1<<uHour
	if len(toks) > 0 && toks[0] == "@" {
		toks = toks[1:]
	} else if len(toks) > 0 && strings.HasPrefix(toks[0], "@") {
		toks[0] = toks[0][1:]
	}
	if n := len(toks); n > 0 && toks[n-1] == "ago" {
		ago = true
		toks = toks[:n-1]
	}
	if len(toks) == 0 {
		return false
	}
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case strings.Contains(t, ":"):
			us, ok := clock(t, b.fields)
			if !ok || !mark(timeBits) {
				return false
			}
			b.add64(&b.micros, us)
		case strings.LastIndexAny(t, "-") > 0:
			if !mark(1<<uYear|1<<uMonth) || !b.yearMonth(t) {
				return false
			}
		default:
			whole, frac, ok := splitNumber(t)
			if !ok {
				return false
			}
			u := b.fields.last()
			if i+1 < len(toks) {
				if strings.Contains(toks[i+1], ":") {
					u = uDay
				} else if named, ok := unitNames[toks[i+1]]; ok {
					u = named
					i++
				} else {
					return false
				}
			}
			if !mark(1 << u) {
				return false
			}
			b.add(whole, frac, u)
		}
	}
	if ago {
		if b.micros == math.MinInt64 {
			b.over = true
		}
		b.months, b.days, b.micros = -b.months, -b.days, -b.micros
	}
	return true
}

// yearMonth reads [sign]years-months.
func (b *spanBuilder) yearMonth(t string) bool {
	neg := t[0] == '-'
	t = strings.TrimLeft(t, "+-")
	ys, ms, _ := strings.Cut(t, "-")
	y, _, ok1 := splitNumber(ys)
	m, _, ok2 := splitNumber(ms)
	if !ok1 || !ok2 || strings.Contains(t, ".") {
		return false
	}
	if m >= 12 {
		b.over = true
	}
	if neg {
		y, m = -y, -m
	}
	b.add(y, 0, uYear)
	b.add(m, 0, uMonth)
	return true
}

// clock reads [sign]h:m[:s[.f]], or m:s.f. h:m is m:s where no other fields are meant.
func clock(t string, fields IntervalFields) (int64, bool) {
	neg := t[0] == '-'
	if neg || t[0] == '+' {
		t = t[1:]
	}
	us := 0
	if dot := strings.IndexByte(t, '.'); dot >= 0 {
		f, ok := fraction(t[dot:])
		if !ok {
			return 0, false
		}
		us = f
		t = t[:dot]
		if strings.Count(t, ":") == 1 {
			t = "0:" + t
		}
	} else if fields == MinuteField|SecondField && strings.Count(t, ":") == 1 {
		t = "0:" + t
	}
	parts := strings.Split(t, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	var v [3]int64
	for i, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return 0, false
		}
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			n = math.MaxInt64
		}
		v[i] = n
	}
	if v[1] > 59 || v[2] > 60 || v[0] > math.MaxInt64/MicrosPerHour {
		return 0, false
	}
	total := v[0]*MicrosPerHour + v[1]*MicrosPerMinute + v[2]*MicrosPerSecond + int64(us)
	if total < 0 {
		return 0, false // beyond 64 bits
	}
	if neg {
		total = -total
	}
	return total, true
}

// iso reads what follows P: 1Y2M3W4DT5H6M7.8S or 0001-02-03T04:05:06.
func (b *spanBuilder) iso(s string) bool {
	if s == "" || s == "t" {
		return false
	}
	inTime := false
	if strings.Contains(s, ":") || strings.Count(strings.TrimLeft(s, "-+"), "-") == 2 {
		return b.isoAlternative(s)
	}
	for s != "" {
		if s[0] == 't' {
			if inTime {
				return false
			}
			inTime = true
			s = s[1:]
			continue
		}
		n := 0
		for n < len(s) && (isDigit(s[n]) || s[n] == '.' || s[n] == '-' || s[n] == '+') {
			n++
		}
		if n == len(s) {
			return false
		}
		whole, frac, ok := splitNumber(s[:n])
		if !ok {
			return false
		}
		var u unit
		switch c := s[n]; {
		case !inTime && c == 'y':
			u = uYear
		case !inTime && c == 'm':
			u = uMonth
		case !inTime && c == 'w':
			u = uWeek
		case !inTime && c == 'd':
			u = uDay
		case inTime && c == 'h':
			u = uHour
		case inTime && c == 'm':
			u = uMinute
		case inTime && c == 's':
			u = uSecond
		default:
			return false
		}
		b.add(whole, frac, u)
		s = s[n+1:]
	}
	return true
}

func (b *spanBuilder) isoAlternative(s string) bool {
	date, tod, hasTime := strings.Cut(s, "t")
	if date != "" {
		parts := strings.Split(date, "-")
		units := []unit{uYear, uMonth, uDay}
		if len(parts) > 3 {
			return false
		}
		for i, p := range parts {
			whole, frac, ok := splitNumber(p)
			if !ok {
				return false
			}
			b.add(whole, frac, units[i])
		}
	}
	if hasTime {
		us, ok := clock(tod, AllFields)
		if !ok {
			return false
		}
		b.add64(&b.micros, us)
	}
	return true
}
