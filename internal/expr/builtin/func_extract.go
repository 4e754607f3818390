package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	for _, t := range []types.T{tDate, tTime, tTS, tTSTZ, tInt} {
		f := fn("extract", ts(tText, t), tNum, datumKernel(timefunc.Extract))
		g := fn("date_part", ts(tText, t), tFloat8, datumKernel(timefunc.DatePart))
		f.Stable, g.Stable = t == tTSTZ, t == tTSTZ
		expr.RegisterFuncs(f, g)
	}
}
