package expr

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

func init() {
	registerFuncs(
		fn("to_date", ts(tText, tText), tDate, datumKernel(func(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			f, err := parseByFormat(string(a[0].Bytes), string(a[1].Bytes))
			if err != nil {
				return types.NullDatum, err
			}
			return types.NewInt(datetime.DaysFromCivil(f.year, f.month, f.day)), nil
		})),
		fn("to_timestamp", ts(tText, tText), tTSTZ, datumKernel(func(env *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			f, err := parseByFormat(string(a[0].Bytes), string(a[1].Bytes))
			if err != nil {
				return types.NullDatum, err
			}
			d := datetime.DaysFromCivil(f.year, f.month, f.day)
			v, err := dateAddTime(d, datetime.Fields{Hour: f.hour, Minute: f.min, Sec: f.sec, Micro: f.us}.TimeOfDay())
			if err != nil {
				return types.NullDatum, err
			}
			if f.hasTZ {
				v -= int64(f.offset) * datetime.MicrosPerSecond
				if !datetime.ValidTimestamp(v) {
					return types.NullDatum, datetime.TimestampOutOfRange()
				}
				return types.NewInt(v), nil
			}
			v, err = localToUTC(env, v)
			return types.NewInt(v), err
		})).stable(),
	)
}

// readFields is what a template has read from a text.
type readFields struct {
	year, month, day, hour, min, sec, us int
	doy, j                               int
	pm, bc                               int // 0 not given, 1 AM or AD, 2 PM or BC
	twelve, hasTZ, yearGiven             bool
	offset                               int
}

type fmtReader struct {
	s string
	i int
	f readFields
}

func (r *fmtReader) bad(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidDatetimeFormat, format, args...)
}

func (r *fmtReader) blanks() {
	for r.i < len(r.s) && r.s[r.i] == ' ' {
		r.i++
	}
}

// number reads at most width digits, any number of them where no digit follows
// in the template.
func (r *fmtReader) number(n fmtNode, width int, next *fmtNode) (int, error) {
	r.blanks()
	limit := width
	if n.fill || !startsWithDigit(next) {
		limit = 10
	}
	start := r.i
	if r.i < len(r.s) && (r.s[r.i] == '-' || r.s[r.i] == '+') {
		r.i++
		limit++
	}
	for r.i < len(r.s) && r.i-start < limit && r.s[r.i] >= '0' && r.s[r.i] <= '9' {
		r.i++
	}
	text := r.s[start:r.i]
	v, err := strconv.Atoi(text)
	if err != nil {
		shown := r.s[start:min(len(r.s), start+width)]
		return 0, r.bad(`invalid value "%s" for "%s"`, shown, n.style).WithDetail("Value must be an integer.")
	}
	if v > 1<<31-1 || v < -1<<31 {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `value for "%s" in source string is out of range`, n.style)
	}
	return v, nil
}

func startsWithDigit(n *fmtNode) bool {
	if n == nil {
		return false
	}
	switch n.key {
	case "":
		return n.text != "" && n.text[0] >= '0' && n.text[0] <= '9'
	case "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "DAY", "DY", "MONTH", "MON", "P.M.", "PM", "RM", "TZH", "TZ", "OF":
		return false
	}
	return true
}

// name reads one of names, or of their first three letters.
func (r *fmtReader) name(n fmtNode, names []string, short bool) (int, error) {
	r.blanks()
	for i, name := range names {
		if short {
			name = name[:3]
		}
		if len(r.s)-r.i >= len(name) && strings.EqualFold(r.s[r.i:r.i+len(name)], name) {
			r.i += len(name)
			return i, nil
		}
	}
	word := r.s[r.i:]
	if j := strings.IndexFunc(word, unicode.IsSpace); j >= 0 {
		word = word[:j]
	}
	return 0, r.bad(`invalid value "%s" for "%s"`, word, n.style).
		WithDetail("The given value did not match any of the allowed values for this field.")
}

// parseByFormat reads a date and time as to_timestamp does.
func parseByFormat(s, format string) (*readFields, error) {
	nodes, err := parseTimeFormat(format)
	if err != nil {
		return nil, err
	}
	r := &fmtReader{s: s}
	for k, n := range nodes {
		if n.key == "" {
			r.skip(n)
			continue
		}
		if r.i >= len(r.s) {
			break
		}
		var next *fmtNode
		if k+1 < len(nodes) {
			next = &nodes[k+1]
		}
		if err := r.field(n, next); err != nil {
			return nil, err
		}
		if n.th != "" {
			r.i = min(len(r.s), r.i+2)
		}
	}
	return r.finish()
}

// skip passes literal text: separators stand for any separators and blanks.
func (r *fmtReader) skip(n fmtNode) {
	for _, c := range n.text {
		if r.i >= len(r.s) {
			return
		}
		switch {
		case n.quoted || unicode.IsLetter(c) || unicode.IsDigit(c):
			r.i++
		case c == ' ':
			r.blanks()
		default:
			r.blanks()
			if ch := r.s[min(r.i, len(r.s)-1)]; r.i < len(r.s) && ch != '+' && ch != '-' && !isWordByte(ch) && ch < 0x80 {
				r.i++
			} else if r.i < len(r.s) && ch == byte(c) {
				r.i++
			}
			r.blanks()
		}
	}
}

func (r *fmtReader) field(n fmtNode, next *fmtNode) error {
	f := &r.f
	num := func(width int, to *int) error {
		v, err := r.number(n, width, next)
		*to = v
		return err
	}
	switch n.key {
	case "YYYY":
		f.yearGiven = true
		return num(4, &f.year)
	case "YYY", "YY", "Y":
		start := r.i
		f.yearGiven = true
		if err := num(len(n.key), &f.year); err != nil {
			return err
		}
		if len(strings.TrimSpace(r.s[start:r.i])) < 4 {
			f.year = nearYear(f.year)
		}
		return nil
	case "MM":
		return num(2, &f.month)
	case "DD":
		return num(2, &f.day)
	case "DDD":
		return num(3, &f.doy)
	case "J":
		return num(7, &f.j)
	case "HH24":
		return num(2, &f.hour)
	case "HH12", "HH":
		f.twelve = true
		if err := num(2, &f.hour); err != nil {
			return err
		}
		if f.hour < 1 || f.hour > 12 {
			return r.bad(`hour "%d" is invalid for the 12-hour clock`, f.hour).
				WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
		}
		return nil
	case "MI":
		return num(2, &f.min)
	case "SS":
		return num(2, &f.sec)
	case "MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		return r.fractionField(n, next)
	case "SSSS", "SSSSS":
		var v int
		if err := num(5, &v); err != nil {
			return err
		}
		f.hour, f.min, f.sec = v/3600, v/60%60, v%60
		return nil
	case "MONTH":
		i, err := r.name(n, monthNames, false)
		if err != nil {
			i, err = r.name(n, monthNames, true)
		}
		f.month = i + 1
		return err
	case "MON":
		i, err := r.name(n, monthNames, true)
		f.month = i + 1
		return err
	case "DAY", "DY":
		_, err := r.name(n, dayNames, n.key == "DY")
		return err
	case "AM", "PM":
		i, err := r.name(n, []string{"AM", "PM"}, false)
		f.pm = i + 1
		return err
	case "A.M.", "P.M.":
		i, err := r.name(n, []string{"A.M.", "P.M."}, false)
		f.pm = i + 1
		return err
	case "AD", "BC":
		i, err := r.name(n, []string{"AD", "BC"}, false)
		f.bc = i + 1
		return err
	case "A.D.", "B.C.":
		i, err := r.name(n, []string{"A.D.", "B.C."}, false)
		f.bc = i + 1
		return err
	case "TZH":
		r.blanks()
		neg := r.i < len(r.s) && r.s[r.i] == '-'
		if r.i < len(r.s) && (neg || r.s[r.i] == '+') {
			r.i++
		}
		var v int
		if err := num(2, &v); err != nil {
			return err
		}
		f.hasTZ = true
		f.offset = v * 3600
		if neg {
			f.offset = -f.offset
		}
		return nil
	case "TZM":
		var v int
		if err := num(2, &v); err != nil {
			return err
		}
		if f.offset < 0 {
			v = -v
		}
		f.offset += v * 60
		return nil
	case "Q":
		var v int
		return num(1, &v)
	}
	return sqlerr.Unsupported(`formatting field "`+n.style+`" is only supported in to_char`,
		"Read the parts that are needed, such as YYYY, MM, DD, HH24, MI and SS.")
}

func (r *fmtReader) fractionField(n fmtNode, next *fmtNode) error {
	width := map[string]int{"MS": 3, "US": 6}[n.key]
	if width == 0 {
		width = int(n.key[2] - '0')
	}
	r.blanks()
	start := r.i
	for r.i < len(r.s) && r.i-start < width && r.s[r.i] >= '0' && r.s[r.i] <= '9' {
		r.i++
	}
	digits := r.s[start:r.i]
	v, err := strconv.Atoi(digits)
	if err != nil {
		return r.bad(`invalid value "%s" for "%s"`, r.s[start:min(len(r.s), start+width)], n.style).WithDetail("Value must be an integer.")
	}
	for range 6 - len(digits) {
		v *= 10
	}
	r.f.us = v
	return nil
}

// nearYear completes a year of fewer than four digits to the one nearest 2020.
func nearYear(y int) int {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	case y < 520:
		return y + 2000
	case y < 1000:
		return y + 1000
	}
	return y
}

func (r *fmtReader) finish() (*readFields, error) {
	f := &r.f
	if f.j > 0 {
		f.year, f.month, f.day = datetime.CivilFromDays(int64(f.j) - datetime.JulianDay(0))
		return f, nil
	}
	out := func() error {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, `date/time field value out of range: "%s"`, r.s)
	}
	if !f.yearGiven {
		f.year = 0
	}
	if f.bc == 2 && f.year > 0 {
		f.year = 1 - f.year
	} else if f.year < 0 {
		f.year++
	} else if f.year == 0 && !f.yearGiven {
		// Without a year it is 1 BC, as in Postgres.
		f.year = 0
	}
	if f.doy > 0 && f.month == 0 {
		limit := 365
		if datetime.DaysInMonth(f.year, 2) == 29 {
			limit = 366
		}
		if f.doy > limit {
			return nil, out()
		}
		_, f.month, f.day = datetime.CivilFromDays(datetime.DaysFromCivil(f.year, 1, 1) + int64(f.doy) - 1)
	}
	if f.month == 0 {
		f.month = 1
	}
	if f.day == 0 {
		f.day = 1
	}
	if f.twelve {
		switch {
		case f.pm == 2 && f.hour < 12:
			f.hour += 12
		case f.pm == 1 && f.hour == 12:
			f.hour = 0
		}
	}
	if f.month < 1 || f.month > 12 || f.day < 1 || f.day > datetime.DaysInMonth(f.year, f.month) ||
		f.hour < 0 || f.hour > 23 || f.min < 0 || f.min > 59 || f.sec < 0 || f.sec > 59 {
		return nil, out()
	}
	if f.year < -4713 || f.year > 5874897 || !datetime.ValidDate(datetime.DaysFromCivil(f.year, f.month, f.day)) {
		return nil, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date out of range: "%s"`, r.s)
	}
	return f, nil
}
