package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CastFunc is one conversion, as pg_cast lists it.
type CastFunc struct {
	Context CastContext // the least context that may use it
	Via     CastVia
	Kernel  Kernel    // ViaKernel
	Elem    *CastFunc // ViaElements: of an element
	Stable  bool      // depends on the session: time zone, names
}

// CastVia is how a conversion is computed.
type CastVia uint8

// The ways of converting.
const (
	ViaNothing  CastVia = iota // the representations are equal
	ViaKernel                  // a function of the pair of types
	ViaOutput                  // prints the value
	ViaInput                   // reads the text
	ViaElements                // converts each element of an array
)

// CastKey is the pair of types of a cast.
type CastKey struct{ From, To types.Kind }

// castTable holds pg_cast, by the kinds from and to; package builtin fills it. Choosing an
// operator asks it for each type that each candidate takes.
var castTable [types.NumKinds][types.NumKinds]*CastFunc

// RegisterCast adds a cast; k is nil where the representations are equal.
func RegisterCast(from, to types.Kind, ctx CastContext, k Kernel) {
	castTable[from][to] = castBy(ctx, k)
}

// RegisterStableCast adds a cast that depends on the session.
func RegisterStableCast(from, to types.Kind, ctx CastContext, k Kernel) {
	RegisterCast(from, to, ctx, k)
	castTable[from][to].Stable = true
}

// castBy is a cast by a kernel, or between equal representations without one.
func castBy(ctx CastContext, k Kernel) *CastFunc {
	if k == nil {
		return &CastFunc{Context: ctx}
	}
	return &CastFunc{Context: ctx, Via: ViaKernel, Kernel: k}
}

// CastByFunction says that e is a cast that a function computes, as pg_cast has it.
func CastByFunction(e Expr) bool {
	c, ok := e.(*Cast)
	if !ok {
		return false
	}
	by, ok := FindCast(c.X.Type(), c.To, Explicit)
	return ok && by.Via == ViaKernel
}

// SameRepr is a cast between equal representations.
var SameRepr = &CastFunc{}

// FindCast finds how a value of type from becomes one of type to, modifiers
// aside.
func FindCast(from, to types.T, ctx CastContext) (*CastFunc, bool) {
	if from.Base() == to.Base() {
		return SameRepr, true
	}
	if from.Kind >= types.NumKinds || to.Kind >= types.NumKinds {
		return nil, false
	}
	if from.Kind == types.Record && to.Kind == types.Record {
		return SameRepr, !to.Shape().Table()
	}
	if from.Kind == types.Array && to.Kind == types.Array {
		return arrayCast(from, to, ctx)
	}
	if c := castTable[from.Kind][to.Kind]; c != nil {
		if c.Context <= ctx {
			return c, true
		}
		return nil, false
	}
	return TextCast(from, to, ctx)
}

// TextCast converts through text: into strings by assignment, out of them only
// when asked for.
func TextCast(from, to types.T, ctx CastContext) (*CastFunc, bool) {
	if from.Kind == types.Void || to.Kind == types.Void || to.Kind == types.Unknown || to == types.Of(types.Array) || to == types.Of(types.Enum) {
		return nil, false
	}
	switch {
	case ctx >= Assignment && to.Category() == 'S':
		return &CastFunc{Context: Assignment, Via: ViaOutput, Stable: outputStable(from)}, true
	case ctx == Explicit && from.Category() == 'S' && (to.Kind != types.Record || to.Shape().Table()):
		return &CastFunc{Context: Explicit, Via: ViaInput, Stable: inputStable(to)}, true
	case from.Kind == types.Unknown:
		return &CastFunc{Via: ViaInput, Stable: inputStable(to)}, true
	}
	return nil, false
}

// namesObject says that text of k is the name of an object of the catalog.
func namesObject(k types.Kind) bool {
	return k == types.Regclass || k >= types.Regproc && k <= types.Regcollation
}

// inputStable says that what text means as a value of t depends on the session, or that PostgreSQL
// says so of the type's input.
func inputStable(t types.T) bool {
	switch t.Kind {
	case types.Array:
		return !t.IsVector()
	case types.ACLItem, types.Record, types.Enum, types.Date, types.Time, types.Timestamp, types.Timestamptz, types.Interval, types.Regtype:
		return true
	}
	return namesObject(t.Kind)
}

// outputStable says the same of the text of a value. Those of floats, bytea and intervals follow
// parameters, though PostgreSQL calls them immutable.
func outputStable(t types.T) bool {
	switch t.Kind {
	case types.Time:
		return false
	case types.Float4, types.Float8, types.Bytea:
		return true
	}
	return inputStable(t)
}

// arrayCast converts element by element.
func arrayCast(from, to types.T, ctx CastContext) (*CastFunc, bool) {
	if to.IsVector() { // only its own text makes one
		return nil, false
	}
	c, ok := FindCast(from.ElemType(), to.ElemType(), ctx)
	if !ok {
		return nil, false
	}
	if c.Via == ViaNothing {
		return &CastFunc{Context: c.Context}, true
	}
	return &CastFunc{Context: c.Context, Via: ViaElements, Elem: c, Stable: c.Stable}, true
}

// CannotCast is 42846.
func CannotCast(from, to types.T, pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", TypeName(from), TypeName(to)).At(pos)
}

// TypeName is a type's name without modifier, as messages show it.
func TypeName(t types.T) string {
	if t.Domain() != nil {
		return t.String()
	}
	return t.Base().String()
}
