package datetime

import (
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Context is what reading date and time text may depend on.
type Context struct {
	Zone  *time.Location
	Now   time.Time
	Order Order
	Used  bool // set when the result depends on one of these
}

type problem uint8

const (
	good problem = iota
	badFormat
	fieldOverflow
	mdFieldOverflow
	zoneOverflow
	badZone
)

func (p problem) err(typ, s string) error {
	switch p {
	case fieldOverflow:
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, s)
	case mdFieldOverflow:
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, s).
			WithHint(`Perhaps you need a different "datestyle" setting.`)
	case zoneOverflow:
		return sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, `time zone displacement out of range: "%s"`, s)
	}
	return sqlerr.New(sqlerr.InvalidDatetimeFormat, `invalid input syntax for type %s: "%s"`, typ, s)
}

// problemErr is the error of reading s.
func (d *decoder) problemErr(p problem, typ, s string) error {
	if p == badZone {
		return sqlerr.New(sqlerr.InvalidParameterValue, `time zone "%s" not recognized`, d.badZone)
	}
	return p.err(typ, s)
}

// ParseDate reads a date.
func ParseDate(s string, ctx *Context) (int64, error) {
	if f, n := fastDate(s); n > 0 && n == len(s) {
		return DaysFromCivil(f.Year, f.Month, f.Day), nil
	}
	var d decoder
	if p := d.decode(s, ctx, false, maxDateText); p != good {
		return 0, d.problemErr(p, "date", s)
	}
	if v, ok := d.specialValue(); ok {
		return v, nil
	}
	days := DaysFromCivil(int(d.year), int(d.month), int(d.day))
	if !ValidDate(days) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date out of range: "%s"`, s)
	}
	return days, nil
}

// specialValue is the value of EPOCH and INFINITY, in dates as in timestamps.
func (d *decoder) specialValue() (v int64, ok bool) {
	switch d.special {
	case spEpoch:
		return 0, true
	case spInfinity:
		return PosInfinity, true
	case spNegInfinity:
		return NegInfinity, true
	}
	return 0, false
}

// ParseTimestamp reads a timestamp without time zone; a zone in the text is
// ignored, as in Postgres.
func ParseTimestamp(s string, ctx *Context) (int64, error) {
	if f, n, ok := fastTimestamp(s); ok && n == len(s) {
		ts, _ := f.Join()
		return ts, nil
	}
	return parseTS(s, ctx, "timestamp", false)
}

// ParseTimestamptz reads a timestamp with time zone; without a zone in the text
// it is local to ctx.Zone.
func ParseTimestamptz(s string, ctx *Context) (int64, error) {
	if f, n, ok := fastTimestamp(s); ok && n < len(s) {
		if off, ok := fastOffset(s[n:]); ok {
			if ts, ok := f.Join(); ok {
				return ts - int64(off)*MicrosPerSecond, nil
			}
		}
	}
	return parseTS(s, ctx, "timestamp with time zone", true)
}

func parseTS(s string, ctx *Context, typ string, tz bool) (int64, error) {
	var d decoder
	if p := d.decode(s, ctx, false, maxTimestampText); p != good {
		return 0, d.problemErr(p, typ, s)
	}
	if v, ok := d.specialValue(); ok {
		return v, nil
	}
	ts, ok := d.timestamp(tz)
	if !ok {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `timestamp out of range: "%s"`, s)
	}
	return ts, nil
}

// timestamp joins the fields, in UTC if tz is set.
func (d *decoder) timestamp(tz bool) (int64, bool) {
	if d.year < minYear || d.year > maxTimestampYear+1 {
		return 0, false
	}
	days := DaysFromCivil(int(d.year), int(d.month), int(d.day))
	ts := days*MicrosPerDay + d.timeOfDay()
	// A time of day that overflowed may not lead across 2000-01-01, where PostgreSQL counts from.
	since, date := ts-EpochOffsetMicros, days-EpochOffsetDays
	if since < 0 && date > 0 || since > 0 && date < -1 {
		return 0, false
	}
	if tz {
		ts -= int64(d.zoneOffset(days*86400+int64(d.seconds()))) * MicrosPerSecond
	}
	return ts, ValidTimestamp(ts)
}

// zoneOffset gives the offset of the text, or else of the session, at local seconds.
func (d *decoder) zoneOffset(local int64) int {
	switch {
	case d.zone != nil:
		off, _ := determineOffset(local, d.zone)
		return off
	case d.inZone != nil:
		return abbreviatedOffset(local, d.text.at(d.abbrev), d.inZone)
	case d.have&hasZone != 0:
		return d.offset
	}
	d.ctx.Used = true
	off, _ := determineOffset(local, d.ctx.zone())
	return off
}

// ParseTime reads a time of day; a date and a zone beside it are allowed and ignored.
func ParseTime(s string, ctx *Context) (int64, error) {
	var d decoder
	if p := d.decode(s, ctx, true, maxDateText); p != good {
		return 0, d.problemErr(p, "time", s)
	}
	return d.timeOfDay(), nil
}

func dayShift(special int) int64 {
	switch special {
	case spTomorrow:
		return 1
	case spYesterday:
		return -1
	}
	return 0
}

func (c *Context) zone() *time.Location {
	if c.Zone == nil {
		return time.UTC
	}
	return c.Zone
}

// fastOffset reads Z, ±hh, ±hhmm or ±hh:mm.
func fastOffset(s string) (off int, ok bool) {
	if s == "Z" {
		return 0, true
	}
	m := 0
	switch {
	case s[0] != '+' && s[0] != '-':
		return 0, false
	case len(s) == 3:
	case len(s) == 5:
		m = two(s, 3)
	case len(s) == 6 && s[3] == ':':
		m = two(s, 4)
	default:
		return 0, false
	}
	h := two(s, 1)
	if h < 0 || h > 15 || m < 0 || m > 59 {
		return 0, false
	}
	off = h*3600 + m*60
	if s[0] == '-' {
		off = -off
	}
	return off, true
}

// fastDate reads YYYY-MM-DD at the start of s; n is 0 if it is something else.
func fastDate(s string) (f Fields, n int) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return f, 0
	}
	y1, y2, m, d := two(s, 0), two(s, 2), two(s, 5), two(s, 8)
	if y1 < 0 || y2 < 0 || m < 1 || m > 12 || d < 1 {
		return f, 0
	}
	f.Year, f.Month, f.Day = y1*100+y2, m, d
	if f.Year == 0 || d > DaysInMonth(f.Year, m) {
		return f, 0
	}
	return f, 10
}

// fastTimestamp reads YYYY-MM-DD[ T]HH:MM:SS[.f] at the start of s.
func fastTimestamp(s string) (f Fields, n int, ok bool) {
	f, n = fastDate(s)
	if n == 0 || len(s) < 19 || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return f, 0, false
	}
	f.Hour, f.Minute, f.Sec = two(s, 11), two(s, 14), two(s, 17)
	if f.Hour < 0 || f.Hour > 23 || f.Minute < 0 || f.Minute > 59 || f.Sec < 0 || f.Sec > 59 {
		return f, 0, false
	}
	n = 19
	if n < len(s) && s[n] == '.' {
		n++
		digits, unit := 0, 100000
		for n < len(s) && isDigit(s[n]) {
			if digits++; digits > 6 {
				return f, 0, false
			}
			f.Micro += int(s[n]-'0') * unit
			unit /= 10
			n++
		}
		if digits == 0 {
			return f, 0, false
		}
	}
	return f, n, true
}

func two(s string, i int) int {
	if !isDigit(s[i]) || !isDigit(s[i+1]) {
		return -1
	}
	return int(s[i]-'0')*10 + int(s[i+1]-'0')
}
