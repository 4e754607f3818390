package timefunc

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Overlaps is OVERLAPS; add is + of the type.
func Overlaps(add func(env *expr.Env, t int64, v types.IntervalValue) (int64, error)) Func {
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
