package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// call is one evaluation of a function over the catalog.
type call struct {
	World
	env  *expr.Env
	snap *catalog.Snapshot
	args []types.Datum
}

func (c *call) oid(i int) uint32  { return uint32(c.args[i].Int) }
func (c *call) text(i int) string { return string(c.args[i].Bytes) }
func (c *call) path() []string    { return c.env.SearchPath }

// Short names for signatures.
var (
	tBool     = types.Of(types.Bool)
	tInt2     = types.Of(types.Int2)
	tInt4     = types.Of(types.Int4)
	tInt8     = types.Of(types.Int8)
	tText     = types.Of(types.Text)
	tName     = types.Of(types.Name)
	tChar     = types.Of(types.CharOne)
	tOID      = types.Of(types.OID)
	tRegclass = types.Of(types.Regclass)
	tNodeTree = types.Of(types.NodeTree)
	tTSTZ     = types.Of(types.Timestamptz)
	tACLs     = types.ArrayOf(types.Of(types.ACLItem))
	tTexts    = types.ArrayOf(types.Of(types.Text))
)

func ts(list ...types.T) []types.T { return list }

// function registers a function that is NULL for a NULL argument.
func function(name string, args []types.T, res types.T, f func(c *call) (types.Datum, error)) {
	register(name, args, res, true, f)
}

func register(name string, args []types.T, res types.T, strict bool, f func(c *call) (types.Datum, error)) {
	builtin.RegisterFunc(name, args, res, strict, true, func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		w, ok := env.Session.(World)
		if !ok {
			return null, unanswerable(name)
		}
		return f(&call{World: w, env: env, snap: w.Snapshot(), args: a})
	})
}

// overloads registers one function under several signatures.
func overloads(name string, res types.T, f func(c *call) (types.Datum, error), sigs ...[]types.T) {
	for _, s := range sigs {
		function(name, s, res, f)
	}
}

// fixed makes a function of a value.
func fixed(d types.Datum) func(*call) (types.Datum, error) {
	return func(*call) (types.Datum, error) { return d, nil }
}

// relation finds the relation that an argument names: 42P01.
func (c *call) relation(i int) (uint32, error) {
	d, err := types.ParseText(tRegclass, c.args[i].Bytes, &types.IOEnv{Names: c.env.Names})
	return uint32(d.Int), err
}

func undefinedObject(format string, args ...any) error {
	return sqlerr.New(sqlerr.UndefinedObject, format, args...)
}
