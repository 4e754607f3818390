package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Call is one evaluation of a function over the catalog.
type Call struct {
	World
	env  *expr.Env
	snap *catalog.Snapshot
	Args []types.Datum
}

func (c *Call) oid(i int) uint32  { return uint32(c.Args[i].Int) }
func (c *Call) text(i int) string { return string(c.Args[i].Bytes) }
func (c *Call) path() []string    { return c.env.SearchPath }

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

// Function registers a function that is NULL for a NULL argument.
func Function(name string, args []types.T, res types.T, f func(c *Call) (types.Datum, error)) {
	register(name, args, res, true, f)
}

func register(name string, args []types.T, res types.T, strict bool, f func(c *Call) (types.Datum, error)) {
	builtin.RegisterFunc(name, args, res, strict, true, func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		w, ok := env.Session.(World)
		if !ok {
			return null, unanswerable(name)
		}
		return f(&Call{World: w, env: env, snap: w.Snapshot(), Args: a})
	})
}

// overloads registers one function under several signatures.
func overloads(name string, res types.T, f func(c *Call) (types.Datum, error), sigs ...[]types.T) {
	for _, s := range sigs {
		Function(name, s, res, f)
	}
}

// fixed makes a function of a value.
func fixed(d types.Datum) func(*Call) (types.Datum, error) {
	return func(*Call) (types.Datum, error) { return d, nil }
}

// relation finds the relation that an argument names: 42P01.
func (c *Call) relation(i int) (uint32, error) {
	d, err := types.ParseText(tRegclass, c.Args[i].Bytes, &types.IOEnv{Names: c.env.Names})
	return uint32(d.Int), err
}

func undefinedObject(format string, args ...any) error {
	return sqlerr.New(sqlerr.UndefinedObject, format, args...)
}
