package expr

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
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

// Short names for the overload tables.
var (
	tBool   = types.Of(types.Bool)
	tInt2   = types.Of(types.Int2)
	tInt4   = types.Of(types.Int4)
	tInt8   = types.Of(types.Int8)
	tFloat4 = types.Of(types.Float4)
	tFloat8 = types.Of(types.Float8)
	tNum    = types.Of(types.Numeric)
	tText   = types.Of(types.Text)
	tBpchar = types.Of(types.Bpchar)
	tName   = types.Of(types.Name)
	tChar   = types.Of(types.CharOne)
	tBytea  = types.Of(types.Bytea)
	tUUID   = types.Of(types.UUID)
	tDate   = types.Of(types.Date)
	tTime   = types.Of(types.Time)
	tTS     = types.Of(types.Timestamp)
	tTSTZ   = types.Of(types.Timestamptz)
	tInt    = types.Of(types.Interval)
	tJSON   = types.Of(types.JSON)
	tJSONB  = types.Of(types.JSONB)
	tOID    = types.Of(types.OID)
	tRegcl  = types.Of(types.Regclass)
	tRegty  = types.Of(types.Regtype)
	tVoid   = types.Of(types.Void)
	tUnk    = types.Of(types.Unknown)
	tTexts  = types.ArrayOf(tText)
	tAnyEl  = types.Of(anyElement)
	tAnyArr = types.Of(anyArray)
	tCompat = types.Of(anyCompatible)
	tCompAr = types.Of(anyCompatibleArray)
	tAny    = types.Of(anyType)
	tNonArr = types.Of(anyNonArray)
)

// overloads by name.
var (
	funcs = map[string][]*Func{}
	ops   = map[string][]*Func{} // with one argument: prefix operators
)

// fn lists an overload of a function: strict and immutable unless changed.
func fn(name string, args []types.T, res types.T, k kernel) *Func {
	f := &Func{Name: name, args: args, res: res, Result: res.Kind, Strict: true, kernel: k}
	for _, a := range args {
		f.Args = append(f.Args, a.Kind)
	}
	return f
}

// ts lists argument types.
func ts(args ...types.T) []types.T { return args }

func (f *Func) nullable() *Func { f.Strict = false; return f }
func (f *Func) stable() *Func   { f.Stable = true; return f }
func (f *Func) volatile() *Func { f.Volatile = true; return f }

// manyArgs makes the last argument repeatable, as VARIADIC does.
func (f *Func) manyArgs() *Func { f.variadic = true; return f }

func registerFuncs(fs ...*Func) {
	for _, f := range fs {
		funcs[f.Name] = append(funcs[f.Name], f)
	}
}

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

// column gives the slice of v that holds values of Go type E.
func column[E any](v *vec.Vec) []E {
	var z *[]E
	switch any(z).(type) {
	case *[]bool:
		z = any(&v.Bools).(*[]E)
	case *[]int64:
		z = any(&v.Ints).(*[]E)
	case *[]float64:
		z = any(&v.Floats).(*[]E)
	case *[][]byte:
		z = any(&v.Bytes).(*[]E)
	case *[]types.IntervalValue:
		z = any(&v.Intervals).(*[]E)
	case *[]*types.ArrayValue:
		z = any(&v.Arrays).(*[]E)
	}
	return *z
}
