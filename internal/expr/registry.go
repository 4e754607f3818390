package expr

import (
	"iter"
	"maps"
	"slices"

	"github.com/saltsql/saltsql/internal/types"
)

// Pseudo-types of overloads; they match as pg_proc's polymorphic types do.
const (
	anyElement types.Kind = 240 + iota
	anyArray
	anyCompatible      // arguments are brought to a common type
	anyCompatibleArray // arrays over that common type
	anyType            // "any": each argument as it is
	anyNonArray
)

// overloads by name.
var (
	funcs = map[string][]*Func{}
	ops   = map[string][]*Func{} // with one argument: prefix operators
)

// Overloads lists all functions, by name, and then all operators.
func Overloads() []*Func {
	var out []*Func
	for _, table := range []map[string][]*Func{funcs, ops} {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			out = append(out, table[name]...)
		}
	}
	return out
}

// allFuncs, allOps, allAggs, allSets and allCasts list what is registered, in no order.
// Aggregates WITHIN GROUP have their direct arguments first.
func allFuncs() iter.Seq[*Func]   { return each(funcs) }
func allOps() iter.Seq[*Func]     { return each(ops) }
func allAggs() iter.Seq[*Func]    { return each(aggs, withins) }
func allSets() iter.Seq[*SetFunc] { return each(sets) }

func allCasts() iter.Seq2[castKey, *castFunc] { return maps.All(castTable) }

func each[F any](tables ...map[string][]F) iter.Seq[F] {
	return func(yield func(F) bool) {
		for _, t := range tables {
			for _, fs := range t {
				for _, f := range fs {
					if !yield(f) {
						return
					}
				}
			}
		}
	}
}

// newFunc makes an overload of a function: strict and immutable unless changed.
func newFunc(name string, args []types.T, res types.T, k kernel) *Func {
	f := &Func{Name: name, args: args, res: res, Result: res.Kind, Strict: true, kernel: k}
	for _, a := range args {
		f.Args = append(f.Args, a.Kind)
	}
	return f
}

// nullable makes f called with NULLs.
func (f *Func) nullable() *Func { f.Strict = false; return f }

// stable makes f depend on the session or the time.
func (f *Func) stable() *Func { f.Stable = true; return f }

// volatile makes f be called for every row.
func (f *Func) volatile() *Func { f.Volatile = true; return f }

// manyArgs makes the last argument repeatable, as VARIADIC does.
func (f *Func) manyArgs() *Func { f.variadic = true; return f }

// registerFuncs adds overloads of functions.
func registerFuncs(fs ...*Func) {
	for _, f := range fs {
		funcs[f.Name] = append(funcs[f.Name], f)
	}
}

// registerOps adds overloads of operators.
func registerOps(fs ...*Func) {
	for _, f := range fs {
		f.operator = true
		ops[f.Name] = append(ops[f.Name], f)
	}
}

// accepts says whether f can be called with n arguments.
func (f *Func) accepts(n int) bool {
	if f.variadic {
		return n >= len(f.args)
	}
	return n == len(f.args)
}

// arg gives the type of the i-th argument.
func (f *Func) arg(i int) types.T {
	if i >= len(f.args) {
		i = len(f.args) - 1
	}
	return f.args[i]
}

// IsOperator says that f is an operator rather than a function.
func (f *Func) IsOperator() bool { return f.operator }

// Comparison tells which comparison f is, if it orders two values as
// types.Compare does for their type: one of = <> < <= > >=, else "".
func (f *Func) Comparison() string {
	if f.cmp == cmpNone || f.args[0] != f.args[1] {
		return ""
	}
	return f.Name
}
