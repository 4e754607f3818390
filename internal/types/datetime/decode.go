package datetime

import (
	"strings"
	"time"
)

// Long because it follows PostgreSQL's DecodeDateTime, which is one state machine over fields.

// What a decoder has seen.
const (
	hasYear = 1 << iota
	hasMonth
	hasDay
	hasTime
	hasZone
	hasDoy

	hasDate = hasYear | hasMonth | hasDay
)

// decoder collects fields as DecodeDateTime does; the rules for numbers whose
// place is open are Postgres's with DateStyle MDY.
type decoder struct {
	f         Fields
	have      int
	special   int // a special word, or -1
	textMonth bool
	twoDigit  bool // the year was written with two digits
	bc        bool
	ampm      int // -1 none, 0 AM, 1 PM
	julian    bool
	pendingJ  bool
	pendingT  bool
	timeOnly  bool
	noDate    bool // digits joined by - are a time with its zone
	zone      *time.Location
	zoneName  string
	offset    int
	doy       int
}

func decode(s string, ctx *Context, timeOnly bool) (*decoder, problem) {
	d := &decoder{special: -1, ampm: -1, timeOnly: timeOnly}
	toks, ok := tokenize(s)
	if !ok || len(toks) == 0 {
		return d, badFormat
	}
	// A time has a date before it only where the last part is one, or the second a time.
	dated := !timeOnly || len(toks) > 1 && (toks[len(toks)-1].kind == tokDate || toks[1].kind == tokTime)
	for i, t := range toks {
		d.noDate = timeOnly && (i > 0 || !dated)
		if p := d.take(t, ctx); p != good {
			return d, p
		}
	}
	return d, d.finish()
}

func (d *decoder) take(t token, ctx *Context) problem {
	if d.pendingJ && t.kind != tokNumber {
		return badFormat
	}
	switch t.kind {
	case tokDate:
		return d.date(t.s)
	case tokTime:
		d.pendingT = false
		return d.time(t.s)
	case tokZone:
		if d.have&hasZone != 0 {
			return badFormat
		}
		off, ok := parseOffset(t.s)
		if !ok {
			if strings.Trim(t.s[1:], "0123456789:") == "" {
				return zoneOverflow
			}
			return badFormat
		}
		d.offset = off
		d.have |= hasZone
		return good
	case tokNumber:
		return d.number(t.s)
	}
	return d.word(t.s)
}

func (d *decoder) set(bits int) problem {
	if d.have&bits != 0 {
		return badFormat
	}
	d.have |= bits
	return good
}

func (d *decoder) date(s string) problem {
	if d.have&(hasMonth|hasDay) == hasMonth|hasDay || d.pendingT || d.noDate {
		if isDigit(s[0]) {
			i := strings.LastIndexByte(s, '-')
			if i < 0 || d.have&hasZone != 0 {
				return badFormat
			}
			off, ok := parseOffset(s[i:])
			if !ok {
				return badFormat
			}
			d.offset = off
			d.have |= hasZone
			d.pendingT = false
			return d.numberField(s[:i])
		}
		return d.zoneWord(s)
	}
	if d.have&hasTime != 0 || d.ampm >= 0 || d.bc {
		return badFormat // a date stands before its time
	}
	parts := strings.FieldsFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z')
	})
	var split []string
	for _, p := range parts {
		// A digit next to a letter parts them: 8jan.
		i := 0
		for i < len(p) {
			j := i
			digit := isDigit(p[i])
			for j < len(p) && isDigit(p[j]) == digit {
				j++
			}
			split = append(split, p[i:j])
			i = j
		}
	}
	for _, p := range split {
		if isAlpha(p[0]) {
			m, ok := month(p)
			if !ok {
				if len(d.zoneName) == 0 && d.have&hasTime != 0 {
					return d.zoneWord(s)
				}
				return badFormat
			}
			if pr := d.set(hasMonth); pr != good {
				return pr
			}
			d.f.Month, d.textMonth = m, true
		}
	}
	for _, p := range split {
		if isDigit(p[0]) {
			if pr := d.place(p); pr != good {
				return pr
			}
		}
	}
	if d.have&hasDate != hasDate && d.have&hasDoy == 0 {
		return badFormat
	}
	return good
}

// place puts a number where the fields seen so far say it belongs.
func (d *decoder) place(s string) problem {
	n := len(s)
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		if dot > 2 {
			return d.numberField(s)
		}
		us, ok := fraction(s[dot:])
		if !ok {
			return badFormat
		}
		d.f.Micro = us
		s = s[:dot]
	}
	v := atoi(s)
	if n == 3 && d.have&hasDate == hasYear && v >= 1 && v <= 366 {
		d.doy = v
		d.have |= hasDoy | hasMonth | hasDay
		return good
	}
	year := func() problem {
		d.f.Year, d.twoDigit = v, n <= 2
		return d.set(hasYear)
	}
	mon := func() problem { d.f.Month = v; return d.set(hasMonth) }
	day := func() problem { d.f.Day = v; return d.set(hasDay) }
	switch d.have & hasDate {
	case 0:
		if n >= 3 {
			return year()
		}
		return mon()
	case hasYear:
		return mon()
	case hasMonth:
		if d.textMonth && n >= 3 {
			return year()
		}
		return day()
	case hasYear | hasMonth:
		if d.textMonth && n >= 3 && d.twoDigit {
			d.f.Day, d.f.Year, d.twoDigit = d.f.Year, v, false
			return d.set(hasDay)
		}
		return day()
	case hasDay:
		return mon()
	case hasMonth | hasDay:
		return year()
	case hasDate:
		return d.numberField(s)
	}
	return badFormat
}

// numberField takes digits that run together: yyyymmdd, hhmmss, hhmm.
func (d *decoder) numberField(s string) problem {
	hadDot := false
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		us, ok := fraction(s[dot:])
		if !ok {
			return badFormat
		}
		d.f.Micro = us
		s = s[:dot]
		hadDot = true
	}
	n := len(s)
	if !hadDot && !d.timeOnly && d.have&hasDate != hasDate && !d.pendingT {
		if n < 6 {
			return badFormat
		}
		d.f.Day, d.f.Month, d.f.Year = atoi(s[n-2:]), atoi(s[n-4:n-2]), atoi(s[:n-4])
		d.twoDigit = n-4 == 2
		return d.set(hasDate)
	}
	switch n {
	case 6:
		d.f.Hour, d.f.Minute, d.f.Sec = atoi(s[:2]), atoi(s[2:4]), atoi(s[4:])
	case 4:
		d.f.Hour, d.f.Minute, d.f.Sec = atoi(s[:2]), atoi(s[2:]), 0
	default:
		return badFormat
	}
	if p := d.set(hasTime); p != good {
		return p
	}
	return d.checkTime()
}

func (d *decoder) number(s string) problem {
	dot := strings.IndexByte(s, '.')
	switch {
	case d.pendingJ:
		d.pendingJ = false
		if p := d.set(hasDate); p != good {
			return p
		}
		d.julian = true
		whole := s
		if dot >= 0 {
			whole = s[:dot]
			us, ok := fraction(s[dot:])
			if !ok {
				return badFormat
			}
			// The fraction of a Julian day is a time of day.
			f := SplitTime(int64(us) * MicrosPerDay / 1000000)
			d.f.Hour, d.f.Minute, d.f.Sec, d.f.Micro = f.Hour, f.Minute, f.Sec, f.Micro
			d.have |= hasTime
		}
		d.f.Year, d.f.Month, d.f.Day = CivilFromDays(int64(atoi(whole)) - julianEpoch)
		return good
	case d.pendingT:
		d.pendingT = false
		return d.numberField(s)
	case d.timeOnly:
		return d.numberField(s)
	case dot >= 0 && d.have&hasDate == 0:
		return d.date(s)
	case dot > 2:
		return d.numberField(s)
	case len(s) >= 6 && (d.have&hasDate == 0 || d.have&hasTime == 0):
		return d.numberField(s)
	}
	return d.place(s)
}

func (d *decoder) time(s string) problem {
	if p := d.set(hasTime); p != good {
		return p
	}
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		us, ok := fraction(s[dot:])
		if !ok {
			return badFormat
		}
		d.f.Micro = us
		s = s[:dot]
	}
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" || parts[1] == "" {
		return badFormat
	}
	d.f.Hour, d.f.Minute = atoi(parts[0]), atoi(parts[1])
	if len(parts) == 3 {
		if parts[2] == "" {
			return badFormat
		}
		d.f.Sec = atoi(parts[2])
	}
	return d.checkTime()
}

func (d *decoder) checkTime() problem {
	f := &d.f
	if f.Minute > 59 || f.Sec > 60 || f.Hour > 24 ||
		f.Hour == 24 && (f.Minute > 0 || f.Sec > 0 || f.Micro > 0) {
		return fieldOverflow
	}
	return good
}

func (d *decoder) word(s string) problem {
	w, ok := words[s]
	if !ok {
		return d.zoneWord(s)
	}
	switch w.kind {
	case wordMonth:
		if d.have&hasMonth != 0 && !d.textMonth && d.have&hasDay == 0 && d.f.Month >= 1 && d.f.Month <= 31 {
			// What was taken for a month was the day.
			d.f.Day = d.f.Month
			d.have = d.have&^hasMonth | hasDay
		}
		d.textMonth, d.f.Month = true, w.val
		return d.set(hasMonth)
	case wordAmPm:
		d.ampm = w.val
	case wordAdBc:
		d.bc = w.val == 1
	case wordISOTime:
		if d.have&hasDate != hasDate && !d.timeOnly {
			return badFormat
		}
		d.pendingT = true
	case wordJulian:
		d.pendingJ = true
	case wordSpecial:
		if d.special >= 0 {
			return badFormat
		}
		if w.val == spAllballs {
			return d.set(hasTime | hasZone)
		}
		if d.have&hasDate != 0 {
			return badFormat
		}
		d.special = w.val
		if w.val == spToday || w.val == spTomorrow || w.val == spYesterday {
			d.have |= hasDate
		}
	}
	return good
}

func (d *decoder) zoneWord(s string) problem {
	if d.have&hasZone != 0 {
		return badFormat
	}
	if s == "dst" || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_/+-:") != "" {
		return badFormat
	}
	loc, err := LoadZone(s)
	if err != nil {
		d.zoneName = s
		if strings.ContainsAny(s, "/_") {
			return badZone
		}
		return badFormat
	}
	d.zone, d.zoneName = loc, s
	d.have |= hasZone
	return good
}

func (d *decoder) finish() problem {
	if d.pendingJ || d.pendingT {
		return badFormat
	}
	f := &d.f
	if d.special < 0 && !d.julian && d.have&hasYear != 0 {
		switch {
		case d.bc:
			if f.Year <= 0 {
				return fieldOverflow
			}
			f.Year = 1 - f.Year
		case d.twoDigit && f.Year < 70:
			f.Year += 2000
		case d.twoDigit && f.Year < 100:
			f.Year += 1900
		case f.Year <= 0:
			return fieldOverflow
		}
	}
	if d.ampm >= 0 {
		if f.Hour > 12 {
			return fieldOverflow
		}
		if d.ampm == 0 && f.Hour == 12 {
			f.Hour = 0
		} else if d.ampm == 1 && f.Hour != 12 {
			f.Hour += 12
		}
	}
	if d.special >= 0 {
		return good
	}
	if d.timeOnly {
		if d.have&hasTime == 0 {
			return badFormat
		}
		return good
	}
	if d.have&hasDate != hasDate {
		return badFormat
	}
	if d.julian {
		return good
	}
	if d.have&hasDoy != 0 {
		if d.doy > 365 && !isLeap(f.Year) {
			return fieldOverflow
		}
		_, f.Month, f.Day = CivilFromDays(DaysFromCivil(f.Year, 1, 1) + int64(d.doy-1))
		return good
	}
	if f.Month < 1 || f.Month > 12 || f.Day < 1 || f.Day > 31 {
		return mdFieldOverflow
	}
	if f.Day > DaysInMonth(f.Year, f.Month) {
		return fieldOverflow
	}
	return good
}
