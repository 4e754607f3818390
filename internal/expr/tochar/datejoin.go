package tochar

import (
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// joined is a date and time put together; what was not given is 1 BC, January,
// the 1st, midnight.
type joined struct {
	year, month, day int64
	hour, min, sec   int64
	micros           int64
	digits           int // of a fraction, by FF1 to FF6; 0 if none was given
	zoned            bool
	zone             int64 // offset, seconds
}

// ToDate is to_date: days since 1970. 22007 for a text that does not fit the
// template, 22008 for a value out of range.
func (f *DateFormat) ToDate(s string) (int64, error) {
	j, err := f.parse(s)
	if err != nil {
		return 0, err
	}
	d := julian(j.year, j.month, j.day) - julianEpoch
	if j.year < minYear || j.year > maxYear || !datetime.ValidDate(d) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date out of range: "%s"`, s)
	}
	return d, nil
}

const (
	julianEpoch = 2440588 // 1970-01-01
	// Beyond these no date is valid.
	minYear = -4713
	maxYear = 5874897
)

// ToTimestamp is to_timestamp(text, text): a timestamptz, by the clocks of loc
// where the template does not read an offset. Errors as for ToDate; 22009 for
// an offset out of range.
func (f *DateFormat) ToTimestamp(s string, loc *time.Location) (int64, error) {
	j, err := f.parse(s)
	if err != nil {
		return 0, err
	}
	if loc == nil {
		loc = time.UTC
	}
	d := julian(j.year, j.month, j.day) - julianEpoch
	if j.year < minYear || j.year > maxYear || !datetime.ValidDate(d) {
		return 0, datetime.TimestampOutOfRange()
	}
	if d, err = datetime.DateToTimestamp(d); err != nil {
		return 0, datetime.TimestampOutOfRange()
	}
	ts := d + (j.hour*3600+j.min*60+j.sec)*datetime.MicrosPerSecond + j.micros
	if j.zoned {
		ts -= j.zone * datetime.MicrosPerSecond
	} else {
		ts = datetime.LocalToUTC(ts, loc)
	}
	if j.digits > 0 {
		// Postgres rounds what it counts from 2000.
		ts = datetime.RoundMicros(ts-datetime.EpochOffsetMicros, int32(j.digits)) + datetime.EpochOffsetMicros
	}
	if !datetime.ValidTimestamp(ts) {
		return 0, datetime.TimestampOutOfRange()
	}
	return ts, nil
}

func (f *DateFormat) parse(s string) (joined, error) {
	r := reader{f: f, s: s}
	if err := r.read(); err != nil {
		return joined{}, err
	}
	return r.out.join(s)
}

// given says which parts of the date were given, and so are checked.
type given struct{ year, month, day bool }

var wholeDate = given{true, true, true}

func (o *readFields) join(s string) (joined, error) {
	j := joined{month: 1, day: 1}
	if err := o.clock(&j); err != nil {
		return j, err
	}
	g := o.joinYear(&j)
	if err := o.joinDay(&j, &g); err != nil {
		return j, err
	}
	j.micros = int64(o.ms)*1000 + int64(o.us)
	j.digits = o.fractionDigits
	if !j.validDate(g) || !j.validTime() {
		return j, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, s)
	}
	if o.zoneSign != 0 {
		if o.tzh < 0 || o.tzh > 15 || o.tzm < 0 || o.tzm >= 60 {
			return j, sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, `time zone displacement out of range: "%s"`, s)
		}
		j.zoned = true
		j.zone = int64(o.zoneSign) * (int64(o.tzh)*3600 + int64(o.tzm)*60)
	}
	return j, nil
}

// validDate checks what was given: the 31st of February passes where no year
// tells how long it is.
func (j *joined) validDate(g given) bool {
	if g.month && (j.month < 1 || j.month > 12) || g.day && (j.day < 1 || j.day > 31) {
		return false
	}
	return g != wholeDate || j.day <= int64(datetime.DaysInMonth(int(j.year), int(j.month)))
}

func (j *joined) validTime() bool {
	return j.hour >= 0 && j.hour < 24 && j.min >= 0 && j.min < 60 && j.sec >= 0 && j.sec < 60 && j.micros >= 0 && j.micros < 1e6
}

func (o *readFields) clock(j *joined) error {
	if x := int64(o.ssss); x != 0 {
		j.hour, j.min, j.sec = x/3600, x%3600/60, x%60
	}
	if o.ss != 0 {
		j.sec = int64(o.ss)
	}
	if o.mi != 0 {
		j.min = int64(o.mi)
	}
	if o.hh != 0 {
		j.hour = int64(o.hh)
	}
	if !o.clock12 {
		return nil
	}
	if j.hour < 1 || j.hour > 12 {
		return badFormat(`hour "%d" is invalid for the 12-hour clock`, j.hour).
			WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
	}
	j.hour %= 12
	if o.pm != 0 {
		j.hour += 12
	}
	return nil
}

// joinYear finds the year from a year, a century, or both.
func (o *readFields) joinYear(j *joined) (g given) {
	cc, year := int64(o.cc), int64(o.year)
	if o.bc != 0 {
		cc = -cc
	}
	switch {
	case year != 0 && cc != 0 && o.yearDigits <= 2:
		// Two digits within the century, which ends with a year of 00.
		j.year = year % 100
		switch {
		case j.year == 0 && cc >= 0:
			j.year = cc * 100
		case j.year == 0:
			j.year = cc*100 + 1
		case cc >= 0:
			j.year += (cc - 1) * 100
		default:
			j.year = (cc+1)*100 - j.year + 1
		}
	case year != 0:
		j.year = year
		if o.bc != 0 {
			j.year = -j.year
		}
		if j.year < 0 {
			j.year++
		}
	case cc > 0:
		j.year = (cc-1)*100 + 1
	case cc < 0:
		j.year = cc*100 + 1
	default:
		return g
	}
	g.year = true
	return g
}

func (o *readFields) joinDay(j *joined, g *given) error {
	setDay := func(julianDay int64) {
		y, m, d := datetime.CivilFromDays(julianDay - julianEpoch)
		j.year, j.month, j.day = int64(y), int64(m), int64(d)
		*g = wholeDate
	}
	if o.j != 0 {
		setDay(int64(o.j))
	}
	ddd := int64(o.ddd)
	if o.ww != 0 {
		if o.calendar == isoWeek {
			monday := weekStart(j.year, int64(o.ww))
			switch {
			case o.d > 1:
				monday += int64(o.d) - 2
			case o.d != 0:
				monday += 6
			}
			setDay(monday)
		} else {
			ddd = (int64(o.ww)-1)*7 + 1
		}
	}
	dd := int64(o.dd)
	if o.w != 0 {
		dd = (int64(o.w)-1)*7 + 1
	}
	if dd != 0 {
		j.day, g.day = dd, true
	}
	if o.mm != 0 {
		j.month, g.month = int64(o.mm), true
	}
	if ddd == 0 || j.month > 1 && j.day > 1 {
		return nil
	}
	// The day of the year stands for the month and the day that are not given.
	if j.year == 0 && o.bc == 0 {
		return badFormat("cannot calculate day of year without year information")
	}
	if o.calendar == isoWeek {
		setDay(weekStart(j.year, 1) - 1 + ddd)
		return nil
	}
	month, before := int64(1), int64(0)
	for ; month < 13; month++ {
		n := int64(datetime.DaysInMonth(int(j.year), int(month)))
		if ddd <= before+n {
			break
		}
		before += n
	}
	if j.month <= 1 {
		j.month = month
	}
	if j.day <= 1 {
		j.day = ddd - before
	}
	g.month, g.day = true, true
	return nil
}
