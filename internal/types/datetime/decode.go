package datetime

import (
	"bytes"
	"strings"
	"time"
)

// Long because it follows PostgreSQL's DecodeDateTime and DecodeTimeOnly, which are one state machine over fields.

// What a decoder has seen. No field may add what is there.
const (
	hasYear = 1 << iota
	hasMonth
	hasDay
	hasHour
	hasMinute
	hasSecond
	hasFraction
	hasZone
	hasDynamic    // its name means what it meant at the time
	hasSummer     // a zone's name was of its daylight saving time, or DST
	hasSummerWord // DST
	hasDoy
	hasSpecial
	hasAmPm
	hasAdBc
	hasDow

	hasDate    = hasYear | hasMonth | hasDay
	hasSeconds = hasSecond | hasFraction
	hasTime    = hasHour | hasMinute | hasSeconds
)

// decoder is the state of DecodeDateTime, or with timeOnly of DecodeTimeOnly.
type decoder struct {
	text     fieldText
	ctx      *Context
	timeOnly bool

	have      int
	prefix    unit // the label of the number to come, or uNone
	special   int  // spEpoch, spInfinity, spNegInfinity, or -1
	textMonth bool
	julian    bool
	twoDigit  bool // the year was written with two digits
	bc        bool
	ampm      int // -1 none, 0 AM, 1 PM

	year, month, day, doy   int32
	hour, minute, sec, frac int32 // frac in µs

	offset  int            // east of Greenwich, seconds
	zone    *time.Location // named in full
	abbrev  int            // the field of a name that means what it meant in inZone
	inZone  *time.Location // of abbrev
	badZone string         // of problem badZone
}

// decode reads s, of which most bytes are looked at.
func (d *decoder) decode(s string, ctx *Context, timeOnly bool, most int) problem {
	d.ctx, d.timeOnly, d.special, d.ampm = ctx, timeOnly, -1, -1
	if p := d.text.split(s, most); p != good {
		return p
	}
	for i := range d.text.n {
		bits, p := d.take(i)
		if p != good {
			return p
		}
		if d.have&bits != 0 {
			return badFormat
		}
		d.have |= bits
	}
	if p := d.validDate(); p != good {
		return p
	}
	if d.ampm >= 0 && d.hour > 12 {
		return fieldOverflow
	}
	switch {
	case d.ampm == 0 && d.hour == 12:
		d.hour = 0
	case d.ampm == 1 && d.hour != 12:
		d.hour += 12
	}
	if d.timeOnly {
		return d.finishTime()
	}
	return d.finishDate()
}

// take reads a field and says what it brings.
func (d *decoder) take(i int) (bits int, p problem) {
	s := d.text.at(i)
	switch d.text.fields[i].kind {
	case fieldDate:
		if d.timeOnly {
			return d.dateOfTime(i)
		}
		return d.date(s)
	case fieldTime:
		if !d.timeOnly {
			if d.prefix != uNone && d.prefix != uISOTime {
				return 0, badFormat
			}
			d.prefix = uNone
		}
		c, p := readClock(s, AllFields)
		if p != good {
			return 0, p
		}
		if c.hour > 1<<31-1 {
			return 0, fieldOverflow
		}
		d.hour, d.minute, d.sec, d.frac = int32(c.hour), c.minute, c.sec, c.frac
		if !d.timeOnly && d.timeOverflows() {
			return 0, fieldOverflow
		}
		return hasTime, good
	case fieldZone:
		d.offset, p = readOffset(s)
		return hasZone, p
	case fieldNumber:
		switch {
		case d.prefix != uNone:
			return d.labelled(s)
		case d.timeOnly:
			return d.numberOfTime(i)
		}
		return d.number(s)
	}
	return d.word(i)
}

// date reads a field of several parts in a date or timestamp: a date, or after one a name of
// a zone, or digits of a time and an offset.
func (d *decoder) date(s []byte) (int, problem) {
	switch {
	case d.prefix == uJulian:
		v, rest, over := scanInt32(s)
		if over || v < 0 {
			return 0, fieldOverflow
		}
		d.setJulian(v)
		d.prefix = uNone
		var p problem
		d.offset, p = readOffset(rest)
		return hasDate | hasTime | hasZone, p
	case d.prefix != uNone || d.have&(hasMonth|hasDay) == hasMonth|hasDay:
		if !isDigit(s[0]) && d.prefix == uNone {
			return d.fullZone(s)
		}
		if d.prefix != uNone && d.prefix != uISOTime {
			return 0, badFormat
		}
		d.prefix = uNone
		return d.digitsAndOffset(s, d.have)
	}
	return d.splitDate(s, d.have)
}

// digitsAndOffset reads hhmmss-zz.
func (d *decoder) digitsAndOffset(s []byte, have int) (bits int, p problem) {
	if d.have&hasTime == hasTime {
		return 0, badFormat
	}
	i := bytes.IndexByte(s, '-')
	if i < 0 {
		return 0, badFormat
	}
	if d.offset, p = readOffset(s[i:]); p != good {
		return 0, p
	}
	bits, p = d.runTogether(s[:i], have)
	return bits | hasZone, p
}

// fullZone reads a zone's name that has marks in it.
func (d *decoder) fullZone(s []byte) (int, problem) {
	if d.zone = zoneInText(s); d.zone == nil {
		d.badZone = string(s)
		return 0, badZone
	}
	return hasZone, good
}

// dateOfTime reads a field of several parts in a time: a date only where it is the first
// and the last is one too, or the second is a time.
func (d *decoder) dateOfTime(i int) (int, problem) {
	t := &d.text
	s := t.at(i)
	switch {
	case i == 0 && t.n >= 2 && (t.fields[t.n-1].kind == fieldDate || t.fields[1].kind == fieldTime):
		return d.splitDate(s, d.have)
	case isDigit(s[0]):
		return d.digitsAndOffset(s, d.have|hasDate)
	}
	return d.fullZone(s)
}

// labelled reads the number after a label, as in y2024m02d29.
func (d *decoder) labelled(s []byte) (int, problem) {
	v, rest, over := scanInt32(s)
	if over {
		return 0, fieldOverflow
	}
	label := d.prefix
	d.prefix = uNone
	point := len(rest) > 0
	if point && (rest[0] != '.' || label != uJulian && label != uISOTime && label != uSecond) {
		return 0, badFormat
	}
	bits, p := 0, good
	switch label {
	case uYear:
		d.year, bits = v, hasYear
	case uMonth:
		if d.have&hasMonth != 0 && d.have&hasHour != 0 {
			d.minute, bits = v, hasMinute
		} else {
			d.month, bits = v, hasMonth
		}
	case uDay:
		d.day, bits = v, hasDay
	case uHour:
		d.hour, bits = v, hasHour
	case uMinute:
		d.minute, bits = v, hasMinute
	case uSecond:
		d.sec, bits = v, hasSecond
		if point {
			d.frac, p = scanMicros(rest)
			bits = hasSeconds
		}
	case uJulian:
		if v < 0 {
			return 0, fieldOverflow
		}
		d.setJulian(v)
		bits = hasDate
		if point {
			// The fraction of a Julian day is a time of day.
			var part float64
			if part, p = scanFraction(rest); p != good {
				return 0, p
			}
			f := SplitTime(int64(part * float64(MicrosPerDay)))
			d.hour, d.minute, d.sec, d.frac = int32(f.Hour), int32(f.Minute), int32(f.Sec), int32(f.Micro)
			bits |= hasTime
		}
	case uISOTime:
		if bits, p = d.runTogether(s, d.have|hasDate); p == good && bits != hasTime {
			p = badFormat
		}
	default:
		return 0, badFormat
	}
	if p == good {
		d.special = -1
	}
	return bits, p
}

// number reads a number of a date or timestamp that has no label.
func (d *decoder) number(s []byte) (int, problem) {
	point := bytes.IndexByte(s, '.')
	switch {
	case point >= 0 && d.have&hasDate == 0:
		return d.splitDate(s, d.have)
	case point > 2, len(s) >= 6 && (d.have&hasDate == 0 || d.have&hasTime == 0):
		return d.runTogether(s, d.have)
	}
	return d.place(s, d.have, d.textMonth, &d.frac)
}

// numberOfTime reads a number of a time that has no label.
func (d *decoder) numberOfTime(i int) (int, problem) {
	t := &d.text
	s := t.at(i)
	point := bytes.IndexByte(s, '.')
	switch {
	case point >= 0 && i == 0 && t.n >= 2 && t.fields[t.n-1].kind == fieldDate:
		return d.splitDate(s, d.have)
	case point > 2, point < 0 && len(s) > 4:
		return d.runTogether(s, d.have|hasDate)
	case point >= 0:
		return 0, badFormat
	}
	return d.place(s, d.have|hasDate, false, &d.frac)
}

// word reads letters: an abbreviation of a zone before any other word.
func (d *decoder) word(i int) (int, problem) {
	s := d.text.at(i)
	if a, ok := findAbbreviation(s); ok {
		d.offset = a.offset
		switch {
		case a.zone != "":
			if loc := regionZone(a.zone, strings.ToLower(a.zone)); loc != nil {
				d.abbrev, d.inZone = i, loc
				return hasZone | hasDynamic, good
			}
			return 0, badFormat
		case a.dst:
			return hasZone | hasSummer, good
		}
		return hasZone, good
	}
	w := findWord(s)
	switch w.kind {
	case wordIgnore:
		return 0, good
	case wordSpecial:
		return d.specialWord(w.val)
	case wordMonth:
		if d.timeOnly {
			return 0, badFormat
		}
		bits := hasMonth
		if d.have&hasMonth != 0 && !d.textMonth && d.have&hasDay == 0 && d.month >= 1 && d.month <= 31 {
			// What was taken for a month was the day.
			d.day, bits = d.month, hasDay
		}
		d.textMonth, d.month = true, int32(w.val)
		return bits, good
	case wordSummer:
		d.offset += w.val
		return hasSummer | hasSummerWord, good
	case wordAmPm:
		d.ampm = w.val
		return hasAmPm, good
	case wordAdBc:
		d.bc = w.val == 1
		return hasAdBc, good
	case wordDow:
		if d.timeOnly {
			return 0, badFormat
		}
		return hasDow, good
	case wordUnit:
		d.prefix = unit(w.val)
		return 0, good
	case wordISOTime:
		if !d.timeOnly && d.have&hasDate != hasDate || i+1 == d.text.n {
			return 0, badFormat
		}
		switch d.text.fields[i+1].kind {
		case fieldNumber, fieldTime, fieldDate:
			d.prefix = uISOTime
			return 0, good
		}
		return 0, badFormat
	}
	if d.zone = zoneInText(s); d.zone == nil {
		return 0, badFormat
	}
	return hasZone, good
}

func (d *decoder) specialWord(w int) (int, problem) {
	switch w {
	case spAllballs:
		d.hour, d.minute, d.sec = 0, 0, 0
		if !d.timeOnly {
			d.offset, d.special = 0, -1
		}
		return hasTime | hasZone, good
	case spNow:
		d.special = -1
		now := d.ctx.Now.UnixMicro()
		d.offset = OffsetAt(now, d.ctx.zone())
		d.setNow(UTCToLocal(now, d.ctx.zone()), true)
		if d.timeOnly {
			return hasTime, good
		}
		return hasDate | hasTime | hasZone, good
	}
	if d.timeOnly {
		return 0, badFormat
	}
	switch w {
	case spToday, spTomorrow, spYesterday:
		d.special = -1
		d.setNow(UTCToLocal(d.ctx.Now.UnixMicro(), d.ctx.zone())+dayShift(w)*MicrosPerDay, false)
		return hasDate, good
	}
	d.special = w
	return hasSpecial, good
}

// setNow takes the date, and with clock the time of day, of what the session's clocks show.
func (d *decoder) setNow(local int64, clock bool) {
	d.ctx.Used = true
	f := Split(local)
	if clock {
		d.hour, d.minute, d.sec, d.frac = int32(f.Hour), int32(f.Minute), int32(f.Sec), int32(f.Micro)
	}
	d.year, d.month, d.day = int32(f.Year), int32(f.Month), int32(f.Day)
}

// finishDate tests that a date or timestamp is whole.
func (d *decoder) finishDate() problem {
	if d.special >= 0 {
		return good
	}
	if d.have&hasDate != hasDate {
		return badFormat
	}
	// DST stands beside an offset or the name of one.
	if d.have&hasSummerWord != 0 && (d.zone != nil || d.inZone != nil || d.have&hasZone == 0) {
		return badFormat
	}
	return good
}

// finishTime tests that a time is whole. Its zone is read and ignored, but one whose offset
// changes needs a date.
func (d *decoder) finishTime() problem {
	if d.timeOverflows() {
		return fieldOverflow
	}
	if d.have&hasTime != hasTime {
		return badFormat
	}
	summer := d.have&hasSummerWord != 0
	someDate := d.have&hasDate != 0 && d.have&hasDate != hasDate
	if d.zone != nil {
		if summer {
			return badFormat
		}
		if _, constant := constantOffset(d.zone); !constant && d.have&hasDate != hasDate {
			return badFormat
		}
	}
	if (d.inZone != nil || d.have&hasZone == 0) && (summer || someDate) {
		return badFormat
	}
	return good
}
