package builtin

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	register := func(key, offset, shift types.T, k func(sub bool) expr.Kernel) {
		f := func(name string, sub bool) *expr.Func { return fn(name, ts(key, offset), shift, k(sub)) }
		plus, sub := f("+", false), f("-", true)
		if key == tTSTZ {
			plus.AsStable()
			sub.AsStable()
		}
		expr.RegisterInRange(key, offset, plus, sub)
	}
	ints := []types.T{tInt2, tInt4, tInt8}
	for _, key := range ints {
		for _, offset := range ints {
			register(key, offset, tInt8, func(sub bool) expr.Kernel {
				return shiftInts(sub, func(v *vec.Vec, i uint16) int64 { return v.Ints[i] })
			})
		}
	}
	register(tFloat4, tFloat8, tFloat8, shiftFloats)
	register(tFloat8, tFloat8, tFloat8, shiftFloats)
	register(tNum, tNum, tNum, shiftNumerics)
	spans := func(f func(env *expr.Env, v int64, by ival, sign int64) (int64, error)) func(sub bool) expr.Kernel {
		return func(sub bool) expr.Kernel {
			sign := int64(1)
			if sub {
				sign = -1
			}
			return k2env(func(env *expr.Env, v int64, by ival) (int64, error) {
				if types.CompareInterval(by, ival{}) < 0 {
					return 0, badFrameSize()
				}
				return f(env, v, by, sign)
			})
		}
	}
	register(tDate, tInt, tTS, spans(func(_ *expr.Env, v int64, by ival, sign int64) (int64, error) {
		return timefunc.DateAddSpan(v, by, sign)
	}))
	register(tTS, tInt, tTS, spans(func(_ *expr.Env, v int64, by ival, sign int64) (int64, error) {
		return timefunc.TimestampAddSpan(v, by, sign)
	}))
	register(tTSTZ, tInt, tTSTZ, spans(timefunc.TimestamptzAddSpan))
	register(tTime, tInt, tTime, func(sub bool) expr.Kernel {
		return shiftInts(sub, func(v *vec.Vec, i uint16) int64 { return v.Intervals[i].Micros })
	})
	register(tInt, tInt, tInt, func(sub bool) expr.Kernel {
		return k2e(func(v, by ival) (ival, error) {
			if types.CompareInterval(by, ival{}) < 0 {
				return ival{}, badFrameSize()
			}
			if !sub {
				return timefunc.AddSpans(v, by)
			}
			neg, err := timefunc.NegSpan(by)
			if err != nil {
				return ival{}, err
			}
			return timefunc.AddSpans(v, neg)
		})
	})
}

func badFrameSize() error {
	return sqlerr.New(sqlerr.InvalidPrecedingOrFollowing, "invalid preceding or following size in window function")
}

func shiftInts(sub bool, offset func(v *vec.Vec, i uint16) int64) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			v, by := args[0].Ints[i], offset(args[1], i)
			if by < 0 {
				return badFrameSize()
			}
			var over bool
			if sub {
				over = v < math.MinInt64+by
				v -= by
			} else {
				over = v > math.MaxInt64-by
				v += by
			}
			if over {
				out.Nulls.Set(int(i))
			}
			out.Ints[i] = v
		}
		return nil
	}
}

func shiftFloats(sub bool) expr.Kernel {
	return k2e(func(v, by float64) (float64, error) {
		if !(by >= 0) {
			return 0, badFrameSize()
		}
		if sub {
			return v - by, nil
		}
		return v + by, nil
	})
}

func shiftNumerics(sub bool) expr.Kernel {
	return n2(func(z, v, by *apd.Decimal) error {
		if numeric.IsNaN(by) || numeric.Sign(by) < 0 {
			return badFrameSize()
		}
		if sub {
			return numeric.Sub(z, v, by)
		}
		return numeric.Add(z, v, by)
	})
}
