package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
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
		return timefunc.LocalToUTC(env, ts)
	}))
	expr.RegisterCast(types.Timestamp, types.Date, expr.Assignment, k1(datetime.TimestampToDate))
	expr.RegisterCast(types.Timestamp, types.Time, expr.Assignment, timeOfDay(false))
	expr.RegisterStableCast(types.Timestamp, types.Timestamptz, expr.Implicit, k1env(timefunc.LocalToUTC))
	expr.RegisterStableCast(types.Timestamptz, types.Timestamp, expr.Assignment, k1env(timefunc.UTCToLocal))
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
