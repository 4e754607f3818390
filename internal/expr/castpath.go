package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// castFunc is one conversion, as pg_cast lists it.
type castFunc struct {
	ctx    CastContext // the least context that may use it
	kernel kernel      // nil: the representations are equal
	stable bool        // depends on the session: time zone, names
}

type castKey struct{ from, to types.Kind }

// castTable holds pg_cast; the cast_*.go files fill it.
var castTable = map[castKey]*castFunc{}

func registerCast(from, to types.Kind, ctx CastContext, k kernel) {
	castTable[castKey{from, to}] = &castFunc{ctx: ctx, kernel: k}
}

func registerStableCast(from, to types.Kind, ctx CastContext, k kernel) {
	castTable[castKey{from, to}] = &castFunc{ctx: ctx, kernel: k, stable: true}
}

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
	if from.Kind == types.Void || to.Kind == types.Void || to.Kind == types.Unknown {
		return nil, false
	}
	switch {
	case ctx >= Assignment && to.Category() == 'S':
		return &castFunc{ctx: Assignment, kernel: outputKernel, stable: ioStable(from)}, true
	case ctx == Explicit && from.Category() == 'S' && to.Kind != types.Record:
		return &castFunc{ctx: Explicit, kernel: inputKernel(to.Base()), stable: ioStable(to)}, true
	case from.Kind == types.Unknown:
		return &castFunc{kernel: inputKernel(to.Base()), stable: ioStable(to)}, true
	}
	return nil, false
}

// ioStable says that text input or output of t depends on the session.
func ioStable(t types.T) bool {
	k := t.Kind
	if k == types.Array {
		k = t.Elem
	}
	switch k {
	case types.Date, types.Time, types.Timestamp, types.Timestamptz, types.Regclass, types.Record,
		types.Float4, types.Float8, types.Bytea, types.Interval:
		return true
	}
	return false
}

func outputKernel(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	io := env.io()
	in := args[0]
	for _, i := range sel {
		if err := put(env, out, i, vec.AppendText(out.Tail(), in, int(i), io)); err != nil {
			return err
		}
		if out.Type.Kind == types.Name {
			out.Bytes[i] = []byte(types.TruncateName(string(out.Bytes[i])))
		}
	}
	return nil
}

func inputKernel(to types.T) kernel {
	return func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		io := env.io()
		in := args[0]
		for _, i := range sel {
			b := in.Bytes[i]
			if in.Type.Kind == types.Bpchar {
				b = types.AppendPadded(nil, in.Type, b)
			}
			d, err := types.ParseText(to, b, io)
			if err != nil {
				return err
			}
			out.Set(int(i), d)
		}
		return nil
	}
}

// arrayCast converts element by element.
func arrayCast(from, to types.T, ctx CastContext) (*castFunc, bool) {
	ef, et := from.ElemType(), to.ElemType()
	c, ok := findCast(ef, et, ctx)
	if !ok {
		return nil, false
	}
	if c.kernel == nil {
		return &castFunc{ctx: c.ctx, kernel: nil}, true
	}
	k := func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		conv := newScalarCast(c, ef, et.Base())
		for _, i := range sel {
			a := args[0].Arrays[i]
			b := &types.ArrayValue{Elem: et.Base(), Dims: a.Dims, Elems: make([]types.Datum, len(a.Elems))}
			for j, e := range a.Elems {
				d, err := conv.run(env, e)
				if err != nil {
					return err
				}
				b.Elems[j] = d
			}
			out.Arrays[i] = b
		}
		return nil
	}
	return &castFunc{ctx: c.ctx, kernel: k, stable: c.stable}, true
}

// scalarCast runs a cast over one value at a time.
type scalarCast struct {
	c       *castFunc
	in, out *vec.Vec
}

func newScalarCast(c *castFunc, from, to types.T) *scalarCast {
	s := &scalarCast{c: c, in: vec.New(from), out: vec.New(to)}
	s.in.Resize(1)
	s.out.Resize(1)
	return s
}

func (s *scalarCast) run(env *Env, d types.Datum) (types.Datum, error) {
	if d.Null || s.c.kernel == nil {
		return d, nil
	}
	s.in.Set(0, d)
	s.out.EmptyBuf()
	defer s.out.Share.Release()
	s.out.Nulls.Reset(1)
	if err := s.c.kernel(env, identity[:1], []*vec.Vec{s.in}, s.out); err != nil {
		return types.NullDatum, err
	}
	return s.out.Datum(0).Clone(s.out.Type), nil
}

// CastDatum converts one value as an explicit or an assignment cast does,
// modifiers included: 42846 if there is no such cast.
func CastDatum(env *Env, d types.Datum, from, to types.T, ctx CastContext) (types.Datum, error) {
	c, ok := findCast(from, to, ctx)
	if !ok {
		return types.NullDatum, cannotCast(from, to, 0)
	}
	if d.Null {
		return d, nil
	}
	if c.kernel != nil {
		var err error
		if d, err = newScalarCast(c, from, to.Base()).run(env, d); err != nil {
			return types.NullDatum, err
		}
	}
	if to.Typmod() >= 0 && from != to {
		return types.CoerceTypmod(to, d, ctx == Explicit)
	}
	return d, nil
}

func cannotCast(from, to types.T, pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", typeName(from), typeName(to)).At(pos)
}

// typeName is a type's name without modifier, as messages show it.
func typeName(t types.T) string { return t.Base().String() }
