package expr

import (
	"iter"
	"maps"
	"slices"

	"github.com/saltsql/saltsql/internal/types"
)

// Pseudo-types of overloads; they match as pg_proc's polymorphic types do.
const (
	KindAnyElement types.Kind = 240 + iota
	KindAnyArray
	KindAnyCompatible      // arguments are brought to a common type
	KindAnyCompatibleArray // arrays over that common type
	KindAny                // "any": each argument as it is
	KindAnyNonArray
	KindAnyEnum
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

// EachFunc, EachOp, EachAgg, EachSet, EachWindow and EachCast list what is registered, in no order.
// Aggregates WITHIN GROUP have their direct arguments first.
func EachFunc() iter.Seq[*Func]   { return each(funcs) }
func EachOp() iter.Seq[*Func]     { return each(ops) }
func EachAgg() iter.Seq[*Func]    { return each(aggs, withins) }
func EachSet() iter.Seq[*SetFunc] { return each(sets) }
func EachWindow() iter.Seq[*Func] { return each(windows) }

func EachCast() iter.Seq2[CastKey, *CastFunc] {
	return func(yield func(CastKey, *CastFunc) bool) {
		for from := range castTable {
			for to, c := range castTable[from] {
				if c != nil && !yield(CastKey{types.Kind(from), types.Kind(to)}, c) {
					return
				}
			}
		}
	}
}

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

// NewFunc makes an overload of a function: strict and immutable unless changed.
func NewFunc(name string, args []types.T, res types.T, k Kernel) *Func {
	f := &Func{Name: name, ArgTypes: args, ResultType: res, Result: res.Kind, Strict: true, Kernel: k}
	for _, a := range args {
		f.Args = append(f.Args, a.Kind)
	}
	return f
}

// CalledOnNull makes f called with NULLs.
func (f *Func) CalledOnNull() *Func { f.Strict = false; return f }

// AsStable makes f depend on the session or the time.
func (f *Func) AsStable() *Func { f.Stable = true; return f }

// AsVolatile makes f be called for every row.
func (f *Func) AsVolatile() *Func { f.Volatile = true; return f }

// AsVariadic makes the last argument repeatable, as VARIADIC does.
func (f *Func) AsVariadic() *Func { f.Variadic = true; return f }

// RegisterFuncs adds overloads of functions.
func RegisterFuncs(fs ...*Func) {
	for _, f := range fs {
		funcs[f.Name] = append(funcs[f.Name], f)
	}
}

// RegisterOps adds overloads of operators.
func RegisterOps(fs ...*Func) {
	for _, f := range fs {
		f.operator = true
		ops[f.Name] = append(ops[f.Name], f)
	}
}

// accepts says whether f can be called with n arguments.
func (f *Func) accepts(n int) bool {
	if f.Variadic {
		return n >= len(f.ArgTypes)
	}
	return n == len(f.ArgTypes)
}

// arg gives the type of the i-th argument.
func (f *Func) arg(i int) types.T {
	if i >= len(f.ArgTypes) {
		i = len(f.ArgTypes) - 1
	}
	return f.ArgTypes[i]
}

// IsOperator says that there is an operator of that name with one operand, or two.
func IsOperator(name string, operands int) bool {
	for _, f := range ops[name] {
		if len(f.ArgTypes) == operands {
			return true
		}
	}
	return false
}

// IsOperator says that f is an operator rather than a function.
func (f *Func) IsOperator() bool { return f.operator }

// Comparison tells which comparison f is, if it orders two values as
// types.Compare does for their type: one of = <> < <= > >=, else "".
func (f *Func) Comparison() string {
	if f.Cmp == CmpNone || f.ArgTypes[0] != f.ArgTypes[1] {
		return ""
	}
	return f.Name
}
