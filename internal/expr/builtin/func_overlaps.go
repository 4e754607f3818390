package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// OVERLAPS of two periods, each given by its ends or by its beginning and a length.

func init() {
	add := map[types.Kind]func(env *expr.Env, t int64, v ival) (int64, error){
		types.Timestamp:   func(_ *expr.Env, t int64, v ival) (int64, error) { return tsAddSpan(t, v, 1) },
		types.Timestamptz: func(env *expr.Env, t int64, v ival) (int64, error) { return tstzAddSpan(env, t, v, 1) },
		types.Time:        func(_ *expr.Env, t int64, v ival) (int64, error) { return timeAdd(t, v.Micros), nil },
	}
	for _, t := range []types.T{tTS, tTSTZ, tTime} {
		for _, first := range []types.T{t, tInt} {
			for _, second := range []types.T{t, tInt} {
				expr.RegisterFuncs(fn("overlaps", ts(t, first, t, second), tBool, datumKernel(overlaps(add[t.Kind]))).CalledOnNull().AsStable())
			}
		}
	}
}

func overlaps(add func(env *expr.Env, t int64, v ival) (int64, error)) datumFunc {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		var ends [4]types.Datum
		copy(ends[:], a)
		for i := 1; i < 4; i += 2 {
			if t[i].Kind != types.Interval {
				continue
			}
			if a[i].Null || a[i-1].Null {
				ends[i] = types.NullDatum
				continue
			}
			v, err := add(env, a[i-1].Int, a[i].Interval)
			if err != nil {
				return types.NullDatum, err
			}
			ends[i] = types.NewInt(v)
		}
		// In order; of a period with one end known that one is its beginning.
		for i := 0; i < 4; i += 2 {
			if b, e := ends[i], ends[i+1]; b.Null || !e.Null && b.Int > e.Int {
				ends[i], ends[i+1] = e, b
			}
		}
		b1, e1, b2, e2 := ends[0], ends[1], ends[2], ends[3]
		switch {
		case b1.Null || b2.Null:
			return types.NullDatum, nil
		case b1.Int > b2.Int:
			b1, e1, b2, e2 = b2, e2, b1, e1
		case b1.Int == b2.Int:
			if e1.Null || e2.Null {
				return types.NullDatum, nil
			}
			return types.NewBool(true), nil
		}
		// The first begins before the second.
		switch {
		case e1.Null:
			return types.NullDatum, nil
		case b2.Int < e1.Int:
			return types.NewBool(true), nil
		case e2.Null:
			return types.NullDatum, nil
		}
		return types.NewBool(false), nil
	}
}
