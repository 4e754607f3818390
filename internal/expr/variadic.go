package expr

import (
	"sync"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// f(a, VARIADIC array) is a call with the array's elements as the last arguments: as many as
// each row's array has.

var spreads sync.Map // *Func -> *Func: what takes an array in the place of its last arguments

// ResolveVariadic chooses the overload of a function whose last argument is marked VARIADIC:
// 42883 if none takes any number of arguments, 42804 for what is no array.
func ResolveVariadic(name string, args []Expr, pos int) (Expr, error) {
	last := args[len(args)-1]
	for _, f := range funcs[name] {
		if !f.Variadic || len(f.ArgTypes) != len(args) {
			continue
		}
		anything := f.Args[len(f.Args)-1] == KindAny
		spread := spreadOf(f)
		if !anything && !acceptsAll(spread, TypesOf(args)) {
			continue
		} else if anything && last.Type().Kind != types.Array {
			return nil, sqlerr.New(sqlerr.DatatypeMismatch, "VARIADIC argument must be an array").At(last.Pos())
		}
		return Apply(spread, args, pos)
	}
	return nil, noFunction(name, args, false, pos)
}

func spreadOf(f *Func) *Func {
	if made, ok := spreads.Load(f); ok {
		return made.(*Func)
	}
	n := *f
	n.ArgTypes = append([]types.T(nil), f.ArgTypes...)
	if last := &n.ArgTypes[len(n.ArgTypes)-1]; last.Kind < types.NumKinds {
		*last = types.ArrayOf(*last)
	}
	n.Args = make([]types.Kind, len(n.ArgTypes))
	for i, t := range n.ArgTypes {
		n.Args[i] = t.Kind
	}
	n.Variadic, n.spread, n.Strict, n.Kernel = false, true, false, spreadKernel(f)
	made, _ := spreads.LoadOrStore(f, &n)
	return made.(*Func)
}

// spreadKernel calls f row by row. A NULL in the place of the array gives NULL, but for
// format, which takes it for no arguments.
func spreadKernel(f *Func) Kernel {
	return func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		fixed := len(args) - 1
		var one []*vec.Vec
		for _, a := range args[:fixed] {
			one = append(one, vec.New(a.Type))
		}
		result := vec.New(out.Type)
		for _, i := range sel {
			null := args[fixed].Null(int(i)) && f.Name != "format"
			for k, a := range args[:fixed] {
				one[k].Resize(1)
				one[k].Set(0, a.Datum(int(i)))
				null = null || f.Strict && a.Null(int(i))
			}
			each := one[:fixed:fixed]
			if !args[fixed].Null(int(i)) {
				for _, d := range args[fixed].Arrays[i].Elems {
					v := vec.New(args[fixed].Type.ElemType())
					v.Resize(1)
					v.Set(0, d)
					null = null || f.Strict && d.Null
					each = append(each, v)
				}
			}
			if null {
				out.Nulls.Set(int(i))
				continue
			}
			result.Resize(1)
			if err := f.Kernel(env, []uint16{0}, each, result); err != nil {
				return err
			}
			d := result.Datum(0).Clone(out.Type)
			out.Set(int(i), d)
			out.Hold(d.Behind())
		}
		return nil
	}
}
