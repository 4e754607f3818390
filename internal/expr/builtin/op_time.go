package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

func init() {
	swap := func(f func(int64, int64) (int64, error)) expr.Kernel {
		return k2e(func(a, b int64) (int64, error) { return f(b, a) })
	}
	expr.RegisterOps(
		fn("+", ts(tDate, tInt4), tDate, k2e(timefunc.DateAddDays)),
		fn("+", ts(tInt4, tDate), tDate, swap(timefunc.DateAddDays)),
		fn("-", ts(tDate, tInt4), tDate, k2e(func(d, n int64) (int64, error) { return timefunc.DateAddDays(d, -n) })),
		fn("-", ts(tDate, tDate), tInt4, k2e(func(a, b int64) (int64, error) {
			if datetime.IsInf(a) || datetime.IsInf(b) {
				return 0, timefunc.InfiniteDates()
			}
			return a - b, nil
		})),
		fn("+", ts(tDate, tTime), tTS, k2e(timefunc.DateAddTime)),
		fn("+", ts(tTime, tDate), tTS, swap(timefunc.DateAddTime)),
		fn("+", ts(tDate, tInt), tTS, k2e(func(d int64, v ival) (int64, error) { return timefunc.DateAddSpan(d, v, 1) })),
		fn("+", ts(tInt, tDate), tTS, k2e(func(v ival, d int64) (int64, error) { return timefunc.DateAddSpan(d, v, 1) })),
		fn("-", ts(tDate, tInt), tTS, k2e(func(d int64, v ival) (int64, error) { return timefunc.DateAddSpan(d, v, -1) })),
		fn("+", ts(tTS, tInt), tTS, k2e(func(t int64, v ival) (int64, error) { return timefunc.TimestampAddSpan(t, v, 1) })),
		fn("+", ts(tInt, tTS), tTS, k2e(func(v ival, t int64) (int64, error) { return timefunc.TimestampAddSpan(t, v, 1) })),
		fn("-", ts(tTS, tInt), tTS, k2e(func(t int64, v ival) (int64, error) { return timefunc.TimestampAddSpan(t, v, -1) })),
		fn("+", ts(tTSTZ, tInt), tTSTZ, k2env(func(e *expr.Env, t int64, v ival) (int64, error) { return timefunc.TimestamptzAddSpan(e, t, v, 1) })).AsStable(),
		fn("+", ts(tInt, tTSTZ), tTSTZ, k2env(func(e *expr.Env, v ival, t int64) (int64, error) { return timefunc.TimestamptzAddSpan(e, t, v, 1) })).AsStable(),
		fn("-", ts(tTSTZ, tInt), tTSTZ, k2env(func(e *expr.Env, t int64, v ival) (int64, error) { return timefunc.TimestamptzAddSpan(e, t, v, -1) })).AsStable(),
		fn("-", ts(tTS, tTS), tInt, k2e(timefunc.TimestampSub)),
		fn("-", ts(tTSTZ, tTSTZ), tInt, k2e(timefunc.TimestampSub)),
		fn("+", ts(tTime, tInt), tTime, k2(func(t int64, v ival) int64 { return timefunc.TimeAdd(t, v.Micros) })),
		fn("+", ts(tInt, tTime), tTime, k2(func(v ival, t int64) int64 { return timefunc.TimeAdd(t, v.Micros) })),
		fn("-", ts(tTime, tInt), tTime, k2(func(t int64, v ival) int64 { return timefunc.TimeAdd(t, -(v.Micros % datetime.MicrosPerDay)) })),
		fn("-", ts(tTime, tTime), tInt, k2(func(a, b int64) ival { return ival{Micros: a - b} })),
		fn("+", ts(tInt, tInt), tInt, k2e(timefunc.AddSpans)),
		fn("-", ts(tInt, tInt), tInt, k2e(func(a, b ival) (ival, error) {
			s, ok := datetime.SubSpans(datetime.Span(a), datetime.Span(b))
			if !ok {
				return ival{}, datetime.IntervalOutOfRange()
			}
			return ival(s), nil
		})),
		fn("-", ts(tInt), tInt, k1e(timefunc.NegSpan)),
		fn("*", ts(tInt, tFloat8), tInt, k2e(timefunc.MulSpan)),
		fn("*", ts(tFloat8, tInt), tInt, k2e(func(f float64, v ival) (ival, error) { return timefunc.MulSpan(v, f) })),
		fn("/", ts(tInt, tFloat8), tInt, k2e(func(v ival, f float64) (ival, error) {
			s, err := datetime.DivSpan(datetime.Span(v), f)
			return ival(s), err
		})),
	)
}
