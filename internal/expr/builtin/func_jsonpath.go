package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	expr.RegisterOps(
		fn("@?", ts(tJSONB, tPath), tBool, datumKernel(jsonfunc.PathExists(jsonfunc.PathOperator))),
		fn("@@", ts(tJSONB, tPath), tBool, datumKernel(jsonfunc.PathMatch(jsonfunc.PathOperator))),
	)
	noVars := &expr.Const{Value: types.NewText("{}"), T: tJSONB}
	loud := &expr.Const{Value: types.NewBool(false), T: tBool}
	for _, mode := range []jsonfunc.PathMode{jsonfunc.PathPlain, jsonfunc.PathZoned} {
		suffix := ""
		if mode == jsonfunc.PathZoned {
			suffix = "_tz"
		}
		each := func(name string, add func(name string, args []types.T)) {
			name = "jsonb_path_" + name + suffix
			all := ts(tJSONB, tPath, tJSONB, tBool)
			for n := 2; n <= len(all); n++ {
				add(name, all[:n:n])
			}
			expr.RegisterArgNames(name, expr.ArgName{Name: "target"}, expr.ArgName{Name: "path"},
				expr.ArgName{Name: "vars", Default: noVars}, expr.ArgName{Name: "silent", Default: loud})
		}
		scalar := func(name string, res types.T, f datumFunc) {
			each(name, func(name string, args []types.T) {
				o := fn(name, args, res, datumKernel(f))
				o.Stable = mode == jsonfunc.PathZoned
				expr.RegisterFuncs(o)
			})
		}
		scalar("exists", tBool, jsonfunc.PathExists(mode))
		scalar("match", tBool, jsonfunc.PathMatch(mode))
		scalar("query_array", tJSONB, jsonfunc.PathArray(mode))
		scalar("query_first", tJSONB, jsonfunc.PathFirst(mode))
		each("query", func(name string, args []types.T) {
			f := setFn(name, args, jsonfunc.PathRows(mode), expr.SetColumn{T: tJSONB})
			f.Sig.Stable = mode == jsonfunc.PathZoned
		})
	}
}
