package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/vec"
)

func outOfRangeChar() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, `"char" out of range`)
}

func init() {
	expr.RegisterCast(types.Date, types.Timestamp, expr.Implicit, k1e(datetime.DateToTimestamp))
	expr.RegisterStableCast(types.Date, types.Timestamptz, expr.Implicit, k1env(func(env *expr.Env, d int64) (int64, error) {
		ts, err := datetime.DateToTimestamp(d)
		if err != nil {
			return 0, err
		}
		return localToUTC(env, ts)
	}))
	expr.RegisterCast(types.Timestamp, types.Date, expr.Assignment, k1(datetime.TimestampToDate))
	expr.RegisterCast(types.Timestamp, types.Time, expr.Assignment, timeOfDay(false))
	expr.RegisterStableCast(types.Timestamp, types.Timestamptz, expr.Implicit, k1env(localToUTC))
	expr.RegisterStableCast(types.Timestamptz, types.Timestamp, expr.Assignment, k1env(utcToLocal))
	expr.RegisterStableCast(types.Timestamptz, types.Date, expr.Assignment, k1env(func(env *expr.Env, v int64) (int64, error) {
		return datetime.TimestampToDate(datetime.UTCToLocal(v, env.Zone())), nil
	}))
	expr.RegisterStableCast(types.Timestamptz, types.Time, expr.Assignment, timeOfDay(true))
	expr.RegisterCast(types.Time, types.Interval, expr.Implicit, k1(func(v int64) types.IntervalValue {
		return types.IntervalValue{Micros: v}
	}))
	expr.RegisterCast(types.Interval, types.Time, expr.Assignment, k1(func(v types.IntervalValue) int64 {
		t := v.Micros % datetime.MicrosPerDay
		if t < 0 {
			t += datetime.MicrosPerDay
		}
		return t
	}))
}

func localToUTC(env *expr.Env, v int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	u := datetime.LocalToUTC(v, env.Zone())
	if !datetime.ValidTimestamp(u) {
		return 0, datetime.TimestampOutOfRange()
	}
	return u, nil
}

func utcToLocal(env *expr.Env, v int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	l := datetime.UTCToLocal(v, env.Zone())
	if !datetime.ValidTimestamp(l) {
		return 0, datetime.TimestampOutOfRange()
	}
	return l, nil
}

// timeOfDay casts timestamps to time; the infinite ones have none.
func timeOfDay(local bool) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			v := args[0].Ints[i]
			if datetime.IsInf(v) {
				out.Nulls.Set(int(i))
				continue
			}
			if local {
				v = datetime.UTCToLocal(v, env.Zone())
			}
			out.Ints[i] = datetime.TimestampToTime(v)
		}
		return nil
	}
}
