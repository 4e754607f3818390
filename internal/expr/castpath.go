package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// castFunc is one conversion, as pg_cast lists it.
type castFunc struct {
	ctx    CastContext // the least context that may use it
	via    castVia
	kernel kernel    // viaKernel
	elem   *castFunc // viaElements: of an element
	stable bool      // depends on the session: time zone, names
}

// castVia is how a conversion is computed.
type castVia uint8

const (
	viaNothing  castVia = iota // the representations are equal
	viaKernel                  // a function of the pair of types
	viaOutput                  // prints the value
	viaInput                   // reads the text
	viaElements                // converts each element of an array
)

type castKey struct{ from, to types.Kind }

// castTable holds pg_cast; the cast_*.go files fill it.
var castTable = map[castKey]*castFunc{}

// registerCast adds a cast; k is nil where the representations are equal.
func registerCast(from, to types.Kind, ctx CastContext, k kernel) {
	castTable[castKey{from, to}] = castBy(ctx, k)
}

// registerStableCast adds a cast that depends on the session.
func registerStableCast(from, to types.Kind, ctx CastContext, k kernel) {
	castTable[castKey{from, to}] = castBy(ctx, k)
	castTable[castKey{from, to}].stable = true
}

// castBy is a cast by a kernel, or between equal representations without one.
func castBy(ctx CastContext, k kernel) *castFunc {
	if k == nil {
		return &castFunc{ctx: ctx}
	}
	return &castFunc{ctx: ctx, via: viaKernel, kernel: k}
}

// sameRepr is a cast between equal representations.
var sameRepr = &castFunc{}

// findCast finds how a value of type from becomes one of type to, modifiers
// aside.
func findCast(from, to types.T, ctx CastContext) (*castFunc, bool) {
	if from.Base() == to.Base() {
		return sameRepr, true
	}
	if from.Kind >= types.NumKinds || to.Kind >= types.NumKinds {
		return nil, false
	}
	if from.Kind == types.Array && to.Kind == types.Array {
		return arrayCast(from, to, ctx)
	}
	if c, ok := castTable[castKey{from.Kind, to.Kind}]; ok {
		if c.ctx <= ctx {
			return c, true
		}
		return nil, false
	}
	return ioCast(from, to, ctx)
}

// ioCast converts through text: into strings by assignment, out of them only
// when asked for.
func ioCast(from, to types.T, ctx CastContext) (*castFunc, bool) {
	if from.Kind == types.Void || to.Kind == types.Void || to.Kind == types.Unknown || to == types.Of(types.Array) {
		return nil, false
	}
	switch {
	case ctx >= Assignment && to.Category() == 'S':
		return &castFunc{ctx: Assignment, via: viaOutput, stable: ioStable(from)}, true
	case ctx == Explicit && from.Category() == 'S' && to.Kind != types.Record:
		return &castFunc{ctx: Explicit, via: viaInput, stable: ioStable(to)}, true
	case from.Kind == types.Unknown:
		return &castFunc{via: viaInput, stable: ioStable(to)}, true
	}
	return nil, false
}

// namesObject says that text of k is the name of an object of the catalog.
func namesObject(k types.Kind) bool {
	return k == types.Regclass || k >= types.Regproc && k <= types.Regcollation
}

// ioStable says that text input or output of t depends on the session.
func ioStable(t types.T) bool {
	k := t.Kind
	if k == types.Array {
		k = t.Elem
	}
	if namesObject(k) {
		return true
	}
	switch k {
	case types.Date, types.Time, types.Timestamp, types.Timestamptz, types.Record,
		types.Float4, types.Float8, types.Bytea, types.Interval:
		return true
	}
	return false
}

// arrayCast converts element by element.
func arrayCast(from, to types.T, ctx CastContext) (*castFunc, bool) {
	if to.IsVector() { // only its own text makes one
		return nil, false
	}
	c, ok := findCast(from.ElemType(), to.ElemType(), ctx)
	if !ok {
		return nil, false
	}
	if c.via == viaNothing {
		return &castFunc{ctx: c.ctx}, true
	}
	return &castFunc{ctx: c.ctx, via: viaElements, elem: c, stable: c.stable}, true
}

// cannotCast is 42846.
func cannotCast(from, to types.T, pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", typeName(from), typeName(to)).At(pos)
}

// typeName is a type's name without modifier, as messages show it.
func typeName(t types.T) string { return t.Base().String() }
