package datetime

import (
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Units and limits.
const (
	MicrosPerSecond = int64(1000000)
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 60 * MicrosPerMinute
	MicrosPerDay    = 24 * MicrosPerHour

	PosInfinity = int64(math.MaxInt64)
	NegInfinity = int64(math.MinInt64)

	minYear          = -4713 // 4714 BC
	maxDateYear      = 5874897
	maxTimestampYear = 294246

	// EpochOffsetDays is 2000-01-01, where Postgres's binary formats start.
	EpochOffsetDays   = 10957
	EpochOffsetMicros = EpochOffsetDays * MicrosPerDay

	// julianEpoch is the Julian day number of 1970-01-01.
	julianEpoch = 2440588
)

var (
	minDate      = DaysFromCivil(minYear, 11, 24)
	maxDate      = DaysFromCivil(maxDateYear, 12, 31)
	minTimestamp = minDate * MicrosPerDay
	maxTimestamp = (DaysFromCivil(maxTimestampYear+1, 1, 1))*MicrosPerDay - 1
)

// DaysFromCivil counts days from 1970-01-01; year 0 is 1 BC. Months beyond
// 1..12 are not allowed, days beyond the month's are.
func DaysFromCivil(y, m, d int) int64 {
	if m <= 2 {
		y--
	}
	era := floorDiv(int64(y), 400)
	yoe := int64(y) - era*400
	mp := int64((m + 9) % 12)
	doy := (153*mp+2)/5 + int64(d) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// CivilFromDays is its inverse.
func CivilFromDays(days int64) (y, m, d int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = int(doy - (153*mp+2)/5 + 1)
	m = int(mp) + 3
	if m > 12 {
		m -= 12
	}
	y = int(yoe + era*400)
	if m <= 2 {
		y++
	}
	return y, m, d
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func isLeap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

// DaysInMonth is 28..31.
func DaysInMonth(y, m int) int {
	switch m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if isLeap(y) {
			return 29
		}
		return 28
	}
	return 31
}

// Fields is a date and time of day taken apart. Year 0 is 1 BC.
type Fields struct {
	Year, Month, Day  int
	Hour, Minute, Sec int
	Micro             int
}

// Split takes a timestamp apart; it must be finite.
func Split(ts int64) Fields {
	days := floorDiv(ts, MicrosPerDay)
	f := SplitTime(ts - days*MicrosPerDay)
	f.Year, f.Month, f.Day = CivilFromDays(days)
	return f
}

// SplitTime takes a time of day apart.
func SplitTime(t int64) Fields {
	return Fields{
		Hour:   int(t / MicrosPerHour),
		Minute: int(t / MicrosPerMinute % 60),
		Sec:    int(t / MicrosPerSecond % 60),
		Micro:  int(t % MicrosPerSecond),
	}
}

// TimeOfDay joins the time fields.
func (f Fields) TimeOfDay() int64 {
	return int64(f.Hour)*MicrosPerHour + int64(f.Minute)*MicrosPerMinute + int64(f.Sec)*MicrosPerSecond + int64(f.Micro)
}

// Join makes a timestamp, ok false if it is out of range.
func (f Fields) Join() (int64, bool) {
	if f.Year < minYear || f.Year > maxTimestampYear+1 {
		return 0, false
	}
	ts := DaysFromCivil(f.Year, f.Month, f.Day)*MicrosPerDay + f.TimeOfDay()
	return ts, ValidTimestamp(ts)
}

// IsInf says that a date or timestamp is infinite.
func IsInf(v int64) bool { return v == PosInfinity || v == NegInfinity }

// ValidTimestamp says that a finite timestamp is within range.
func ValidTimestamp(ts int64) bool { return ts >= minTimestamp && ts <= maxTimestamp }

// ValidDate says that a finite date is within range.
func ValidDate(d int64) bool { return d >= minDate && d <= maxDate }

// TimestampOutOfRange is the error of arithmetic.
func TimestampOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range")
}

// DateOutOfRange is the error of arithmetic.
func DateOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range")
}

// DateToTimestamp gives midnight: 22008 beyond the range of timestamps.
func DateToTimestamp(d int64) (int64, error) {
	if IsInf(d) {
		return d, nil
	}
	if d < minDate || d > maxTimestamp/MicrosPerDay {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return d * MicrosPerDay, nil
}

// TimestampToDate gives the day of a timestamp.
func TimestampToDate(ts int64) int64 {
	if IsInf(ts) {
		return ts
	}
	return floorDiv(ts, MicrosPerDay)
}

// TimestampToTime gives the time of day of a finite timestamp.
func TimestampToTime(ts int64) int64 {
	return ts - floorDiv(ts, MicrosPerDay)*MicrosPerDay
}

var roundUnits = [7]int64{1000000, 100000, 10000, 1000, 100, 10, 1}

// RoundMicros rounds to p digits of a second, half away from zero.
func RoundMicros(v int64, p int32) int64 {
	if p < 0 || p >= 6 || IsInf(v) {
		return v
	}
	u := roundUnits[p]
	if v >= 0 {
		return (v + u/2) / u * u
	}
	return -((-v + u/2) / u * u)
}

// AddMonths moves a timestamp by months, ending no later than the month's end.
func AddMonths(ts int64, months int32) (int64, bool) {
	f := Split(ts)
	n := int64(f.Year)*12 + int64(f.Month-1) + int64(months)
	y := floorDiv(n, 12)
	if y < minYear || y > maxTimestampYear+1 {
		return 0, false
	}
	f.Year, f.Month = int(y), int(n-y*12)+1
	f.Day = min(f.Day, DaysInMonth(f.Year, f.Month))
	return f.Join()
}

// IsoWeek gives the ISO 8601 year and week of a day.
func IsoWeek(days int64) (year, week int) {
	// Thursday decides the year.
	thursday := days + 3 - mod7(days+3)
	y, _, _ := CivilFromDays(thursday)
	jan1 := DaysFromCivil(y, 1, 1)
	return y, int((thursday-jan1)/7) + 1
}

// mod7 counts days since a Monday for a day counted from a Monday.
func mod7(d int64) int64 { return d - floorDiv(d, 7)*7 }

// IsoWeekday is 1 for Monday to 7 for Sunday.
func IsoWeekday(days int64) int { return int(mod7(days+3)) + 1 }

// JulianDay gives the Julian day number of a day.
func JulianDay(days int64) int64 { return days + julianEpoch }
