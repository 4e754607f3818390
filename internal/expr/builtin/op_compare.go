package builtin

import (
	"cmp"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// comparable pairs of types and how they compare.
var cmpPairs = []struct {
	l, r  types.T
	class expr.CmpClass
}{
	{tBool, tBool, expr.ClassDatum},
	{tInt2, tInt2, expr.ClassInt}, {tInt2, tInt4, expr.ClassInt}, {tInt2, tInt8, expr.ClassInt},
	{tInt4, tInt2, expr.ClassInt}, {tInt4, tInt4, expr.ClassInt}, {tInt4, tInt8, expr.ClassInt},
	{tInt8, tInt2, expr.ClassInt}, {tInt8, tInt4, expr.ClassInt}, {tInt8, tInt8, expr.ClassInt},
	{tOID, tOID, expr.ClassInt}, {tOidvec, tOidvec, expr.ClassDatum}, {tTID, tTID, expr.ClassInt}, {tLSN, tLSN, expr.ClassInt}, {tInet, tInet, expr.ClassDatum},
	{tFloat4, tFloat4, expr.ClassFloat}, {tFloat4, tFloat8, expr.ClassFloat}, {tFloat8, tFloat4, expr.ClassFloat}, {tFloat8, tFloat8, expr.ClassFloat},
	{tNum, tNum, expr.ClassDatum},
	{tText, tText, expr.ClassBytes}, {tName, tName, expr.ClassBytes}, {tName, tText, expr.ClassBytes}, {tText, tName, expr.ClassBytes},
	{tBpchar, tBpchar, expr.ClassDatum}, {tChar, tChar, expr.ClassBytes}, {tBytea, tBytea, expr.ClassBytes}, {tUUID, tUUID, expr.ClassBytes},
	{tDate, tDate, expr.ClassInt}, {tTime, tTime, expr.ClassInt}, {tTS, tTS, expr.ClassInt}, {tTSTZ, tTSTZ, expr.ClassInt},
	{tDate, tTS, expr.ClassDateTS}, {tTS, tDate, expr.ClassTSDate},
	{tDate, tTSTZ, expr.ClassDateTSTZ}, {tTSTZ, tDate, expr.ClassTSTZDate},
	{tTS, tTSTZ, expr.ClassTSTSTZ}, {tTSTZ, tTS, expr.ClassTSTZTS},
	{tInt, tInt, expr.ClassDatum}, {tJSONB, tJSONB, expr.ClassDatum}, {tAnyArr, tAnyArr, expr.ClassDatum},
}

func init() {
	for _, t := range []types.T{tXID, types.Of(types.CID)} { // without an order
		for _, op := range []expr.CmpOp{expr.CmpEQ, expr.CmpNE} {
			if op == expr.CmpNE && t != tXID {
				continue
			}
			f := fn(expr.CmpNames[op], ts(t, t), tBool, compareKernel(op, expr.ClassInt))
			f.Cmp, f.Class = op, expr.ClassInt
			expr.RegisterOps(f)
		}
	}
	for op, name := range map[expr.CmpOp]string{expr.CmpEQ: "=", expr.CmpNE: "<>"} {
		expr.RegisterOps(fn(name, ts(tXID, tInt4), tBool, k2(func(a, b int64) bool { return op.Test(cmp.Compare(a, int64(uint32(b)))) })))
	}
	for _, p := range cmpPairs {
		for op := expr.CmpEQ; op <= expr.CmpGE; op++ {
			f := fn(expr.CmpNames[op], ts(p.l, p.r), tBool, compareKernel(op, p.class))
			f.Cmp, f.Class = op, p.class
			f.Stable = p.class >= expr.ClassDateTSTZ
			expr.RegisterOps(f)
		}
	}
}

func compareKernel(op expr.CmpOp, class expr.CmpClass) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		eval.CompareSlots(env, op, class, sel, args[0], args[1], out.Bools)
		return nil
	}
}
