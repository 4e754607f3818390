package eval

import (
	"bytes"
	"cmp"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// CompareSlots compares slot by slot; NULLs compare as anything.
func CompareSlots(env *expr.Env, op expr.CmpOp, class expr.CmpClass, sel []uint16, a, b *vec.Vec, out []bool) {
	switch class {
	case expr.ClassInt:
		x, y := a.Ints, b.Ints
		for _, i := range sel {
			out[i] = op.Test(cmp.Compare(x[i], y[i]))
		}
	case expr.ClassFloat:
		x, y := a.Floats, b.Floats
		for _, i := range sel {
			out[i] = op.Test(types.CompareFloat(x[i], y[i]))
		}
	case expr.ClassBytes:
		x, y := a.Bytes, b.Bytes
		for _, i := range sel {
			out[i] = op.Test(bytes.Compare(x[i], y[i]))
		}
	case expr.ClassDatum:
		if a.Type.Kind == types.Numeric {
			for _, i := range sel {
				out[i] = op.Test(numeric.Cmp(&a.Decimals[i], &b.Decimals[i]))
			}
			return
		}
		for _, i := range sel {
			out[i] = op.Test(types.Compare(a.Type, a.Datum(int(i)), b.Datum(int(i))))
		}
	default:
		for _, i := range sel {
			out[i] = op.Test(compareTimes(env, class, a.Ints[i], b.Ints[i]))
		}
	}
}

// compareTimes compares dates and timestamps of different types.
func compareTimes(env *expr.Env, class expr.CmpClass, x, y int64) int {
	local := func(v int64) int64 { return datetime.LocalToUTC(v, env.Zone()) }
	switch class {
	case expr.ClassDateTS:
		return compareDateTS(x, y)
	case expr.ClassTSDate:
		return -compareDateTS(y, x)
	case expr.ClassDateTSTZ:
		if d, ok := midnight(x); ok {
			return cmp.Compare(local(d), y)
		}
		return compareDateTS(x, y)
	case expr.ClassTSTZDate:
		if d, ok := midnight(y); ok {
			return cmp.Compare(x, local(d))
		}
		return -compareDateTS(y, x)
	case expr.ClassTSTSTZ:
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
