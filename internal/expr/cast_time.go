package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/vec"
)

func outOfRangeChar() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, `"char" out of range`)
}

func init() {
	registerCast(types.Date, types.Timestamp, Implicit, k1e(datetime.DateToTimestamp))
	registerStableCast(types.Date, types.Timestamptz, Implicit, k1env(func(env *Env, d int64) (int64, error) {
		ts, err := datetime.DateToTimestamp(d)
		if err != nil {
			return 0, err
		}
		return localToUTC(env, ts)
	}))
	registerCast(types.Timestamp, types.Date, Assignment, k1(datetime.TimestampToDate))
	registerCast(types.Timestamp, types.Time, Assignment, timeOfDay(false))
	registerStableCast(types.Timestamp, types.Timestamptz, Implicit, k1env(localToUTC))
	registerStableCast(types.Timestamptz, types.Timestamp, Assignment, k1env(utcToLocal))
	registerStableCast(types.Timestamptz, types.Date, Assignment, k1env(func(env *Env, v int64) (int64, error) {
		return datetime.TimestampToDate(datetime.UTCToLocal(v, env.zone())), nil
	}))
	registerStableCast(types.Timestamptz, types.Time, Assignment, timeOfDay(true))
	registerCast(types.Time, types.Interval, Implicit, k1(func(v int64) types.IntervalValue {
		return types.IntervalValue{Micros: v}
	}))
	registerCast(types.Interval, types.Time, Assignment, k1(func(v types.IntervalValue) int64 {
		t := v.Micros % datetime.MicrosPerDay
		if t < 0 {
			t += datetime.MicrosPerDay
		}
		return t
	}))
}

func localToUTC(env *Env, v int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	u := datetime.LocalToUTC(v, env.zone())
	if !datetime.ValidTimestamp(u) {
		return 0, datetime.TimestampOutOfRange()
	}
	return u, nil
}

func utcToLocal(env *Env, v int64) (int64, error) {
	if datetime.IsInf(v) {
		return v, nil
	}
	l := datetime.UTCToLocal(v, env.zone())
	if !datetime.ValidTimestamp(l) {
		return 0, datetime.TimestampOutOfRange()
	}
	return l, nil
}

// timeOfDay casts timestamps to time; the infinite ones have none.
func timeOfDay(local bool) kernel {
	return func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			v := args[0].Ints[i]
			if datetime.IsInf(v) {
				out.Nulls.Set(int(i))
				continue
			}
			if local {
				v = datetime.UTCToLocal(v, env.zone())
			}
			out.Ints[i] = datetime.TimestampToTime(v)
		}
		return nil
	}
}
