package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// What other layers add to the built-in functions: those over the catalog, say.

// AnyArray and AnyElement are the types of arguments and results that take any array, and
// its elements, for functions of other layers.
var (
	AnyArray   = tAnyArr
	AnyElement = tAnyEl
)

// RegisterFunc adds a function of another layer (catalog information, say) to
// the overloads; call it from an init function. Strict functions give NULL for
// a NULL argument without being called; stable ones are evaluated once per
// execution. f gets the arguments' types as they are and must not keep args.
func RegisterFunc(name string, args []types.T, res types.T, strict, stable bool,
	f func(env *expr.Env, ts []types.T, args []types.Datum) (types.Datum, error)) {
	o := fn(name, args, res, datumKernel(f))
	o.Strict, o.Stable, o.Volatile = strict, stable, !stable
	expr.RegisterFuncs(o)
}

// RegisterSet adds a set-returning function of another layer; call it from an init
// function. Columns without a name are one column. A NULL argument gives no rows where
// strict is set.
func RegisterSet(name string, args []types.T, strict bool, cols []expr.SetColumn,
	rows func(env *expr.Env, ts []types.T, args []types.Datum) ([][]types.Datum, error)) {
	setFn(name, args, rows, cols...).Nullable = !strict
}
