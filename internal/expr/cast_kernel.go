package expr

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// castKernel makes what computes a conversion; nil where the representations are equal.
func castKernel(c *castFunc, from, to types.T) kernel {
	switch c.via {
	case viaKernel:
		return c.kernel
	case viaOutput:
		return outputKernel
	case viaInput:
		return inputKernel(to.Base())
	case viaElements:
		return elementsKernel(c.elem, from.ElemType(), to.ElemType())
	}
	return nil
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

// elementsKernel converts arrays element by element.
func elementsKernel(c *castFunc, from, to types.T) kernel {
	return func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		conv := newScalarCast(c, from, to.Base())
		for _, i := range sel {
			a := args[0].Arrays[i]
			b := &types.ArrayValue{Elem: to.Base(), Dims: a.Dims, Low: a.Low, Elems: make([]types.Datum, len(a.Elems))}
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
}

// scalarCast runs a cast over one value at a time.
type scalarCast struct {
	kernel  kernel // nil: the representations are equal
	in, out *vec.Vec
}

func newScalarCast(c *castFunc, from, to types.T) *scalarCast {
	s := &scalarCast{kernel: castKernel(c, from, to), in: vec.New(from), out: vec.New(to)}
	s.in.Resize(1)
	s.out.Resize(1)
	return s
}

func (s *scalarCast) run(env *Env, d types.Datum) (types.Datum, error) {
	if d.Null || s.kernel == nil {
		return d, nil
	}
	s.in.Set(0, d)
	s.out.EmptyBuf()
	defer s.out.Share.Release()
	s.out.Nulls.Reset(1)
	if err := s.kernel(env, []uint16{0}, []*vec.Vec{s.in}, s.out); err != nil {
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
	if c.via != viaNothing {
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

// padKernel gives values of char(n) their blanks.
func padKernel(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		if err := put(env, out, i, types.AppendPadded(out.Tail(), args[0].Type, args[0].Bytes[i])); err != nil {
			return err
		}
	}
	return nil
}

// put makes b, which was appended to out's Tail, the value of slot i.
func put(env *Env, out *vec.Vec, i uint16, b []byte) error {
	if out.Keep(int(i), b) {
		return env.grown(out, len(b))
	}
	return nil
}
