package expr

import (
	"bytes"
	"cmp"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// comparable pairs of types and how they compare.
var cmpPairs = []struct {
	l, r  types.T
	class cmpClass
}{
	{tBool, tBool, clDatum},
	{tInt2, tInt2, clInt}, {tInt2, tInt4, clInt}, {tInt2, tInt8, clInt},
	{tInt4, tInt2, clInt}, {tInt4, tInt4, clInt}, {tInt4, tInt8, clInt},
	{tInt8, tInt2, clInt}, {tInt8, tInt4, clInt}, {tInt8, tInt8, clInt},
	{tOID, tOID, clInt}, {tOidvec, tOidvec, clDatum}, {tTID, tTID, clInt}, {tLSN, tLSN, clInt}, {tInet, tInet, clDatum},
	{tFloat4, tFloat4, clFloat}, {tFloat4, tFloat8, clFloat}, {tFloat8, tFloat4, clFloat}, {tFloat8, tFloat8, clFloat},
	{tNum, tNum, clDatum},
	{tText, tText, clBytes}, {tName, tName, clBytes}, {tName, tText, clBytes}, {tText, tName, clBytes},
	{tBpchar, tBpchar, clDatum}, {tChar, tChar, clBytes}, {tBytea, tBytea, clBytes}, {tUUID, tUUID, clBytes},
	{tDate, tDate, clInt}, {tTime, tTime, clInt}, {tTS, tTS, clInt}, {tTSTZ, tTSTZ, clInt},
	{tDate, tTS, clDateTS}, {tTS, tDate, clTSDate},
	{tDate, tTSTZ, clDateTSTZ}, {tTSTZ, tDate, clTSTZDate},
	{tTS, tTSTZ, clTSTSTZ}, {tTSTZ, tTS, clTSTZTS},
	{tInt, tInt, clDatum}, {tJSONB, tJSONB, clDatum}, {tAnyArr, tAnyArr, clDatum},
	{types.Of(types.Record), types.Of(types.Record), clDatum},
}

func init() {
	for _, t := range []types.T{tXID, types.Of(types.CID)} { // without an order
		for _, op := range []cmpOp{cmpEQ, cmpNE} {
			if op == cmpNE && t != tXID {
				continue
			}
			f := fn(cmpNames[op], ts(t, t), tBool, compareKernel(op, clInt))
			f.cmp, f.class = op, clInt
			registerOps(f)
		}
	}
	for op, name := range map[cmpOp]string{cmpEQ: "=", cmpNE: "<>"} {
		registerOps(fn(name, ts(tXID, tInt4), tBool, k2(func(a, b int64) bool { return op.test(cmp.Compare(a, int64(uint32(b)))) })))
	}
	for _, p := range cmpPairs {
		for op := cmpEQ; op <= cmpGE; op++ {
			f := fn(cmpNames[op], ts(p.l, p.r), tBool, compareKernel(op, p.class))
			f.cmp, f.class = op, p.class
			f.Stable = p.class >= clDateTSTZ
			registerOps(f)
		}
	}
}

func compareKernel(op cmpOp, class cmpClass) kernel {
	return func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		compareSlots(env, op, class, sel, args[0], args[1], out.Bools)
		return nil
	}
}

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
