package builtin

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// Arithmetic of dates, times and intervals.

type ival = types.IntervalValue

func init() {
	swap := func(f func(int64, int64) (int64, error)) expr.Kernel {
		return k2e(func(a, b int64) (int64, error) { return f(b, a) })
	}
	expr.RegisterOps(
		fn("+", ts(tDate, tInt4), tDate, k2e(dateAddDays)),
		fn("+", ts(tInt4, tDate), tDate, swap(dateAddDays)),
		fn("-", ts(tDate, tInt4), tDate, k2e(func(d, n int64) (int64, error) { return dateAddDays(d, -n) })),
		fn("-", ts(tDate, tDate), tInt4, k2e(func(a, b int64) (int64, error) {
			if datetime.IsInf(a) || datetime.IsInf(b) {
				return 0, infiniteDates()
			}
			return a - b, nil
		})),
		fn("+", ts(tDate, tTime), tTS, k2e(dateAddTime)),
		fn("+", ts(tTime, tDate), tTS, swap(dateAddTime)),
		fn("+", ts(tDate, tInt), tTS, k2e(func(d int64, v ival) (int64, error) { return dateAddSpan(d, v, 1) })),
		fn("+", ts(tInt, tDate), tTS, k2e(func(v ival, d int64) (int64, error) { return dateAddSpan(d, v, 1) })),
		fn("-", ts(tDate, tInt), tTS, k2e(func(d int64, v ival) (int64, error) { return dateAddSpan(d, v, -1) })),
		fn("+", ts(tTS, tInt), tTS, k2e(func(t int64, v ival) (int64, error) { return tsAddSpan(t, v, 1) })),
		fn("+", ts(tInt, tTS), tTS, k2e(func(v ival, t int64) (int64, error) { return tsAddSpan(t, v, 1) })),
		fn("-", ts(tTS, tInt), tTS, k2e(func(t int64, v ival) (int64, error) { return tsAddSpan(t, v, -1) })),
		fn("+", ts(tTSTZ, tInt), tTSTZ, k2env(func(e *expr.Env, t int64, v ival) (int64, error) { return tstzAddSpan(e, t, v, 1) })).AsStable(),
		fn("+", ts(tInt, tTSTZ), tTSTZ, k2env(func(e *expr.Env, v ival, t int64) (int64, error) { return tstzAddSpan(e, t, v, 1) })).AsStable(),
		fn("-", ts(tTSTZ, tInt), tTSTZ, k2env(func(e *expr.Env, t int64, v ival) (int64, error) { return tstzAddSpan(e, t, v, -1) })).AsStable(),
		fn("-", ts(tTS, tTS), tInt, k2e(tsSub)),
		fn("-", ts(tTSTZ, tTSTZ), tInt, k2e(tsSub)),
		fn("+", ts(tTime, tInt), tTime, k2(func(t int64, v ival) int64 { return timeAdd(t, v.Micros) })),
		fn("+", ts(tInt, tTime), tTime, k2(func(v ival, t int64) int64 { return timeAdd(t, v.Micros) })),
		fn("-", ts(tTime, tInt), tTime, k2(func(t int64, v ival) int64 { return timeAdd(t, -(v.Micros % datetime.MicrosPerDay)) })),
		fn("-", ts(tTime, tTime), tInt, k2(func(a, b int64) ival { return ival{Micros: a - b} })),
		fn("+", ts(tInt, tInt), tInt, k2e(addSpans)),
		fn("-", ts(tInt, tInt), tInt, k2e(func(a, b ival) (ival, error) {
			s, ok := datetime.SubSpans(datetime.Span(a), datetime.Span(b))
			if !ok {
				return ival{}, datetime.IntervalOutOfRange()
			}
			return ival(s), nil
		})),
		fn("-", ts(tInt), tInt, k1e(negSpan)),
		fn("*", ts(tInt, tFloat8), tInt, k2e(mulSpan)),
		fn("*", ts(tFloat8, tInt), tInt, k2e(func(f float64, v ival) (ival, error) { return mulSpan(v, f) })),
		fn("/", ts(tInt, tFloat8), tInt, k2e(func(v ival, f float64) (ival, error) {
			s, err := datetime.DivSpan(datetime.Span(v), f)
			return ival(s), err
		})),
	)
}

func dateAddDays(d, n int64) (int64, error) {
	if datetime.IsInf(d) {
		return d, nil
	}
	if d += n; !datetime.ValidDate(d) {
		return 0, datetime.DateOutOfRange()
	}
	return d, nil
}

func dateAddTime(d, t int64) (int64, error) {
	ts, err := datetime.DateToTimestamp(d)
	if err != nil || datetime.IsInf(ts) {
		return ts, err
	}
	if ts += t; !datetime.ValidTimestamp(ts) {
		return 0, datetime.TimestampOutOfRange()
	}
	return ts, nil
}

func dateAddSpan(d int64, v ival, sign int64) (int64, error) {
	ts, err := datetime.DateToTimestamp(d)
	if err != nil {
		return 0, err
	}
	return tsAddSpan(ts, v, sign)
}

// tsAddSpan adds months, then days, then time, as Postgres does.
func tsAddSpan(t int64, v ival, sign int64) (int64, error) {
	if datetime.IsInf(t) {
		return t, nil
	}
	if sign < 0 {
		n, err := negSpan(v)
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

// tstzAddSpan moves months and days on the clocks of the session's zone.
func tstzAddSpan(env *expr.Env, t int64, v ival, sign int64) (int64, error) {
	if datetime.IsInf(t) {
		return t, nil
	}
	if sign < 0 {
		n, err := negSpan(v)
		if err != nil {
			return 0, err
		}
		v = n
	}
	if v.Months != 0 || v.Days != 0 {
		local := datetime.UTCToLocal(t, env.Zone())
		local, err := tsAddSpan(local, ival{Months: v.Months, Days: v.Days}, 1)
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

func tsSub(a, b int64) (ival, error) {
	if datetime.IsInf(a) || datetime.IsInf(b) {
		return ival{}, infiniteTimestamps()
	}
	d := a - b
	if (d < a) != (b > 0) && b != 0 {
		return ival{}, datetime.IntervalOutOfRange()
	}
	return ival{Days: int32(d / datetime.MicrosPerDay), Micros: d % datetime.MicrosPerDay}, nil
}

func timeAdd(t, us int64) int64 {
	t = (t + us%datetime.MicrosPerDay) % datetime.MicrosPerDay
	if t < 0 {
		t += datetime.MicrosPerDay
	}
	return t
}

func addSpans(a, b ival) (ival, error) {
	s, ok := datetime.AddSpans(datetime.Span(a), datetime.Span(b))
	if !ok {
		return ival{}, datetime.IntervalOutOfRange()
	}
	return ival(s), nil
}

func negSpan(a ival) (ival, error) {
	s, ok := datetime.NegSpan(datetime.Span(a))
	if !ok {
		return ival{}, datetime.IntervalOutOfRange()
	}
	return ival(s), nil
}

func mulSpan(v ival, f float64) (ival, error) {
	s, err := datetime.MulSpan(datetime.Span(v), f)
	return ival(s), err
}

// InterpolateInterval gives lo + (hi - lo) * f.
func InterpolateInterval(lo, hi types.IntervalValue, f float64) (types.IntervalValue, error) {
	neg, err := negSpan(lo)
	if err != nil {
		return lo, err
	}
	diff, err := addSpans(hi, neg)
	if err != nil {
		return lo, err
	}
	if diff, err = mulSpan(diff, f); err != nil {
		return lo, err
	}
	return addSpans(diff, lo)
}
