package tochar

import (
	"strconv"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// moment is a date and time taken apart, or an interval, whose fields may be
// negative.
type moment struct {
	year, month, day   int64
	hour, minute, sec  int64
	micro              int64
	weekday, dayOfYear int64
	offset             int64 // from UTC, seconds
	zone               string
	interval           bool
}

// AppendTimestamp is to_char(timestamp, text). null is true for an infinite
// value or an empty template.
func (f *DateFormat) AppendTimestamp(dst []byte, ts int64) (out []byte, null bool, err error) {
	return f.appendTS(dst, ts, nil)
}

// AppendTimestamptz is to_char(timestamptz, text) where the clocks are those of
// loc; null as for AppendTimestamp.
func (f *DateFormat) AppendTimestamptz(dst []byte, ts int64, loc *time.Location) (out []byte, null bool, err error) {
	if loc == nil {
		loc = time.UTC
	}
	return f.appendTS(dst, ts, loc)
}

func (f *DateFormat) appendTS(dst []byte, ts int64, loc *time.Location) ([]byte, bool, error) {
	if f.empty || datetime.IsInf(ts) {
		return dst, true, nil
	}
	var m moment
	if loc != nil {
		name, off := time.UnixMicro(ts).In(loc).Zone()
		m.zone, m.offset = name, int64(off)
		ts += m.offset * datetime.MicrosPerSecond
	}
	p := datetime.Split(ts)
	m.year, m.month, m.day = int64(p.Year), int64(p.Month), int64(p.Day)
	m.hour, m.minute, m.sec, m.micro = int64(p.Hour), int64(p.Minute), int64(p.Sec), int64(p.Micro)
	j := julian(m.year, m.month, m.day)
	m.weekday = weekday(j)
	m.dayOfYear = j - julian(m.year, 1, 1) + 1
	dst, err := f.print(dst, &m)
	return dst, false, err
}

// AppendInterval is to_char(interval, text); null is true for an empty
// template. 22007 for a pattern that needs a calendar date.
func (f *DateFormat) AppendInterval(dst []byte, months, days int32, micros int64) (out []byte, null bool, err error) {
	if f.empty {
		return dst, true, nil
	}
	m := moment{
		year: int64(months / 12), month: int64(months % 12), day: int64(days),
		hour: micros / datetime.MicrosPerHour, minute: micros / datetime.MicrosPerMinute % 60,
		sec: micros / datetime.MicrosPerSecond % 60, micro: micros % datetime.MicrosPerSecond,
		interval: true,
	}
	m.dayOfYear = (m.year*12+m.month)*30 + m.day
	dst, err = f.print(dst, &m)
	return dst, false, err
}

func noInterval() error {
	return sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid format specification for an interval value").
		WithHint("Intervals are not tied to specific calendar dates.")
}

var (
	monthNames = [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	// romanMonths stand from December to January: a longer numeral before its
	// own beginnings.
	romanMonths = [12]string{"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"}
)

func (f *DateFormat) print(dst []byte, m *moment) ([]byte, error) {
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.kind != nodeField {
			dst = append(dst, n.char...)
			continue
		}
		if m.interval && needsDate(n.key.field) {
			return dst, noInterval()
		}
		start := len(dst)
		var number bool
		if dst, number = n.print(dst, m); number && n.th != noOrdinal {
			var err error
			if dst, err = appendOrdinal(dst, dst[start:], n.th); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

func needsDate(f field) bool {
	switch f {
	case fAD, fADDots, fDay, fDy, fD, fID, fMonth, fMon, fOF, fTZ, fTZH, fTZM:
		return true
	}
	return false
}

// print writes one field; number says that TH may follow it.
func (n *dateNode) print(dst []byte, m *moment) (out []byte, number bool) {
	switch n.key.field {
	case fAM, fAMDots:
		return n.half(dst, m.hour%24 >= 12, "AM", "PM"), false
	case fAD, fADDots:
		return n.half(dst, m.year <= 0, "AD", "BC"), false
	case fDay:
		return n.name(dst, dayNames[m.weekday], 9), false
	case fDy:
		return n.name(dst, dayNames[m.weekday][:3], 0), false
	case fMonth:
		return n.name(dst, monthNames[m.month-1], 9), false
	case fMon:
		return n.name(dst, monthNames[m.month-1][:3], 0), false
	case fRM:
		return n.roman(dst, m), false
	case fTZ, fTZH, fTZM, fOF:
		return n.timeZone(dst, m), false
	case fFX:
		return dst, false
	case fCommaYear:
		y := adjustYear(m.year, m.interval)
		dst = strconv.AppendInt(dst, y/1000, 10)
		dst = append(dst, ',')
		return appendPadded(dst, y-y/1000*1000, 3), true
	case fQ:
		if m.month == 0 {
			return dst, false
		}
	}
	v, width := n.number(m)
	return appendPadded(dst, v, width), true
}

// signed is the width of a field that grows by one for a sign; 0 with FM.
func (n *dateNode) signed(v int64, width int) int {
	if n.fill {
		return 0
	}
	if v < 0 {
		width++
	}
	return width
}

// number gives the value of a numeric field and its least width.
func (n *dateNode) number(m *moment) (v int64, width int) {
	fill := func(width int) int {
		if n.fill {
			return 0
		}
		return width
	}
	switch n.key.field {
	case fHH12:
		v = m.hour % 12
		if v == 0 {
			v = 12
		}
		return v, n.signed(m.hour, 2)
	case fHH24:
		return m.hour, n.signed(m.hour, 2)
	case fMI:
		return m.minute, n.signed(m.minute, 2)
	case fSS:
		return m.sec, n.signed(m.sec, 2)
	case fMS:
		return m.micro / 1000, 3
	case fUS:
		return m.micro, 6
	case fFraction:
		v = m.micro
		for range 6 - n.key.digits {
			v /= 10
		}
		return v, n.key.digits
	case fSSSS:
		return m.hour*3600 + m.minute*60 + m.sec, 0
	case fMM:
		return m.month, n.signed(m.month, 2)
	case fDDD:
		return m.dayOfYear, fill(3)
	case fIDDD:
		return isoYearDay(m.year, m.month, m.day), fill(3)
	case fDD:
		return m.day, fill(2)
	case fD:
		return m.weekday + 1, 0
	case fID:
		return (m.weekday+6)%7 + 1, 0
	case fWW:
		return (m.dayOfYear-1)/7 + 1, fill(2)
	case fIW:
		_, week := isoWeekOf(m.year, m.month, m.day)
		return week, fill(2)
	case fQ:
		return (m.month-1)/3 + 1, 0
	case fCC:
		v = m.century()
		return v, n.signed(v, 2)
	case fW:
		return (m.day-1)/7 + 1, 0
	case fJ:
		return julian(m.year, m.month, m.day), 0
	}
	return n.year(m)
}

// century counts from 1; there is none before the first but the first BC.
func (m *moment) century() int64 {
	switch {
	case m.interval:
		return m.year / 100
	case m.year > 0:
		return (m.year-1)/100 + 1
	}
	return m.year/100 - 1
}

// adjustYear gives the year as it is written: 1 BC is 1.
func adjustYear(y int64, interval bool) int64 {
	if interval || y > 0 {
		return y
	}
	return 1 - y
}

func (n *dateNode) year(m *moment) (v int64, width int) {
	y := m.year
	// The sign that widens the field is the calendar year's, in ISO years too.
	sign := adjustYear(y, m.interval)
	if n.key.field == fIYear {
		y, _ = isoWeekOf(m.year, m.month, m.day)
	}
	v = adjustYear(y, m.interval)
	width = n.signed(sign, n.key.digits)
	switch n.key.digits {
	case 3:
		v %= 1000
	case 2:
		v %= 100
	case 1:
		return v % 10, 0
	}
	return v, width
}

func (n *dateNode) pad(dst []byte, start, width int) []byte {
	if n.fill || n.local {
		return dst
	}
	for len(dst)-start < width {
		dst = append(dst, ' ')
	}
	return dst
}

// appendPadded writes v with zeros up to width, a sign counted.
func appendPadded(dst []byte, v int64, width int) []byte {
	start := len(dst)
	dst = strconv.AppendInt(dst, v, 10)
	missing := width - (len(dst) - start)
	if missing <= 0 {
		return dst
	}
	if v < 0 {
		start++
	}
	for range missing {
		dst = append(dst, '0')
	}
	copy(dst[start+missing:], dst[start:len(dst)-missing])
	for i := range missing {
		dst[start+i] = '0'
	}
	return dst
}

// appendOrdinal appends the ending of number, which may be what dst ends with.
func appendOrdinal(dst, number []byte, th ordinal) ([]byte, error) {
	n := len(number)
	if n == 0 || !isDigit(number[n-1]) {
		return dst, sqlerr.New(sqlerr.InvalidTextRepresentation, `"%s" is not a number`, string(number))
	}
	ending := "TH"
	if n < 2 || number[n-2] != '1' {
		switch number[n-1] {
		case '1':
			ending = "ST"
		case '2':
			ending = "ND"
		case '3':
			ending = "RD"
		}
	}
	start := len(dst)
	dst = append(dst, ending...)
	if th == lowerOrdinal {
		lowerBytes(dst[start:])
	}
	return dst, nil
}
