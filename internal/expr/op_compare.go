package expr

import (
	"cmp"

	"github.com/saltsql/saltsql/internal/types"
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
