package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	expr.RegisterOps(
		fn("?|", ts(tJSONB, tTexts), tBool, datumKernel(jsonfunc.ExistsOf(false))),
		fn("?&", ts(tJSONB, tTexts), tBool, datumKernel(jsonfunc.ExistsOf(true))),
		fn("-", ts(tJSONB, tTexts), tJSONB, datumKernel(jsonfunc.DeleteKeys)),
		fn("#-", ts(tJSONB, tTexts), tJSONB, datumKernel(jsonfunc.DeletePath)),
	)
	expr.RegisterFuncs(
		fn("jsonb_exists", ts(tJSONB, tText), tBool, datumKernel(jsonfunc.Exists)),
		fn("jsonb_exists_any", ts(tJSONB, tTexts), tBool, datumKernel(jsonfunc.ExistsOf(false))),
		fn("jsonb_exists_all", ts(tJSONB, tTexts), tBool, datumKernel(jsonfunc.ExistsOf(true))),
		fn("jsonb_set", ts(tJSONB, tTexts, tJSONB), tJSONB, datumKernel(jsonfunc.Set)),
		fn("jsonb_set", ts(tJSONB, tTexts, tJSONB, tBool), tJSONB, datumKernel(jsonfunc.Set)),
		fn("jsonb_insert", ts(tJSONB, tTexts, tJSONB), tJSONB, datumKernel(jsonfunc.Insert)),
		fn("jsonb_insert", ts(tJSONB, tTexts, tJSONB, tBool), tJSONB, datumKernel(jsonfunc.Insert)),
		fn("jsonb_set_lax", ts(tJSONB, tTexts, tJSONB), tJSONB, datumKernel(jsonfunc.SetLax)).CalledOnNull(),
		fn("jsonb_set_lax", ts(tJSONB, tTexts, tJSONB, tBool), tJSONB, datumKernel(jsonfunc.SetLax)).CalledOnNull(),
		fn("jsonb_set_lax", ts(tJSONB, tTexts, tJSONB, tBool, tText), tJSONB, datumKernel(jsonfunc.SetLax)).CalledOnNull(),
		fn("json_strip_nulls", ts(tJSON), tJSON, datumKernel(jsonfunc.StripNullsText)),
		fn("jsonb_pretty", ts(tJSONB), tText, datumKernel(jsonfunc.Pretty)),
		fn("array_to_json", ts(tAnyArr), tJSON, datumKernel(jsonfunc.FromArray)).AsStable(),
		fn("array_to_json", ts(tAnyArr, tBool), tJSON, datumKernel(jsonfunc.FromArray)).AsStable(),
	)
	for _, t := range []types.T{tJSON, tJSONB} {
		expr.RegisterFuncs(
			fn(t.TypName()+"_extract_path", ts(t, tText), t, datumKernel(jsonfunc.ExtractPath(false))).AsVariadic(),
			fn(t.TypName()+"_extract_path_text", ts(t, tText), tText, datumKernel(jsonfunc.ExtractPath(true))).AsVariadic(),
			fn(t.TypName()+"_object", ts(tTexts), t, datumKernel(jsonfunc.TextObject(t.Kind))),
			fn(t.TypName()+"_object", ts(tTexts, tTexts), t, datumKernel(jsonfunc.TextObject(t.Kind))),
		)
	}
}
