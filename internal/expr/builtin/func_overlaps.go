package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
	"github.com/saltsql/saltsql/internal/types"
)

// OVERLAPS of two periods, each given by its ends or by its beginning and a length.

func init() {
	add := map[types.Kind]func(env *expr.Env, t int64, v ival) (int64, error){
		types.Timestamp:   func(_ *expr.Env, t int64, v ival) (int64, error) { return timefunc.TimestampAddSpan(t, v, 1) },
		types.Timestamptz: func(env *expr.Env, t int64, v ival) (int64, error) { return timefunc.TimestamptzAddSpan(env, t, v, 1) },
		types.Time:        func(_ *expr.Env, t int64, v ival) (int64, error) { return timefunc.TimeAdd(t, v.Micros), nil },
	}
	for _, t := range []types.T{tTS, tTSTZ, tTime} {
		for _, first := range []types.T{t, tInt} {
			for _, second := range []types.T{t, tInt} {
				f := fn("overlaps", ts(t, first, t, second), tBool, datumKernel(timefunc.Overlaps(add[t.Kind]))).CalledOnNull()
				f.Stable = t == tTSTZ && (first == tInt || second == tInt) // days are those of the zone
				expr.RegisterFuncs(f)
			}
		}
	}
}
