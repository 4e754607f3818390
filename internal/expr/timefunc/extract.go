package timefunc

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// extract (numeric) and date_part (float8).

// Func computes a result of values of types ts.
type Func = func(env *expr.Env, ts []types.T, args []types.Datum) (types.Datum, error)

// timeUnits maps the spellings of units to one name each.
var timeUnits = func() map[string]string {
	m := map[string]string{}
	for _, l := range []string{
		"microseconds microsecond us usec usecs usecond useconds", "milliseconds millisecond ms msec msecs msecond mseconds",
		"second s sec secs seconds", "minute m min mins minutes", "hour h hr hrs hours", "day d days", "week w weeks",
		"month mon mons months", "quarter qtr", "year y yr yrs years", "decade dec decs decades", "century c cent centuries",
		"millennium mil mils millennia", "dow", "isodow", "doy", "isoyear", "julian", "epoch", "timezone",
		"timezone_hour timezone_h", "timezone_minute timezone_m",
	} {
		ws := strings.Fields(l)
		for _, w := range ws {
			m[w] = ws[0]
		}
	}
	return m
}()

func unitUnknown(unit string, t types.T) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, `unit "%s" not recognized for type %s`, unit, expr.TypeName(t))
}

func unitUnsupported(unit string, t types.T) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, `unit "%s" not supported for type %s`, unit, expr.TypeName(t))
}

// DatePart is date_part.
func DatePart(env *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	if typs[1].Kind == types.Date {
		// date_part takes dates as timestamps, extract does not.
		ts, err := datetime.DateToTimestamp(a[1].Int)
		if err != nil {
			return types.NullDatum, err
		}
		typs, a = []types.T{types.Of(types.Text), types.Of(types.Timestamp)}, []types.Datum{a[0], types.NewInt(ts)}
	}
	d, err := Extract(env, typs, a)
	if err != nil || d.Null {
		return d, err
	}
	return types.NewFloat(numeric.Float64(d.Decimal)), nil
}

// Extract is extract.
func Extract(env *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	word := strings.ToLower(string(a[0].Bytes))
	unit, ok := timeUnits[word]
	t := typs[1].Base()
	if !ok {
		return types.NullDatum, unitUnknown(word, t)
	}
	var d *apd.Decimal
	ok = true
	switch t.Kind {
	case types.Interval:
		d, ok = extractSpan(unit, a[1].Interval)
	case types.Time:
		d, ok = extractTime(unit, datetime.SplitTime(a[1].Int))
		if !ok && unit == "epoch" {
			d, ok = micros(a[1].Int, 6), true
		}
	default:
		v := a[1].Int
		if datetime.IsInf(v) {
			return extractInf(unit, word, t, v)
		}
		d, ok = extractTS(env, unit, t, v)
	}
	if !ok {
		return types.NullDatum, unitUnsupported(word, t)
	}
	return types.NewDecimal(d), nil
}

// micros is a number with scale digits after the point.
func micros(us int64, scale int) *apd.Decimal { return numeric.New(us, scale) }

func extractInf(unit, word string, t types.T, v int64) (types.Datum, error) {
	switch unit {
	case "year", "decade", "century", "millennium", "julian", "isoyear", "epoch":
		d := new(apd.Decimal)
		numeric.SetInf(d, v < 0)
		return types.NewDecimal(d), nil
	}
	if t.Kind == types.Date && dateHasNo(unit) || t.Kind != types.Timestamptz && strings.HasPrefix(unit, "timezone") {
		return types.NullDatum, unitUnsupported(word, t)
	}
	return types.NullDatum, nil
}

// dateHasNo lists the units that a date does not have.
func dateHasNo(unit string) bool {
	switch unit {
	case "microseconds", "milliseconds", "second", "minute", "hour", "timezone", "timezone_hour", "timezone_minute":
		return true
	}
	return false
}

func extractTime(unit string, f datetime.Fields) (*apd.Decimal, bool) {
	switch unit {
	case "microseconds":
		return micros(int64(f.Sec)*1000000+int64(f.Micro), 0), true
	case "milliseconds":
		return micros(int64(f.Sec)*1000000+int64(f.Micro), 3), true
	case "second":
		return micros(int64(f.Sec)*1000000+int64(f.Micro), 6), true
	case "minute":
		return numeric.New(int64(f.Minute), 0), true
	case "hour":
		return numeric.New(int64(f.Hour), 0), true
	}
	return nil, false
}

func extractTS(env *expr.Env, unit string, t types.T, v int64) (*apd.Decimal, bool) {
	n := func(v int64) (*apd.Decimal, bool) { return numeric.New(v, 0), true }
	utc := v
	off := 0
	switch t.Kind {
	case types.Date:
		if dateHasNo(unit) {
			return nil, false
		}
		if unit == "epoch" {
			return n(v * 86400)
		}
		if unit == "julian" {
			return n(datetime.JulianDay(v))
		}
	case types.Timestamptz:
		off = datetime.OffsetAt(v, env.Zone())
		v += int64(off) * datetime.MicrosPerSecond
	}
	if t.Kind != types.Date && unit == "epoch" {
		return micros(utc, 6), true
	}
	var f datetime.Fields
	days := v
	if t.Kind == types.Date {
		f.Year, f.Month, f.Day = datetime.CivilFromDays(v)
	} else {
		f = datetime.Split(v)
		days = datetime.TimestampToDate(v)
		if d, ok := extractTime(unit, f); ok {
			return d, true
		}
	}
	y := int64(f.Year)
	if y <= 0 {
		y-- // there is no year 0
	}
	switch unit {
	case "day":
		return n(int64(f.Day))
	case "month":
		return n(int64(f.Month))
	case "quarter":
		return n(int64(f.Month-1)/3 + 1)
	case "week":
		_, w := datetime.IsoWeek(days)
		return n(int64(w))
	case "isoyear":
		iy, _ := datetime.IsoWeek(days)
		if iy <= 0 {
			iy--
		}
		return n(int64(iy))
	case "year":
		return n(y)
	case "decade":
		if f.Year >= 0 {
			return n(int64(f.Year) / 10)
		}
		return n(-((8 - int64(f.Year-1)) / 10))
	case "century":
		if f.Year > 0 {
			return n(int64(f.Year+99) / 100)
		}
		return n(-((99 - int64(f.Year-1)) / 100))
	case "millennium":
		if f.Year > 0 {
			return n(int64(f.Year+999) / 1000)
		}
		return n(-((999 - int64(f.Year-1)) / 1000))
	case "dow":
		return n(int64(datetime.IsoWeekday(days)) % 7)
	case "isodow":
		return n(int64(datetime.IsoWeekday(days)))
	case "doy":
		return n(days - datetime.DaysFromCivil(f.Year, 1, 1) + 1)
	case "julian":
		d := new(apd.Decimal)
		if numeric.Div(d, numeric.New(datetime.TimestampToTime(v), 0), numeric.New(datetime.MicrosPerDay, 0)) != nil ||
			numeric.Add(d, d, numeric.New(datetime.JulianDay(days), 0)) != nil {
			return nil, false
		}
		return d, true
	}
	if t.Kind == types.Timestamptz {
		switch unit {
		case "timezone":
			return n(int64(off))
		case "timezone_hour":
			return n(int64(off / 3600))
		case "timezone_minute":
			return n(int64(off / 60 % 60))
		}
	}
	return nil, false
}

func extractSpan(unit string, v types.IntervalValue) (*apd.Decimal, bool) {
	n := func(v int64) (*apd.Decimal, bool) { return numeric.New(v, 0), true }
	us := v.Micros % datetime.MicrosPerMinute
	switch unit {
	case "microseconds":
		return micros(us, 0), true
	case "milliseconds":
		return micros(us, 3), true
	case "second":
		return micros(us, 6), true
	case "minute":
		return n(v.Micros / datetime.MicrosPerMinute % 60)
	case "hour":
		return n(v.Micros / datetime.MicrosPerHour)
	case "day":
		return n(int64(v.Days))
	case "month":
		return n(int64(v.Months % 12))
	case "quarter":
		return n(int64(v.Months%12/3 + 1))
	case "year":
		return n(int64(v.Months / 12))
	case "decade":
		return n(int64(v.Months / 120))
	case "century":
		return n(int64(v.Months / 1200))
	case "millennium":
		return n(int64(v.Months / 12000))
	case "epoch":
		// A year is 365.25 days, a month 30: exact in quarters of a day.
		quarters := 1461*int64(v.Months/12) + 120*int64(v.Months%12) + 4*int64(v.Days)
		d := new(apd.Decimal)
		if numeric.Mul(d, numeric.New(quarters, 0), numeric.New(21600, 0)) != nil || numeric.Add(d, d, micros(v.Micros, 6)) != nil {
			return nil, false
		}
		return d, true
	}
	return nil, false
}
