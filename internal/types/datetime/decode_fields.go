package datetime

import "bytes"

// The parts of DecodeDateTime that PostgreSQL has as DecodeDate, DecodeNumber,
// DecodeNumberField, DecodeTime, DecodeTimezone and ValidateDate.

// splitDate reads a date of several parts; have is what fields before it brought.
func (d *decoder) splitDate(s []byte, have int) (bits int, p problem) {
	var parts [maxFields][]byte
	n := 0
	for len(s) > 0 && n < maxFields {
		for len(s) > 0 && !isAlnum(s[0]) {
			s = s[1:]
		}
		if len(s) == 0 {
			return 0, badFormat
		}
		same := isDigit
		if !isDigit(s[0]) {
			same = isAlpha
		}
		i := 0
		for i < len(s) && same(s[i]) {
			i++
		}
		parts[n] = s[:i]
		n++
		// The byte after a part is its end, whatever it is.
		s = s[min(i+1, len(s)):]
	}
	textMonth := false
	for i, part := range parts[:n] {
		if isDigit(part[0]) {
			continue
		}
		w := findWord(part)
		if w.kind == wordIgnore {
			continue // and refused among the numbers
		}
		if w.kind != wordMonth || have&hasMonth != 0 {
			return 0, badFormat
		}
		d.month, textMonth = int32(w.val), true
		have |= hasMonth
		bits |= hasMonth
		parts[i] = nil
	}
	var frac int32
	for _, part := range parts[:n] {
		if part == nil {
			continue
		}
		b, p := d.place(part, have, textMonth, &frac)
		if p != good {
			return 0, p
		}
		if have&b != 0 {
			return 0, badFormat
		}
		have |= b
		bits |= b
	}
	if have&^(hasDoy|hasZone) != hasDate {
		return 0, badFormat
	}
	return bits, good
}

// place puts a number where have says that it belongs.
func (d *decoder) place(s []byte, have int, textMonth bool, frac *int32) (int, problem) {
	v, rest, over := scanInt32(s)
	switch {
	case over:
		return 0, fieldOverflow
	case len(rest) == len(s):
		return 0, badFormat
	case len(rest) > 0 && rest[0] == '.':
		if len(s)-len(rest) > 2 {
			return d.runTogether(s, have|hasDate)
		}
		var p problem
		if *frac, p = scanMicros(rest); p != good {
			return 0, p
		}
	case len(rest) > 0:
		return 0, badFormat
	}
	n := len(s)
	if n == 3 && have&hasDate == hasYear && v >= 1 && v <= 366 {
		d.doy = v
		return hasDoy | hasMonth | hasDay, good
	}
	bits := 0
	switch have & hasDate {
	case 0:
		if bits = hasYear; n < 3 {
			bits = d.order().first()
		}
	case hasYear, hasDay:
		bits = hasMonth
	case hasMonth:
		bits = hasDay
		if textMonth && (n >= 3 || d.order() == YMD) {
			bits = hasYear
		}
	case hasYear | hasMonth:
		if textMonth && n >= 3 && d.twoDigit {
			// What was taken for the year was the day.
			d.day, d.year, d.twoDigit = d.year, v, false
			return hasDay, good
		}
		bits = hasDay
	case hasMonth | hasDay:
		bits = hasYear
	case hasDate:
		return d.runTogether(s, have)
	default:
		return 0, badFormat
	}
	switch bits {
	case hasYear:
		d.year, d.twoDigit = v, n <= 2
	case hasMonth:
		d.month = v
	case hasDay:
		d.day = v
	}
	return bits, good
}

// runTogether reads digits without marks: yyyymmdd where have lacks of a date, hhmmss or
// hhmm, both perhaps with a fraction, where it lacks of a time.
func (d *decoder) runTogether(s []byte, have int) (int, problem) {
	if i := bytes.IndexByte(s, '.'); i >= 0 {
		d.frac = 0
		if i+1 < len(s) {
			v, _, bad := scanFloat(s[i:]) // what follows the number does not count
			if bad {
				return 0, badFormat
			}
			d.frac = microsOf(v)
		}
		s = s[:i]
	} else if n := len(s); have&hasDate != hasDate && n >= 6 {
		d.day, d.month, d.year = lowInt(s[n-2:]), lowInt(s[n-4:n-2]), lowInt(s[:n-4])
		if n == 6 {
			d.twoDigit = true
		}
		return hasDate, good
	}
	if have&hasTime != hasTime {
		switch len(s) {
		case 6:
			d.hour, d.minute, d.sec = lowInt(s[:2]), lowInt(s[2:4]), lowInt(s[4:])
			return hasTime, good
		case 4:
			d.hour, d.minute, d.sec = lowInt(s[:2]), lowInt(s[2:]), 0
			return hasTime, good
		}
	}
	return 0, badFormat
}

// clock is a time as it is written.
type clock struct {
	hour              int64
	minute, sec, frac int32
}

// readClock reads h:m[:s[.f]], or m:s.f. h:m is m:s where fields are these.
func readClock(s []byte, fields IntervalFields) (c clock, p problem) {
	var over bool
	if c.hour, s, over = scanInt(s); over {
		return c, fieldOverflow
	}
	if len(s) == 0 || s[0] != ':' {
		return c, badFormat
	}
	if c.minute, s, over = scanInt32(s[1:]); over {
		return c, fieldOverflow
	}
	minutes := false // the first number is of minutes
	switch {
	case len(s) == 0:
		minutes = fields == MinuteField|SecondField
	case s[0] == '.':
		if c.frac, p = scanMicros(s); p != good {
			return c, p
		}
		minutes = true
	case s[0] == ':':
		if c.sec, s, over = scanInt32(s[1:]); over {
			return c, fieldOverflow
		}
		if len(s) > 0 {
			if s[0] != '.' {
				return c, badFormat
			}
			if c.frac, p = scanMicros(s); p != good {
				return c, p
			}
		}
	default:
		return c, badFormat
	}
	if minutes {
		if c.hour != int64(int32(c.hour)) {
			return c, fieldOverflow
		}
		c.hour, c.minute, c.sec = 0, int32(c.hour), c.minute
	}
	if c.hour < 0 || c.minute < 0 || c.minute > 59 || c.sec < 0 || c.sec > 60 || c.frac < 0 || c.frac > 1e6 {
		return c, fieldOverflow
	}
	return c, good
}

// readOffset reads ±h, ±hh, ±hhmm, ±hh:mm, ±hh:mm:ss into seconds east of Greenwich.
func readOffset(s []byte) (int, problem) {
	if len(s) == 0 || s[0] != '+' && s[0] != '-' {
		return 0, badFormat
	}
	var minute, sec int32
	hour, rest, over := scanInt32(s[1:])
	switch {
	case over:
	case len(rest) > 0 && rest[0] == ':':
		minute, rest, over = scanInt32(rest[1:])
		if !over && len(rest) > 0 && rest[0] == ':' {
			sec, rest, over = scanInt32(rest[1:])
		}
	case len(rest) == 0 && len(s) > 3:
		hour, minute = hour/100, hour%100
	}
	if over || hour < 0 || hour > 15 || minute < 0 || minute > 59 || sec < 0 || sec > 59 {
		return 0, zoneOverflow
	}
	if len(rest) > 0 {
		return 0, badFormat
	}
	off := int(hour*3600 + minute*60 + sec)
	if s[0] == '-' {
		off = -off
	}
	return off, good
}

// setJulian takes a day by its Julian number.
func (d *decoder) setJulian(v int32) {
	y, m, day := CivilFromDays(int64(uint32(v)) - julianEpoch)
	d.year, d.month, d.day = int32(y), int32(m), int32(day)
	d.julian = true
}

// validDate completes the date and tests each field that it has; whether there are enough of
// them is asked later.
func (d *decoder) validDate() problem {
	if d.have&hasYear != 0 && !d.julian {
		switch {
		case d.bc:
			if d.year <= 0 {
				return fieldOverflow
			}
			d.year = 1 - d.year
		case d.twoDigit:
			switch {
			case d.year < 0:
				return fieldOverflow
			case d.year < 70:
				d.year += 2000
			case d.year < 100:
				d.year += 1900
			}
		case d.year <= 0:
			return fieldOverflow
		}
	}
	if d.have&hasDoy != 0 {
		// Years that no date has overflow in Julian days as they do in PostgreSQL.
		since := d.year + 4799
		jd := since*365 + since/4 - since/100 + since/400 - 31738 + d.doy - 1
		y, m, day := CivilFromDays(int64(uint32(jd)) - julianEpoch)
		d.year, d.month, d.day = int32(y), int32(m), int32(day)
	}
	if d.have&hasMonth != 0 && (d.month < 1 || d.month > 12) || d.have&hasDay != 0 && (d.day < 1 || d.day > 31) {
		return mdFieldOverflow
	}
	if d.have&hasDate == hasDate && int(d.day) > DaysInMonth(int(d.year), int(d.month)) {
		return fieldOverflow
	}
	return good
}

// seconds of the day; fields that were never tested overflow.
func (d *decoder) seconds() int32 { return (d.hour*60+d.minute)*60 + d.sec }

// timeOfDay in µs.
func (d *decoder) timeOfDay() int64 { return int64(d.seconds())*MicrosPerSecond + int64(d.frac) }

// timeOverflows says that a time is beyond 24:00.
func (d *decoder) timeOverflows() bool {
	return d.hour < 0 || d.hour > 24 || d.minute < 0 || d.minute > 59 || d.sec < 0 || d.sec > 60 ||
		d.frac < 0 || d.frac > 1e6 || d.timeOfDay() > MicrosPerDay
}
