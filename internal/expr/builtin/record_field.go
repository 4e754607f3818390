package builtin

import (
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// A row that a function gives may be one value, a record. Its type does not name its
// fields: who makes it knows them.

// fieldOf says which field of a record a function takes.
type fieldOf struct {
	i    int
	name string
	t    types.T
}

var fieldFuncs sync.Map // fieldOf -> *Func: one of each, so that equal calls are equal

// RecordField makes (x).name of a record whose fields are cols: 42703.
func RecordField(x expr.Expr, cols []expr.SetColumn, name string, pos int) (expr.Expr, error) {
	for i, c := range cols {
		if c.Name != name {
			continue
		}
		key := fieldOf{i, name, c.T}
		f, ok := fieldFuncs.Load(key)
		if !ok {
			f, _ = fieldFuncs.LoadOrStore(key, fn("("+name+")", ts(types.Of(types.Record)), c.T,
				datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) { return a[0].Array.Elems[i], nil })))
		}
		return &expr.Call{Fn: f.(*expr.Func), Args: []expr.Expr{x}, T: c.T, At: pos}, nil
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return nil, sqlerr.New(sqlerr.UndefinedColumn, `could not identify column "%s" in record data type`, name).
		WithDetail("The record has the columns %s.", strings.Join(names, ", ")).At(pos)
}
