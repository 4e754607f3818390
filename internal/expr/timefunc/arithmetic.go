package timefunc

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// Arithmetic of dates, times and intervals.

// DateAddDays is date + integer.
func DateAddDays(d, n int64) (int64, error) {
	if datetime.IsInf(d) {
		return d, nil
	}
	if d += n; !datetime.ValidDate(d) {
		return 0, datetime.DateOutOfRange()
	}
	return d, nil
}

// DateAddTime is date + time.
func DateAddTime(d, t int64) (int64, error) {
	ts, err := datetime.DateToTimestamp(d)
	if err != nil || datetime.IsInf(ts) {
		return ts, err
	}
	if ts += t; !datetime.ValidTimestamp(ts) {
		return 0, datetime.TimestampOutOfRange()
	}
	return ts, nil
}

// DateAddSpan is date + interval, or with a sign of -1 date - interval.
func DateAddSpan(d int64, v types.IntervalValue, sign int64) (int64, error) {
	ts, err := datetime.DateToTimestamp(d)
	if err != nil {
		return 0, err
	}
	return TimestampAddSpan(ts, v, sign)
}

// TimestampAddSpan adds months, then days, then time, as Postgres does.
func TimestampAddSpan(t int64, v types.IntervalValue, sign int64) (int64, error) {
	if datetime.IsInf(t) {
		return t, nil
	}
	if sign < 0 {
		n, err := NegSpan(v)
		if err != nil {
			return 0, err
		}
		v = n
	}
	if v.Months != 0 {
		m, ok := datetime.AddMonths(t, v.Months)
		if !ok {
			return 0, datetime.TimestampOutOfRange()
		}
		t = m
	}
	t, ok := addDays(t, v.Days)
	if ok {
		t, ok = addMicros(t, v.Micros)
	}
	if !ok {
		return 0, datetime.TimestampOutOfRange()
	}
	return t, nil
}

func addDays(t int64, days int32) (int64, bool) {
	d := datetime.TimestampToDate(t) + int64(days)
	if !datetime.ValidDate(d) || d > math.MaxInt64/datetime.MicrosPerDay-1 {
		return 0, false
	}
	t = d*datetime.MicrosPerDay + datetime.TimestampToTime(t)
	return t, datetime.ValidTimestamp(t)
}

func addMicros(t, us int64) (int64, bool) {
	s := t + us
	if (s > t) != (us > 0) && us != 0 {
		return 0, false
	}
	return s, datetime.ValidTimestamp(s)
}

// TimestamptzAddSpan moves months and days on the clocks of the session's zone.
func TimestamptzAddSpan(env *expr.Env, t int64, v types.IntervalValue, sign int64) (int64, error) {
	if datetime.IsInf(t) {
		return t, nil
	}
	if sign < 0 {
		n, err := NegSpan(v)
		if err != nil {
			return 0, err
		}
		v = n
	}
	if v.Months != 0 || v.Days != 0 {
		local := datetime.UTCToLocal(t, env.Zone())
		local, err := TimestampAddSpan(local, types.IntervalValue{Months: v.Months, Days: v.Days}, 1)
		if err != nil {
			return 0, err
		}
		t = datetime.LocalToUTC(local, env.Zone())
	}
	t, ok := addMicros(t, v.Micros)
	if !ok {
		return 0, datetime.TimestampOutOfRange()
	}
	return t, nil
}

// TimestampSub is timestamp - timestamp, in days and what is left.
func TimestampSub(a, b int64) (types.IntervalValue, error) {
	if datetime.IsInf(a) || datetime.IsInf(b) {
		return types.IntervalValue{}, infiniteTimestamps()
	}
	d := a - b
	if (d < a) != (b > 0) && b != 0 {
		return types.IntervalValue{}, datetime.IntervalOutOfRange()
	}
	return types.IntervalValue{Days: int32(d / datetime.MicrosPerDay), Micros: d % datetime.MicrosPerDay}, nil
}

// TimeAdd adds microseconds to a time of day, which begins anew at midnight.
func TimeAdd(t, us int64) int64 {
	t = (t + us%datetime.MicrosPerDay) % datetime.MicrosPerDay
	if t < 0 {
		t += datetime.MicrosPerDay
	}
	return t
}

// AddSpans is interval + interval.
func AddSpans(a, b types.IntervalValue) (types.IntervalValue, error) {
	s, ok := datetime.AddSpans(datetime.Span(a), datetime.Span(b))
	if !ok {
		return types.IntervalValue{}, datetime.IntervalOutOfRange()
	}
	return types.IntervalValue(s), nil
}

// NegSpan is - interval.
func NegSpan(a types.IntervalValue) (types.IntervalValue, error) {
	s, ok := datetime.NegSpan(datetime.Span(a))
	if !ok {
		return types.IntervalValue{}, datetime.IntervalOutOfRange()
	}
	return types.IntervalValue(s), nil
}

// MulSpan is interval * double precision.
func MulSpan(v types.IntervalValue, f float64) (types.IntervalValue, error) {
	s, err := datetime.MulSpan(datetime.Span(v), f)
	return types.IntervalValue(s), err
}

// InterpolateInterval gives lo + (hi - lo) * f.
func InterpolateInterval(lo, hi types.IntervalValue, f float64) (types.IntervalValue, error) {
	neg, err := NegSpan(lo)
	if err != nil {
		return lo, err
	}
	diff, err := AddSpans(hi, neg)
	if err != nil {
		return lo, err
	}
	if diff, err = MulSpan(diff, f); err != nil {
		return lo, err
	}
	return AddSpans(diff, lo)
}

// LocalToUTC reads a timestamp as one of the session's time zone.
func LocalToUTC(env *expr.Env, v int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	u := datetime.LocalToUTC(v, env.Zone())
	if !datetime.ValidTimestamp(u) {
		return 0, datetime.TimestampOutOfRange()
	}
	return u, nil
}

// UTCToLocal is a timestamptz as the session's time zone shows it.
func UTCToLocal(env *expr.Env, v int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	l := datetime.UTCToLocal(v, env.Zone())
	if !datetime.ValidTimestamp(l) {
		return 0, datetime.TimestampOutOfRange()
	}
	return l, nil
}
