package timefunc

import (
	"math"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// Long because what calendars count with is looked for in one place.

// The clock, zones, date_trunc, age, make_*, justify_*.

// Today is the midnight at which the current day began, as a timestamp.
func Today(env *expr.Env) int64 {
	d := datetime.TimestampToDate(datetime.UTCToLocal(env.TxTime().UnixMicro(), env.Zone()))
	return d * datetime.MicrosPerDay
}

// CheckTimestamp refuses a timestamp out of range: 22008.
func CheckTimestamp(v int64) (int64, error) {
	if !datetime.IsInf(v) && !datetime.ValidTimestamp(v) {
		return 0, datetime.TimestampOutOfRange()
	}
	return v, nil
}

// InfiniteDates is 22008.
func InfiniteDates() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite dates")
}

func infiniteTimestamps() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
}

// ShiftZone is timezone(interval, timestamp).
func ShiftZone(z types.IntervalValue, v, sign int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	if z.Months != 0 || z.Days != 0 {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, `interval time zone "%s" must not include months or days`,
			datetime.AppendInterval(nil, z.Months, z.Days, z.Micros))
	}
	return CheckTimestamp(v + sign*(z.Micros/datetime.MicrosPerSecond)*datetime.MicrosPerSecond)
}

// TruncTimestamptz is date_trunc of a timestamptz, in loc.
func TruncTimestamptz(unit []byte, v int64, loc *time.Location) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	l, err := TruncTimestamp(unit, datetime.UTCToLocal(v, loc), types.Of(types.Timestamptz))
	if err != nil {
		return 0, err
	}
	switch timeUnits[strings.ToLower(string(unit))] {
	case "hour", "minute", "second", "milliseconds", "microseconds":
		// Below a day the offset stays, so that hours that occur twice stay apart.
		return CheckTimestamp(l - int64(datetime.OffsetAt(v, loc))*datetime.MicrosPerSecond)
	}
	return CheckTimestamp(datetime.LocalToUTC(l, loc))
}

// TruncTimestamp is date_trunc of a timestamp; t is the type that errors name.
func TruncTimestamp(unit []byte, v int64, t types.T) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	word := strings.ToLower(string(unit))
	u, known := timeUnits[word]
	if !known {
		return 0, unitUnknown(word, t)
	}
	f := datetime.Split(v)
	out := datetime.Fields{Year: f.Year, Month: 1, Day: 1}
	switch u {
	case "millennium":
		out.Year = floorTo(f.Year, 1000)
	case "century":
		out.Year = floorTo(f.Year, 100)
	case "decade":
		if f.Year > 0 {
			out.Year = f.Year / 10 * 10
		} else {
			out.Year = -((8 - (f.Year - 1)) / 10) * 10
		}
	case "year":
	case "quarter":
		out.Month = (f.Month-1)/3*3 + 1
	case "month":
		out.Month = f.Month
	case "week":
		days := datetime.TimestampToDate(v)
		if datetime.IsInf(v) {
			return v, nil
		}
		return CheckTimestamp((days - int64(datetime.IsoWeekday(days)-1)) * datetime.MicrosPerDay)
	case "day", "hour", "minute", "second", "milliseconds", "microseconds":
		out.Month, out.Day = f.Month, f.Day
		switch u {
		case "microseconds":
			out.Micro = f.Micro
			fallthrough
		case "milliseconds":
			if u == "milliseconds" {
				out.Micro = f.Micro / 1000 * 1000
			}
			fallthrough
		case "second":
			out.Sec = f.Sec
			fallthrough
		case "minute":
			out.Minute = f.Minute
			fallthrough
		case "hour":
			out.Hour = f.Hour
		}
	case "timezone", "timezone_hour", "timezone_minute":
		return 0, unitUnsupported(word, t)
	default:
		return 0, unitUnknown(word, t)
	}
	ts, ok := out.Join()
	if !ok {
		return 0, datetime.TimestampOutOfRange()
	}
	return ts, nil
}

// floorTo gives the first year of a century or millennium; year 0 is 1 BC.
func floorTo(y, n int) int {
	if y > 0 {
		return (y+n-1)/n*n - n + 1
	}
	return -((n-1-(y-1))/n)*n + 1
}

// TruncSpan is date_trunc of an interval.
func TruncSpan(unit []byte, v types.IntervalValue) (types.IntervalValue, error) {
	word := strings.ToLower(string(unit))
	u, known := timeUnits[word]
	if !known {
		return v, unitUnknown(word, types.Of(types.Interval))
	}
	cut := func(m int32) (types.IntervalValue, error) { return types.IntervalValue{Months: v.Months / m * m}, nil }
	us := func(n int64) (types.IntervalValue, error) {
		v.Micros = v.Micros / n * n
		return v, nil
	}
	switch u {
	case "millennium":
		return cut(12000)
	case "century":
		return cut(1200)
	case "decade":
		return cut(120)
	case "year":
		return cut(12)
	case "quarter":
		return cut(3)
	case "month":
		return cut(1)
	case "day":
		return types.IntervalValue{Months: v.Months, Days: v.Days}, nil
	case "hour":
		return us(datetime.MicrosPerHour)
	case "minute":
		return us(datetime.MicrosPerMinute)
	case "second":
		return us(datetime.MicrosPerSecond)
	case "milliseconds":
		return us(1000)
	case "microseconds":
		return v, nil
	}
	err := unitUnsupported(word, types.Of(types.Interval)).(*sqlerr.Error)
	if u == "week" {
		err.Detail = "Months usually have fractional weeks."
	}
	return v, err
}

// DateBin is date_bin.
func DateBin(stride types.IntervalValue, v, origin int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	if datetime.IsInf(origin) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "origin out of range")
	}
	if stride.Months != 0 {
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "timestamps cannot be binned into intervals containing months or years")
	}
	if stride.Days > 1e8 || stride.Days < -1e8 || stride.Micros > math.MaxInt64-1e8*datetime.MicrosPerDay {
		return 0, datetime.IntervalOutOfRange()
	}
	us := int64(stride.Days)*datetime.MicrosPerDay + stride.Micros
	if us <= 0 {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "stride must be greater than zero")
	}
	d := v - origin
	if (d < v) != (origin > 0) && origin != 0 {
		return 0, datetime.IntervalOutOfRange()
	}
	r := d % us
	if r < 0 {
		r += us
	}
	return CheckTimestamp(v - r)
}

// Age is the difference in years, months, days and time, as on a calendar.
func Age(a, b int64) (types.IntervalValue, error) {
	if a == datetime.NegInfinity || b == datetime.NegInfinity {
		return types.IntervalValue{}, datetime.TimestampOutOfRange()
	}
	neg := a < b
	if neg {
		a, b = b, a
	}
	x, y := ageFields(a), ageFields(b)
	us := x.TimeOfDay() - y.TimeOfDay()
	days := x.Day - y.Day
	months := (x.Year-y.Year)*12 + x.Month - y.Month
	if us < 0 {
		us += datetime.MicrosPerDay
		days--
	}
	if days < 0 {
		days += datetime.DaysInMonth(y.Year, y.Month)
		months--
	}
	v := types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}
	if neg {
		v.Months, v.Days, v.Micros = -v.Months, -v.Days, -v.Micros
	}
	return v, nil
}

// ageFields takes a timestamp apart. Infinity is, as Postgres has it here, the
// farthest that 64 bits of microseconds since 2000 reach.
func ageFields(v int64) datetime.Fields {
	if v != datetime.PosInfinity {
		return datetime.Split(v)
	}
	const cycle = 146097 * datetime.MicrosPerDay // 400 years, after which the calendar repeats
	since := int64(datetime.DaysFromCivil(2000, 1, 1)) * datetime.MicrosPerDay
	f := datetime.Split(v - cycle + since)
	f.Year += 400
	return f
}

// JustifyHours is justify_hours.
func JustifyHours(v types.IntervalValue) (types.IntervalValue, error) {
	days := v.Micros / datetime.MicrosPerDay
	v.Micros -= days * datetime.MicrosPerDay
	d := int64(v.Days) + days
	if d != int64(int32(d)) {
		return v, datetime.IntervalOutOfRange()
	}
	v.Days = int32(d)
	if v.Days > 0 && v.Micros < 0 {
		v.Micros += datetime.MicrosPerDay
		v.Days--
	} else if v.Days < 0 && v.Micros > 0 {
		v.Micros -= datetime.MicrosPerDay
		v.Days++
	}
	return v, nil
}

// JustifyDays is justify_days.
func JustifyDays(v types.IntervalValue) (types.IntervalValue, error) {
	m := int64(v.Months) + int64(v.Days/30)
	if m != int64(int32(m)) {
		return v, datetime.IntervalOutOfRange()
	}
	v.Days -= v.Days / 30 * 30
	v.Months = int32(m)
	if v.Months > 0 && v.Days < 0 {
		v.Days += 30
		v.Months--
	} else if v.Months < 0 && v.Days > 0 {
		v.Days -= 30
		v.Months++
	}
	return v, nil
}

// JustifyInterval is justify_interval.
func JustifyInterval(v types.IntervalValue) (types.IntervalValue, error) {
	days := v.Micros / datetime.MicrosPerDay
	v.Micros -= days * datetime.MicrosPerDay
	d := int64(v.Days) + days
	m := int64(v.Months) + d/30
	d -= d / 30 * 30
	if m != int64(int32(m)) {
		return v, datetime.IntervalOutOfRange()
	}
	v.Days, v.Months = int32(d), int32(m)
	if v.Months > 0 && (v.Days < 0 || v.Days == 0 && v.Micros < 0) {
		v.Days += 30
		v.Months--
	} else if v.Months < 0 && (v.Days > 0 || v.Days == 0 && v.Micros > 0) {
		v.Days -= 30
		v.Months++
	}
	if v.Days > 0 && v.Micros < 0 {
		v.Micros += datetime.MicrosPerDay
		v.Days--
	} else if v.Days < 0 && v.Micros > 0 {
		v.Micros -= datetime.MicrosPerDay
		v.Days++
	}
	return v, nil
}

// MakeDate is make_date.
func MakeDate(y, m, d int64) (int64, error) {
	bad := func() error {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", y, m, d)
	}
	year := y
	if y < 0 {
		year = y + 1 // -1 is 1 BC
	}
	if y == 0 || m < 1 || m > 12 || d < 1 || y > 6000000 || y < -5000 || d > int64(datetime.DaysInMonth(int(year), int(m))) {
		return 0, bad()
	}
	days := datetime.DaysFromCivil(int(year), int(m), int(d))
	if !datetime.ValidDate(days) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range: %d-%02d-%02d", y, m, d)
	}
	return days, nil
}

// MakeTime is make_time.
func MakeTime(h, m int64, s float64) (int64, error) {
	us := math.RoundToEven(s * 1e6)
	if h < 0 || h > 24 || m < 0 || m > 59 || math.IsNaN(s) || s < 0 || us > 60e6 ||
		h == 24 && (m > 0 || us > 0) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "time field value out of range: %d:%02d:%02g", h, m, s)
	}
	return h*datetime.MicrosPerHour + m*datetime.MicrosPerMinute + int64(us), nil
}

// MakeTimestamp is make_timestamp.
func MakeTimestamp(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	d, err := MakeDate(a[0].Int, a[1].Int, a[2].Int)
	if err != nil {
		return types.NullDatum, err
	}
	t, err := MakeTime(a[3].Int, a[4].Int, a[5].Float)
	if err != nil {
		return types.NullDatum, err
	}
	ts, err := DateAddTime(d, t)
	return types.NewInt(ts), err
}

// MakeInterval is make_interval, of as many arguments as there are.
func MakeInterval(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	var v [6]int64
	secs := 0.0
	for i, d := range a {
		if i < 6 {
			v[i] = d.Int
		} else {
			secs = d.Float
		}
	}
	months, days := v[0]*12+v[1], v[2]*7+v[3]
	us := math.RoundToEven(secs * 1e6)
	if months != int64(int32(months)) || days != int64(int32(days)) || math.IsNaN(secs) || math.Abs(us) > 9e18 {
		return types.NullDatum, datetime.IntervalOutOfRange()
	}
	total, ok := addInt64(v[4]*datetime.MicrosPerHour+v[5]*datetime.MicrosPerMinute, int64(us))
	if !ok {
		return types.NullDatum, datetime.IntervalOutOfRange()
	}
	return types.Datum{Interval: types.IntervalValue{Months: int32(months), Days: int32(days), Micros: total}}, nil
}

func addInt64(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) || b == 0
}

// FromEpoch is to_timestamp(double precision).
func FromEpoch(s float64) (int64, error) {
	switch {
	case math.IsNaN(s):
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp cannot be NaN")
	case math.IsInf(s, 1):
		return datetime.PosInfinity, nil
	case math.IsInf(s, -1):
		return datetime.NegInfinity, nil
	}
	us := math.RoundToEven(s * 1e6)
	if math.Abs(us) > 9.2e18 || !datetime.ValidTimestamp(int64(us)) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `timestamp out of range: "%s"`, types.AppendFloat8(nil, s, nil))
	}
	return int64(us), nil
}
