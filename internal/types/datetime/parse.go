package datetime

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Context is what reading date and time text may depend on.
type Context struct {
	Zone *time.Location
	Now  time.Time
	Used bool // set when the result depends on Zone or Now
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

// ParseDate reads a date.
func ParseDate(s string, ctx *Context) (int64, error) {
	if f, n := fastDate(s); n > 0 && n == len(s) {
		return DaysFromCivil(f.Year, f.Month, f.Day), nil
	}
	d, p := decode(s, ctx, false)
	if p != good {
		return 0, p.err("date", s)
	}
	switch d.special {
	case spNow, spToday, spTomorrow, spYesterday:
		return d.today(ctx) + dayShift(d.special), nil
	case spEpoch:
		return 0, nil
	case spInfinity:
		return PosInfinity, nil
	case spNegInfinity:
		return NegInfinity, nil
	}
	if d.f.Year < minYear-1 || d.f.Year > maxDateYear+1 {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date out of range: "%s"`, s)
	}
	days := DaysFromCivil(d.f.Year, d.f.Month, d.f.Day)
	if !ValidDate(days) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date out of range: "%s"`, s)
	}
	return days, nil
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
		if off, ok := parseOffset(s[n:]); ok || s[n:] == "Z" {
			if ts, ok := f.Join(); ok {
				return ts - int64(off)*MicrosPerSecond, nil
			}
		}
	}
	return parseTS(s, ctx, "timestamp with time zone", true)
}

func parseTS(s string, ctx *Context, typ string, tz bool) (int64, error) {
	d, p := decode(s, ctx, false)
	if p == badZone {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, `time zone "%s" not recognized`, d.zoneName)
	}
	if p != good {
		return 0, p.err(typ, s)
	}
	zone := ctx.zone()
	switch d.special {
	case spNow:
		ctx.Used = true
		ts := ctx.Now.UnixMicro()
		if !tz {
			ts = UTCToLocal(ts, zone)
		}
		return ts, nil
	case spToday, spTomorrow, spYesterday:
		ts := (d.today(ctx)+dayShift(d.special))*MicrosPerDay + d.f.TimeOfDay()
		if tz {
			ts = d.toUTC(ts, ctx)
		}
		return ts, nil
	case spEpoch:
		return 0, nil
	case spInfinity:
		return PosInfinity, nil
	case spNegInfinity:
		return NegInfinity, nil
	}
	ts, ok := d.f.Join()
	if ok && tz {
		ts = d.toUTC(ts, ctx)
		ok = ValidTimestamp(ts)
	}
	if !ok {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `timestamp out of range: "%s"`, s)
	}
	return ts, nil
}

// ParseTime reads a time of day; a date beside it is allowed and ignored.
func ParseTime(s string, ctx *Context) (int64, error) {
	d, p := decode(s, ctx, true)
	if p != good {
		return 0, p.err("time", s)
	}
	switch d.special {
	case spNow:
		ctx.Used = true
		return TimestampToTime(UTCToLocal(ctx.Now.UnixMicro(), ctx.zone())), nil
	case spAllballs, -1:
		return d.f.TimeOfDay(), nil
	}
	return 0, badFormat.err("time", s)
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

func (d *decoder) today(ctx *Context) int64 {
	ctx.Used = true
	return TimestampToDate(UTCToLocal(ctx.Now.UnixMicro(), ctx.zone()))
}

func (d *decoder) toUTC(ts int64, ctx *Context) int64 {
	switch {
	case d.zone != nil:
		return LocalToUTC(ts, d.zone)
	case d.have&hasZone != 0:
		return ts - int64(d.offset)*MicrosPerSecond
	}
	ctx.Used = true
	return LocalToUTC(ts, ctx.zone())
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

// atoi reads digits, saturating.
func atoi(s string) int {
	v, err := strconv.Atoi(s)
	if err != nil || v > math.MaxInt32 {
		return math.MaxInt32
	}
	return v
}

// fraction reads ".123" as µs, rounded; 1000000 is possible.
func fraction(s string) (int, bool) {
	if s == "" || s[0] != '.' || strings.Trim(s[1:], "0123456789") != "" {
		return 0, false
	}
	if len(s) == 1 {
		return 0, true
	}
	f, err := strconv.ParseFloat("0"+s, 64)
	if err != nil {
		return 0, false
	}
	return int(math.RoundToEven(f * 1e6)), true
}
