package expr

import (
	"bytes"
	"cmp"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// compareSlots compares slot by slot; NULLs compare as anything.
func compareSlots(env *Env, op cmpOp, class cmpClass, sel []uint16, a, b *vec.Vec, out []bool) {
	switch class {
	case clInt:
		x, y := a.Ints, b.Ints
		for _, i := range sel {
			out[i] = op.test(cmp.Compare(x[i], y[i]))
		}
	case clFloat:
		x, y := a.Floats, b.Floats
		for _, i := range sel {
			out[i] = op.test(types.CompareFloat(x[i], y[i]))
		}
	case clBytes:
		x, y := a.Bytes, b.Bytes
		for _, i := range sel {
			out[i] = op.test(bytes.Compare(x[i], y[i]))
		}
	case clDatum:
		if a.Type.Kind == types.Numeric {
			for _, i := range sel {
				out[i] = op.test(numeric.Cmp(&a.Decimals[i], &b.Decimals[i]))
			}
			return
		}
		for _, i := range sel {
			out[i] = op.test(types.Compare(a.Type, a.Datum(int(i)), b.Datum(int(i))))
		}
	default:
		for _, i := range sel {
			out[i] = op.test(compareTimes(env, class, a.Ints[i], b.Ints[i]))
		}
	}
}

// compareTimes compares dates and timestamps of different types.
func compareTimes(env *Env, class cmpClass, x, y int64) int {
	local := func(v int64) int64 { return datetime.LocalToUTC(v, env.zone()) }
	switch class {
	case clDateTS:
		return compareDateTS(x, y)
	case clTSDate:
		return -compareDateTS(y, x)
	case clDateTSTZ:
		if d, ok := midnight(x); ok {
			return cmp.Compare(local(d), y)
		}
		return compareDateTS(x, y)
	case clTSTZDate:
		if d, ok := midnight(y); ok {
			return cmp.Compare(x, local(d))
		}
		return -compareDateTS(y, x)
	case clTSTSTZ:
		return cmp.Compare(local(x), y)
	}
	return cmp.Compare(x, local(y))
}

// midnight gives the timestamp of a day if there is one.
func midnight(d int64) (int64, bool) {
	ts, err := datetime.DateToTimestamp(d)
	return ts, err == nil
}

// compareDateTS takes dates beyond the range of timestamps for greater than
// any but infinity.
func compareDateTS(d, ts int64) int {
	if m, ok := midnight(d); ok {
		return cmp.Compare(m, ts)
	}
	if ts == datetime.PosInfinity {
		return -1
	}
	return 1
}
