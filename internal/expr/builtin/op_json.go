package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	for _, t := range []types.T{tJSON, tJSONB} {
		for name, text := range map[string]bool{"->": false, "->>": true} {
			res := t
			if text {
				res = tText
			}
			expr.RegisterOps(
				fn(name, ts(t, tText), res, jsonfunc.Member(text)),
				fn(name, ts(t, tInt4), res, jsonfunc.Element(text)),
			)
		}
		for name, text := range map[string]bool{"#>": false, "#>>": true} {
			res := t
			if text {
				res = tText
			}
			expr.RegisterOps(fn(name, ts(t, tTexts), res, jsonfunc.Path(text)))
		}
		expr.RegisterFuncs(
			fn(t.TypName()+"_typeof", ts(t), tText, datumKernel(jsonfunc.Typeof)),
			fn(t.TypName()+"_array_length", ts(t), tInt4, datumKernel(jsonfunc.ArrayLength)),
			fn("to_"+t.TypName(), ts(tAnyEl), t, datumKernel(jsonfunc.To(t.Kind))).AsStable(),
			fn(t.TypName()+"_build_array", ts(), t, datumKernel(jsonfunc.BuildArray(t.Kind))).AsStable(),
			fn(t.TypName()+"_build_array", ts(tAny), t, datumKernel(jsonfunc.BuildArray(t.Kind))).CalledOnNull().AsStable().AsVariadic(),
			fn(t.TypName()+"_build_object", ts(), t, datumKernel(jsonfunc.BuildObject(t.Kind))).AsStable(),
			fn(t.TypName()+"_build_object", ts(tAny), t, datumKernel(jsonfunc.BuildObject(t.Kind))).CalledOnNull().AsStable().AsVariadic(),
		)
		if t == tJSONB {
			expr.RegisterFuncs(fn("jsonb_strip_nulls", ts(t), t, datumKernel(jsonfunc.StripNulls)))
		}
	}
	expr.RegisterOps(
		fn("@>", ts(tJSONB, tJSONB), tBool, datumKernel(jsonfunc.Contains)),
		fn("<@", ts(tJSONB, tJSONB), tBool, datumKernel(jsonfunc.ContainedBy)),
		fn("?", ts(tJSONB, tText), tBool, datumKernel(jsonfunc.Exists)),
		fn("-", ts(tJSONB, tText), tJSONB, datumKernel(jsonfunc.DeleteKey)),
		fn("-", ts(tJSONB, tInt4), tJSONB, datumKernel(jsonfunc.DeleteIndex)),
	)
	expr.RegisterCast(types.JSON, types.JSONB, expr.Assignment, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		return jsonfunc.Result(types.JSONB, a[0].Bytes)
	}))
	expr.RegisterCast(types.JSONB, types.JSON, expr.Assignment, nil)
	for _, k := range []types.Kind{types.Bool, types.Numeric, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8} {
		expr.RegisterCast(types.JSONB, k, expr.Explicit, datumKernel(jsonfunc.CastTo(k)))
	}
}
