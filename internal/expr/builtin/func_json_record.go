package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	for _, t := range []types.T{tJSON, tJSONB} {
		name := t.TypName()
		expr.RegisterFuncs(
			fn(name+"_populate_record", ts(tAnyEl, t), tAnyEl, datumKernel(jsonfunc.PopulateRecord(name+"_populate_record"))).AsStable().CalledOnNull(),
			fn(name+"_to_record", ts(t), types.Of(types.Record), datumKernel(func(*expr.Env, []types.T, []types.Datum) (types.Datum, error) {
				return types.NullDatum, jsonfunc.NoDefinitions()
			})).AsStable(),
		)
		setFn(name+"_populate_recordset", ts(tAnyEl, t), jsonfunc.PopulateRecordset(name+"_populate_recordset"), expr.SetColumn{T: tAnyEl}).Nullable = true
		setFn(name+"_to_recordset", ts(t), func(*expr.Env, []types.T, []types.Datum) ([][]types.Datum, error) {
			return nil, jsonfunc.NoDefinitions()
		}, expr.SetColumn{T: types.Of(types.Record)})
	}
}
