package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	agg := func(name string, res types.T, args ...types.T) { expr.RegisterAggs(fn(name, args, res, nil)) }
	agg("count", tInt8)
	agg("count", tInt8, tAny)

	agg("sum", tInt8, tInt2)
	agg("sum", tInt8, tInt4)
	agg("sum", tNum, tInt8)
	agg("sum", tFloat4, tFloat4)
	agg("sum", tFloat8, tFloat8)
	agg("sum", tNum, tNum)
	agg("sum", tInt, tInt)

	for _, t := range []types.T{tInt2, tInt4, tInt8, tNum} {
		agg("avg", tNum, t)
	}
	agg("avg", tFloat8, tFloat4)
	agg("avg", tFloat8, tFloat8)
	agg("avg", tInt, tInt)

	for _, name := range []string{"min", "max"} {
		for _, t := range []types.T{tInt2, tInt4, tInt8, tOID, tFloat4, tFloat8, tNum, tText, tBpchar,
			tDate, tTime, tTS, tTSTZ, tInt, tInet, tLSN, tTID, tAnyArr, tAnyEn} {
			agg(name, t, t)
		}
	}
	for _, name := range []string{"bool_and", "bool_or", "every"} {
		agg(name, tBool, tBool)
	}
	for _, name := range []string{"bit_and", "bit_or", "bit_xor"} {
		for _, t := range []types.T{tInt2, tInt4, tInt8} {
			agg(name, t, t)
		}
	}
	for _, name := range []string{"corr", "covar_pop", "covar_samp", "regr_sxx", "regr_syy", "regr_sxy", "regr_avgx", "regr_avgy",
		"regr_r2", "regr_slope", "regr_intercept"} {
		agg(name, tFloat8, tFloat8, tFloat8)
	}
	agg("regr_count", tInt8, tFloat8, tFloat8)
	agg("json_object_agg", tJSON, tAny, tAny)
	agg("jsonb_object_agg", tJSONB, tAny, tAny)
	agg("string_agg", tText, tText, tText)
	agg("string_agg", tBytea, tBytea, tBytea)
	agg("array_agg", tAnyArr, tAnyEl)

	for _, name := range []string{"stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"} {
		for _, t := range []types.T{tInt2, tInt4, tInt8, tNum} {
			agg(name, tNum, t)
		}
		agg(name, tFloat8, tFloat4)
		agg(name, tFloat8, tFloat8)
	}
	for _, name := range []string{"json_agg", "jsonb_agg"} {
		res := tJSON
		if name == "jsonb_agg" {
			res = tJSONB
		}
		agg(name, res, tAny)
	}
}

func init() {
	within := func(name string, res types.T, args ...types.T) {
		expr.RegisterWithin(fn(name, args, res, nil))
	}
	many := types.ArrayOf(tFloat8)
	within("percentile_cont", tFloat8, tFloat8, tFloat8)
	within("percentile_cont", tInt, tFloat8, tInt)
	within("percentile_cont", many, many, tFloat8)
	within("percentile_cont", types.ArrayOf(tInt), many, tInt)
	within("percentile_disc", tAnyEl, tFloat8, tAnyEl)
	within("percentile_disc", tAnyArr, many, tAnyEl)
	within("mode", tAnyEl, tAnyEl)
}
