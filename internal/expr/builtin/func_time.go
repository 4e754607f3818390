package builtin

import (
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

func init() {
	clock := func(name string, res types.T, f func(*expr.Env) int64) *expr.Func {
		return fn(name, ts(), res, argFree(func(env *expr.Env) (types.Datum, error) { return types.NewInt(f(env)), nil })).AsStable()
	}
	localNow := func(env *expr.Env) int64 { return datetime.UTCToLocal(env.TxTime().UnixMicro(), env.Zone()) }
	txNow := func(env *expr.Env) int64 { return env.TxTime().UnixMicro() }
	expr.RegisterFuncs(
		clock("now", tTSTZ, txNow), clock("transaction_timestamp", tTSTZ, txNow), clock("current_timestamp", tTSTZ, txNow),
		clock("statement_timestamp", tTSTZ, func(env *expr.Env) int64 {
			if env.StmtTime.IsZero() {
				return txNow(env)
			}
			return env.StmtTime.UnixMicro()
		}),
		fn("clock_timestamp", ts(), tTSTZ, argFree(func(*expr.Env) (types.Datum, error) {
			return types.NewInt(time.Now().UnixMicro()), nil
		})).Reads(expr.OfClock),
		fn("timeofday", ts(), tText, argFree(func(env *expr.Env) (types.Datum, error) {
			return types.NewText(time.Now().In(env.Zone()).Format("Mon Jan 02 15:04:05.000000 2006 MST")), nil
		})).Reads(expr.OfClock),
		clock("current_date", tDate, func(env *expr.Env) int64 { return datetime.TimestampToDate(localNow(env)) }),
		clock("localtime", tTime, func(env *expr.Env) int64 { return datetime.TimestampToTime(localNow(env)) }),
		clock("localtimestamp", tTS, localNow),

		fn("timezone", ts(tText, tTSTZ), tTS, k2e(func(z []byte, v int64) (int64, error) {
			local, err := datetime.ToZone(v, string(z))
			if err != nil || datetime.IsInf(v) {
				return v, err
			}
			return timefunc.CheckTimestamp(local)
		})),
		fn("timezone", ts(tText, tTS), tTSTZ, k2e(func(z []byte, v int64) (int64, error) {
			ts, err := datetime.FromZone(v, string(z))
			if err != nil || datetime.IsInf(v) {
				return v, err
			}
			return timefunc.CheckTimestamp(ts)
		})),
		fn("timezone", ts(tInt, tTSTZ), tTS, k2e(func(z ival, v int64) (int64, error) { return timefunc.ShiftZone(z, v, 1) })),
		fn("timezone", ts(tInt, tTS), tTSTZ, k2e(func(z ival, v int64) (int64, error) { return timefunc.ShiftZone(z, v, -1) })),

		fn("date_trunc", ts(tText, tTS), tTS, k2e(func(u []byte, v int64) (int64, error) { return timefunc.TruncTimestamp(u, v, tTS) })),
		fn("date_trunc", ts(tText, tTSTZ), tTSTZ, k2env(func(env *expr.Env, u []byte, v int64) (int64, error) {
			return timefunc.TruncTimestamptz(u, v, env.Zone())
		})).AsStable(),
		fn("date_trunc", ts(tText, tTSTZ, tText), tTSTZ, k3e(func(u []byte, v int64, z []byte) (int64, error) {
			if datetime.IsInf(v) {
				return v, nil
			}
			loc, err := datetime.LoadZone(string(z))
			if err != nil {
				return 0, err
			}
			return timefunc.TruncTimestamptz(u, v, loc)
		})).AsStable(),
		fn("date_trunc", ts(tText, tInt), tInt, k2e(timefunc.TruncSpan)),
		fn("date_bin", ts(tInt, tTS, tTS), tTS, k3e(timefunc.DateBin)),
		fn("date_bin", ts(tInt, tTSTZ, tTSTZ), tTSTZ, k3e(timefunc.DateBin)),

		fn("age", ts(tTS, tTS), tInt, k2e(timefunc.Age)),
		fn("age", ts(tTSTZ, tTSTZ), tInt, k2env(func(env *expr.Env, a, b int64) (ival, error) {
			return timefunc.Age(datetime.UTCToLocal(a, env.Zone()), datetime.UTCToLocal(b, env.Zone()))
		})).AsStable(),
		fn("age", ts(tTS), tInt, k1env(func(env *expr.Env, v int64) (ival, error) { return timefunc.Age(timefunc.Today(env), v) })).AsStable(),
		fn("age", ts(tTSTZ), tInt, k1env(func(env *expr.Env, v int64) (ival, error) {
			return timefunc.Age(timefunc.Today(env), datetime.UTCToLocal(v, env.Zone()))
		})).AsStable(),

		fn("isfinite", ts(tDate), tBool, k1(func(v int64) bool { return !datetime.IsInf(v) })),
		fn("isfinite", ts(tTS), tBool, k1(func(v int64) bool { return !datetime.IsInf(v) })),
		fn("isfinite", ts(tTSTZ), tBool, k1(func(v int64) bool { return !datetime.IsInf(v) })),
		fn("isfinite", ts(tInt), tBool, k1(func(ival) bool { return true })),
		fn("justify_days", ts(tInt), tInt, k1e(timefunc.JustifyDays)),
		fn("justify_hours", ts(tInt), tInt, k1e(timefunc.JustifyHours)),
		fn("justify_interval", ts(tInt), tInt, k1e(timefunc.JustifyInterval)),

		fn("make_date", ts(tInt4, tInt4, tInt4), tDate, k3e(timefunc.MakeDate)),
		fn("make_time", ts(tInt4, tInt4, tFloat8), tTime, k3e(timefunc.MakeTime)),
		fn("make_timestamp", ts(tInt4, tInt4, tInt4, tInt4, tInt4, tFloat8), tTS, datumKernel(timefunc.MakeTimestamp)),
		fn("make_timestamptz", ts(tInt4, tInt4, tInt4, tInt4, tInt4, tFloat8), tTSTZ, datumKernel(func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			d, err := timefunc.MakeTimestamp(env, t, a)
			if err != nil {
				return d, err
			}
			v, err := timefunc.LocalToUTC(env, d.Int)
			return types.NewInt(v), err
		})).AsStable(),
		fn("make_timestamptz", ts(tInt4, tInt4, tInt4, tInt4, tInt4, tFloat8, tText), tTSTZ, datumKernel(func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			d, err := timefunc.MakeTimestamp(env, t, a)
			if err != nil {
				return d, err
			}
			v, err := datetime.FromSignedZone(d.Int, string(a[6].Bytes))
			if err == nil {
				v, err = timefunc.CheckTimestamp(v)
			}
			return types.NewInt(v), err
		})).AsStable(),
		fn("to_timestamp", ts(tFloat8), tTSTZ, k1e(timefunc.FromEpoch)),
	)
	for n := 0; n <= 7; n++ {
		args := []types.T{tInt4, tInt4, tInt4, tInt4, tInt4, tInt4, tFloat8}[:n]
		expr.RegisterFuncs(fn("make_interval", args, tInt, datumKernel(timefunc.MakeInterval)))
	}
}
