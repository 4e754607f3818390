package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	expr.RegisterFieldName(datumKernel(func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		return types.NewBytes(jsonfunc.AppendFieldName(nil, env, t[0], a[0])), nil
	}))
}
