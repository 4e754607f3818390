package datetime

import (
	"strconv"
	"time"
)

// What DateStyle and IntervalStyle make of output: PostgreSQL's EncodeDateOnly, EncodeDateTime
// and EncodeInterval.

// AppendDate prints a date.
func (s Style) AppendDate(dst []byte, d int64) []byte {
	if s.Dates == DatesISO || IsInf(d) {
		return AppendDate(dst, d)
	}
	y, m, day := CivilFromDays(d)
	dst = s.appendDayMonth(dst, m, day)
	dst = append(dst, s.mark())
	year, bc := eraYear(y)
	return appendEra(appendYear(dst, year), bc)
}

// AppendTimestamp prints a timestamp.
func (s Style) AppendTimestamp(dst []byte, ts int64) []byte {
	if s.Dates == DatesISO || IsInf(ts) {
		return AppendTimestamp(dst, ts)
	}
	return s.appendTS(dst, ts, "")
}

// AppendTimestamptz prints a timestamptz as the clocks of loc show it.
func (s Style) AppendTimestamptz(dst []byte, ts int64, loc *time.Location) []byte {
	if s.Dates == DatesISO || IsInf(ts) {
		return AppendTimestamptz(dst, ts, loc)
	}
	name, _ := time.Unix(floorDiv(ts, MicrosPerSecond), 0).In(loc).Zone()
	return s.appendTS(dst, UTCToLocal(ts, loc), name)
}

func (s Style) appendTS(dst []byte, ts int64, zone string) []byte {
	days := floorDiv(ts, MicrosPerDay)
	y, m, d := CivilFromDays(days)
	year, bc := eraYear(y)
	if s.Dates == DatesPostgres {
		dst = append(dst, time.Weekday(((days+4)%7 + 7) % 7).String()[:3]...)
		month := time.Month(m).String()[:3]
		dst = append(dst, ' ')
		if s.Order == DMY {
			dst = append(append2(dst, d), ' ')
			dst = append(dst, month...)
		} else {
			dst = append(append(dst, month...), ' ')
			dst = append2(dst, d)
		}
		dst = append(AppendTime(append(dst, ' '), ts-days*MicrosPerDay), ' ')
		dst = appendYear(dst, year)
	} else {
		dst = append(s.appendDayMonth(dst, m, d), s.mark())
		dst = append(appendYear(dst, year), ' ')
		dst = AppendTime(dst, ts-days*MicrosPerDay)
	}
	if zone != "" {
		dst = append(dst, ' ')
		dst = append(dst, zone...)
	}
	return appendEra(dst, bc)
}

// appendDayMonth prints both in the order of the style.
func (s Style) appendDayMonth(dst []byte, m, d int) []byte {
	if s.Order == DMY || s.Dates == DatesGerman {
		m, d = d, m
	}
	return append2(append(append2(dst, m), s.mark()), d)
}

// mark stands between the parts of a date.
func (s Style) mark() byte {
	return [...]byte{DatesISO: '-', DatesSQL: '/', DatesPostgres: '-', DatesGerman: '.'}[s.Dates]
}

func eraYear(y int) (year int, bc bool) {
	if y <= 0 {
		return 1 - y, true
	}
	return y, false
}

func appendYear(dst []byte, y int) []byte {
	for least := 1000; least > y; least /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(y), 10)
}

func appendEra(dst []byte, bc bool) []byte {
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// spanParts are the parts of an interval, each with its sign.
type spanParts struct {
	year, month, day, hour, minute, sec, micro int64
}

func partsOf(months, days int32, micros int64) spanParts {
	return spanParts{
		year: int64(months / 12), month: int64(months % 12), day: int64(days),
		hour: micros / MicrosPerHour, minute: micros / MicrosPerMinute % 60,
		sec: micros / MicrosPerSecond % 60, micro: micros % MicrosPerSecond,
	}
}

// AppendInterval prints an interval.
func (s Style) AppendInterval(dst []byte, months, days int32, micros int64) []byte {
	p := partsOf(months, days, micros)
	switch s.Spans {
	case SpanVerbose:
		return p.appendVerbose(dst)
	case SpanSQL:
		return p.appendSQL(dst)
	case SpanISO:
		return p.appendISO(dst)
	}
	return AppendInterval(dst, months, days, micros)
}

// appendISO prints as ISO 8601 has it: P1Y2M3DT4H5M6.7S.
func (p spanParts) appendISO(dst []byte) []byte {
	if p == (spanParts{}) {
		return append(dst, "PT0S"...)
	}
	part := func(v int64, unit byte) {
		if v != 0 {
			dst = append(strconv.AppendInt(dst, v, 10), unit)
		}
	}
	dst = append(dst, 'P')
	part(p.year, 'Y')
	part(p.month, 'M')
	part(p.day, 'D')
	if p.hour != 0 || p.minute != 0 || p.sec != 0 || p.micro != 0 {
		dst = append(dst, 'T')
	}
	part(p.hour, 'H')
	part(p.minute, 'M')
	if p.sec != 0 || p.micro != 0 {
		if p.sec < 0 || p.micro < 0 {
			dst = append(dst, '-')
		}
		dst = append(p.appendSeconds(dst), 'S')
	}
	return dst
}

// appendSeconds prints seconds without a sign, and without zeros before them.
func (p spanParts) appendSeconds(dst []byte) []byte {
	return appendMicros(strconv.AppendInt(dst, abs(p.sec), 10), int(abs(p.micro)))
}

// appendSQL prints what the SQL standard has, one sign before years and months or before days
// and a time; what it has not gets a sign before each of the three.
func (p spanParts) appendSQL(dst []byte) []byte {
	if p == (spanParts{}) {
		return append(dst, '0')
	}
	neg, pos := false, false
	for _, v := range [...]int64{p.year, p.month, p.day, p.hour, p.minute, p.sec, p.micro} {
		neg, pos = neg || v < 0, pos || v > 0
	}
	months := p.year != 0 || p.month != 0
	time := p.hour != 0 || p.minute != 0 || p.sec != 0 || p.micro != 0
	each := neg && pos || months && (p.day != 0 || time) // a sign for each
	sign := func(minus bool) {
		switch {
		case minus:
			dst = append(dst, '-')
		case each:
			dst = append(dst, '+')
		}
	}
	if !each {
		sign(neg)
	}
	if months || each {
		if each {
			sign(p.year < 0 || p.month < 0)
		}
		dst = append(strconv.AppendInt(dst, abs(p.year), 10), '-')
		if dst = strconv.AppendInt(dst, abs(p.month), 10); !each {
			return dst
		}
		dst = append(dst, ' ')
	}
	if p.day != 0 || each {
		if each {
			sign(p.day < 0)
		}
		dst = append(strconv.AppendInt(dst, abs(p.day), 10), ' ')
	}
	if each {
		sign(p.hour < 0 || p.minute < 0 || p.sec < 0 || p.micro < 0)
	}
	dst = append(strconv.AppendInt(dst, abs(p.hour), 10), ':')
	dst = append(append2(dst, int(abs(p.minute))), ':')
	return appendMicros(append2(dst, int(abs(p.sec))), int(abs(p.micro)))
}

// appendVerbose prints words: @ 1 year 2 mons ago. The first part has the sign of all.
func (p spanParts) appendVerbose(dst []byte) []byte {
	first, ago := true, false
	dst = append(dst, '@')
	part := func(v int64, unit string) {
		switch {
		case v == 0:
			return
		case first:
			ago = v < 0
			v = abs(v)
		case ago:
			v = -v
		}
		first = false
		dst = append(strconv.AppendInt(append(dst, ' '), v, 10), ' ')
		if dst = append(dst, unit...); v != 1 {
			dst = append(dst, 's')
		}
	}
	part(p.year, "year")
	part(p.month, "mon")
	part(p.day, "day")
	part(p.hour, "hour")
	part(p.minute, "min")
	if p.sec != 0 || p.micro != 0 {
		minus := p.sec < 0 || p.micro < 0
		if first {
			ago = minus
		}
		first = false
		if dst = append(dst, ' '); minus != ago {
			dst = append(dst, '-')
		}
		dst = append(p.appendSeconds(dst), " sec"...)
		if abs(p.sec) != 1 || p.micro != 0 {
			dst = append(dst, 's')
		}
	}
	if first {
		dst = append(dst, " 0"...)
	}
	if ago {
		dst = append(dst, " ago"...)
	}
	return dst
}

func abs(v int64) int64 { return max(v, -v) }
