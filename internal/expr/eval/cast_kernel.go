package eval

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// castKernel makes what computes a conversion; nil where the representations are equal.
func castKernel(c *expr.CastFunc, from, to types.T) expr.Kernel {
	switch c.Via {
	case expr.ViaKernel:
		return c.Kernel
	case expr.ViaOutput:
		return OutputKernel
	case expr.ViaInput:
		return InputKernel(to.Base())
	case expr.ViaElements:
		return elementsKernel(c.Elem, from.ElemType(), to.ElemType())
	}
	return nil
}

// placed is k for a literal of the statement, where its fault is reported.
func placed(k expr.Kernel, pos int) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		err := k(env, sel, args, out)
		if e := sqlerr.As(err); e != nil && e.Position == 0 {
			return e.At(pos)
		}
		return err
	}
}

// OutputKernel converts to text, as values are shown.
func OutputKernel(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	io := env.TextIO()
	in := args[0]
	for _, i := range sel {
		if err := Put(env, out, i, vec.AppendText(out.Tail(), in, int(i), io)); err != nil {
			return err
		}
		if out.Type.Kind == types.Name {
			out.Bytes[i] = []byte(types.TruncateName(string(out.Bytes[i])))
		}
	}
	return nil
}

// InputKernel reads a value of type to from text.
func InputKernel(to types.T) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		io := env.TextIO()
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
func elementsKernel(c *expr.CastFunc, from, to types.T) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
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
	kernel  expr.Kernel // nil: the representations are equal
	in, out *vec.Vec
}

func newScalarCast(c *expr.CastFunc, from, to types.T) *scalarCast {
	s := &scalarCast{kernel: castKernel(c, from, to), in: vec.New(from), out: vec.New(to)}
	s.in.Resize(1)
	s.out.Resize(1)
	return s
}

func (s *scalarCast) run(env *expr.Env, d types.Datum) (types.Datum, error) {
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
func CastDatum(env *expr.Env, d types.Datum, from, to types.T, ctx expr.CastContext) (types.Datum, error) {
	c, ok := expr.FindCast(from, to, ctx)
	if !ok {
		return types.NullDatum, expr.CannotCast(from, to, 0)
	}
	if d.Null {
		return d, nil
	}
	if c.Via != expr.ViaNothing {
		var err error
		if d, err = newScalarCast(c, from, to.Base()).run(env, d); err != nil {
			return types.NullDatum, err
		}
	}
	if to.Typmod() >= 0 && from != to {
		return types.CoerceTypmod(to, d, ctx == expr.Explicit)
	}
	return d, nil
}

// padKernel gives values of char(n) their blanks.
func padKernel(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		if err := Put(env, out, i, types.AppendPadded(out.Tail(), args[0].Type, args[0].Bytes[i])); err != nil {
			return err
		}
	}
	return nil
}

// padElements is padKernel of arrays.
func padElements(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	elem := args[0].Type.ElemType()
	for _, i := range sel {
		a := *args[0].Arrays[i]
		a.Elem, a.Elems = elem.Base(), slices.Clone(a.Elems)
		for j := range a.Elems {
			if e := &a.Elems[j]; !e.Null {
				e.Bytes = types.AppendPadded(nil, elem, e.Bytes)
			}
		}
		out.Arrays[i] = &a
	}
	return nil
}

// Put makes b, which was appended to out's Tail, the value of slot i.
func Put(env *expr.Env, out *vec.Vec, i uint16, b []byte) error {
	if out.Keep(int(i), b) {
		return env.Book(out, len(b))
	}
	return nil
}
