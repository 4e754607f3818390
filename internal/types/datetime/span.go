package datetime

import (
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// IntervalOutOfRange is the error of arithmetic.
func IntervalOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
}

// AddSpans adds part by part; ok is false on overflow.
func AddSpans(a, b Span) (Span, bool) {
	m, d := int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days)
	us := a.Micros + b.Micros
	ok := m == int64(int32(m)) && d == int64(int32(d)) && ((us > a.Micros) == (b.Micros > 0) || b.Micros == 0)
	return Span{int32(m), int32(d), us}, ok
}

// SubSpans takes b from a part by part; ok is false on overflow.
func SubSpans(a, b Span) (Span, bool) {
	m, d := int64(a.Months)-int64(b.Months), int64(a.Days)-int64(b.Days)
	us := a.Micros - b.Micros
	ok := m == int64(int32(m)) && d == int64(int32(d)) && ((us < a.Micros) == (b.Micros > 0) || b.Micros == 0)
	return Span{int32(m), int32(d), us}, ok
}

// NegSpan negates; ok is false on overflow.
func NegSpan(a Span) (Span, bool) {
	if a.Months == math.MinInt32 || a.Days == math.MinInt32 || a.Micros == math.MinInt64 {
		return Span{}, false
	}
	return Span{-a.Months, -a.Days, -a.Micros}, true
}

const (
	daysPerMonth = 30
	secsPerDay   = 86400
)

// tsround rounds to microseconds, as Postgres's TSROUND.
func tsround(f float64) float64 { return math.RoundToEven(f*1e6) / 1e6 }

// MulSpan scales an interval; fractions of months become days, fractions of
// days become time, as in Postgres.
func MulSpan(a Span, f float64) (Span, error) {
	return scaleSpan(a, func(v float64) float64 { return v * f })
}

// DivSpan divides an interval: 22012 by zero.
func DivSpan(a Span, f float64) (Span, error) {
	if f == 0 {
		return Span{}, numeric.DivByZero()
	}
	return scaleSpan(a, func(v float64) float64 { return v / f })
}

func scaleSpan(a Span, scale func(float64) float64) (Span, error) {
	months := scale(float64(a.Months))
	days := scale(float64(a.Days))
	bad := func(v float64) bool {
		return math.IsNaN(v) || v > math.MaxInt32 || v < math.MinInt32
	}
	if bad(months) || bad(days) {
		return Span{}, IntervalOutOfRange()
	}
	out := Span{Months: int32(months), Days: int32(days)}
	// What is left of a month is days of 30 to the month, and their rest time.
	restDays := tsround((months - float64(out.Months)) * daysPerMonth)
	secs := tsround((days - float64(out.Days) + restDays - math.Trunc(restDays)) * secsPerDay)
	whole := int64(out.Days) + int64(restDays)
	if math.Abs(secs) >= secsPerDay {
		carry := math.Trunc(secs / secsPerDay)
		whole += int64(carry)
		secs -= carry * secsPerDay
	}
	if out.Days = int32(whole); int64(out.Days) != whole {
		return Span{}, IntervalOutOfRange()
	}
	us := math.RoundToEven(scale(float64(a.Micros)) + secs*1e6)
	if math.IsNaN(us) || us >= math.MaxInt64 || us < math.MinInt64 {
		return Span{}, IntervalOutOfRange()
	}
	out.Micros = int64(us)
	return out, nil
}
