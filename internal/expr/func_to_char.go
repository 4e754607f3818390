package expr

import (
	"fmt"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

func init() {
	registerFuncs(
		fn("to_char", ts(tTS, tText), tText, datumKernel(func(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			return timeToChar(a[0].Int, time.UTC, false, string(a[1].Bytes))
		})),
		fn("to_char", ts(tTSTZ, tText), tText, datumKernel(func(env *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			return timeToChar(a[0].Int, env.zone(), true, string(a[1].Bytes))
		})).stable(),
		fn("to_char", ts(tInt, tText), tText, datumKernel(func(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			return spanToChar(a[0].Interval, string(a[1].Bytes))
		})),
	)
}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
	"October", "November", "December"}

var dayNames = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

var romanMonths = []string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}

// clockFields are the values that templates print.
type clockFields struct {
	datetime.Fields
	days   int64 // since 1970-01-01
	span   bool
	zone   string
	hasTZ  bool
	offset int
}

func timeToChar(v int64, loc *time.Location, tz bool, format string) (types.Datum, error) {
	if format == "" || datetime.IsInf(v) {
		// Postgres has nothing to print for infinity.
		return types.NullDatum, nil
	}
	f := clockFields{hasTZ: tz}
	if tz {
		f.offset = datetime.OffsetAt(v, loc)
		f.zone, _ = time.UnixMicro(v).In(loc).Zone()
		v += int64(f.offset) * datetime.MicrosPerSecond
	}
	f.Fields = datetime.Split(v)
	f.days = datetime.TimestampToDate(v)
	return f.format(format)
}

func spanToChar(v ival, format string) (types.Datum, error) {
	if format == "" {
		return types.NullDatum, nil
	}
	f := clockFields{span: true}
	f.Year, f.Month, f.Day = int(v.Months/12), int(v.Months%12), int(v.Days)
	f.Hour = int(v.Micros / datetime.MicrosPerHour)
	f.Minute = int(v.Micros / datetime.MicrosPerMinute % 60)
	f.Sec = int(v.Micros / datetime.MicrosPerSecond % 60)
	f.Micro = int(v.Micros % datetime.MicrosPerSecond)
	return f.format(format)
}

func (f *clockFields) format(format string) (types.Datum, error) {
	nodes, err := parseTimeFormat(format)
	if err != nil {
		return types.NullDatum, err
	}
	var b strings.Builder
	for _, n := range nodes {
		if n.key == "" {
			b.WriteString(n.text)
			continue
		}
		s, err := f.field(n)
		if err != nil {
			return types.NullDatum, err
		}
		b.WriteString(s)
	}
	return types.NewText(b.String()), nil
}

func ordinal(s, style string) string {
	suffix := "th"
	if n := len(s); n > 0 && (n < 2 || s[n-2] != '1') {
		switch s[n-1] {
		case '1':
			suffix = "st"
		case '2':
			suffix = "nd"
		case '3':
			suffix = "rd"
		}
	}
	if style == "TH" {
		suffix = strings.ToUpper(suffix)
	}
	return s + suffix
}

// inCase writes a name in the case of the pattern.
func inCase(name, style string) string {
	switch {
	case style == strings.ToUpper(style):
		return strings.ToUpper(name)
	case style == strings.ToLower(style):
		return strings.ToLower(name)
	}
	return name
}

func (f *clockFields) field(n fmtNode) (string, error) {
	num := func(v, width int) (string, error) {
		if n.fill {
			width = 0
		}
		if v < 0 && width > 0 {
			width++
		}
		s := fmt.Sprintf("%0*d", width, v)
		if n.th != "" {
			s = ordinal(s, n.th)
		}
		return s, nil
	}
	name := func(s string, width int) (string, error) {
		s = inCase(s, n.style)
		if n.fill {
			width = 0
		}
		return fmt.Sprintf("%-*s", width, s), nil
	}
	switch n.key {
	case "HH24":
		return num(f.Hour, 2)
	case "HH12", "HH":
		if f.Hour%12 == 0 {
			return num(12, 2)
		}
		return num(f.Hour%12, 2)
	case "MI":
		return num(f.Minute, 2)
	case "SS":
		return num(f.Sec, 2)
	case "MS", "FF3":
		return num(f.Micro/1000, 3)
	case "US", "FF6":
		return num(f.Micro, 6)
	case "FF1":
		return num(f.Micro/100000, 1)
	case "FF2":
		return num(f.Micro/10000, 2)
	case "FF4":
		return num(f.Micro/100, 4)
	case "FF5":
		return num(f.Micro/10, 5)
	case "SSSS", "SSSSS":
		return num(f.Hour*3600+f.Minute*60+f.Sec, 0)
	case "AM", "PM":
		return inCase([]string{"AM", "PM"}[b2i(f.Hour%24 >= 12)], n.style), nil
	case "A.M.", "P.M.":
		return inCase([]string{"A.M.", "P.M."}[b2i(f.Hour%24 >= 12)], n.style), nil
	}
	if f.span {
		return f.spanField(n, num)
	}
	year := f.Year
	if year <= 0 {
		year = 1 - year
	}
	isoYear, isoWeek := datetime.IsoWeek(f.days)
	doy := int(f.days-datetime.DaysFromCivil(f.Year, 1, 1)) + 1
	wday := datetime.IsoWeekday(f.days) % 7
	if isoYear <= 0 {
		isoYear = 1 - isoYear
	}
	switch n.key {
	case "Y,YYY":
		return fmt.Sprintf("%d,%03d", year/1000, year%1000), nil
	case "YYYY":
		return num(year, 4)
	case "YYY":
		return num(year%1000, 3)
	case "YY":
		return num(year%100, 2)
	case "Y":
		return num(year%10, 1)
	case "IYYY":
		return num(isoYear, 4)
	case "IYY":
		return num(isoYear%1000, 3)
	case "IY":
		return num(isoYear%100, 2)
	case "I":
		return num(isoYear%10, 1)
	case "BC", "AD":
		return inCase([]string{"AD", "BC"}[b2i(f.Year <= 0)], n.style), nil
	case "B.C.", "A.D.":
		return inCase([]string{"A.D.", "B.C."}[b2i(f.Year <= 0)], n.style), nil
	case "MONTH":
		return name(monthNames[f.Month-1], 9)
	case "MON":
		return name(monthNames[f.Month-1][:3], 0)
	case "MM":
		return num(f.Month, 2)
	case "RM":
		return name(romanMonths[f.Month-1], 4)
	case "DAY":
		return name(dayNames[wday], 9)
	case "DY":
		return name(dayNames[wday][:3], 0)
	case "DDD":
		return num(doy, 3)
	case "DD":
		return num(f.Day, 2)
	case "D":
		return num(wday+1, 0)
	case "ID":
		return num((wday+6)%7+1, 0)
	case "IDDD":
		y, _ := datetime.IsoWeek(f.days)
		return num(int(f.days-datetime.IsoWeekStart(y, 1))+1, 3)
	case "IW":
		return num(isoWeek, 2)
	case "WW":
		return num((doy-1)/7+1, 2)
	case "W":
		return num((f.Day-1)/7+1, 0)
	case "Q":
		return num((f.Month-1)/3+1, 0)
	case "CC":
		if f.Year > 0 {
			return num((f.Year+99)/100, 2)
		}
		return num(-((99 - (f.Year - 1)) / 100), 2)
	case "J":
		return num(int(datetime.JulianDay(f.days)), 0)
	}
	return f.zoneField(n)
}

func (f *clockFields) zoneField(n fmtNode) (string, error) {
	if !f.hasTZ {
		if n.key == "TZ" {
			return "", nil
		}
	}
	switch n.key {
	case "TZ":
		return inCase(f.zone, n.style), nil
	case "TZH":
		sign := '+'
		if f.offset < 0 {
			sign = '-'
		}
		return fmt.Sprintf("%c%02d", sign, abs(f.offset)/3600), nil
	case "TZM":
		return fmt.Sprintf("%02d", abs(f.offset)/60%60), nil
	}
	// OF
	sign := '+'
	if f.offset < 0 {
		sign = '-'
	}
	s := fmt.Sprintf("%c%02d", sign, abs(f.offset)/3600)
	if f.offset%3600 != 0 {
		s += fmt.Sprintf(":%02d", abs(f.offset)/60%60)
	}
	return s, nil
}

func abs(v int) int { return max(v, -v) }

func (f *clockFields) spanField(n fmtNode, num func(v, width int) (string, error)) (string, error) {
	switch n.key {
	case "YYYY":
		return num(f.Year, 4)
	case "YY":
		return num(f.Year%100, 2)
	case "MM":
		return num(f.Month, 2)
	case "DD":
		return num(f.Day, 2)
	}
	return "", sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid format specification for an interval value").
		WithHint("Intervals are not tied to specific calendar dates.")
}
