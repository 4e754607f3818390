package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// specialKernel computes the calls that no table lists; nil for any other.
func specialKernel(f *expr.Func) expr.Kernel {
	switch f.Name {
	case "IS TRUE":
		return isTest(func(null, b bool) bool { return !null && b })
	case "IS NOT TRUE":
		return isTest(func(null, b bool) bool { return null || !b })
	case "IS FALSE":
		return isTest(func(null, b bool) bool { return !null && !b })
	case "IS NOT FALSE":
		return isTest(func(null, b bool) bool { return null || b })
	case "IS UNKNOWN":
		return isTest(func(null, _ bool) bool { return null })
	case "IS NOT UNKNOWN":
		return isTest(func(null, _ bool) bool { return !null })
	case "NULLIF":
		return nullIf(f.Equal.Kernel)
	case "GREATEST":
		return greatest(f.ResultType, false)
	case "LEAST":
		return greatest(f.ResultType, true)
	}
	return nil
}

func isTest(f func(null, b bool) bool) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a := args[0]
		for _, i := range sel {
			out.Bools[i] = f(a.Nulls.Get(int(i)), a.Bools[i])
		}
		return nil
	}
}

func nullIf(equal expr.Kernel) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		same := vec.New(tBool)
		same.Resize(out.Len())
		var buf slots
		both := notNull(sel, args, same, &buf)
		if err := equal(env, both, args, same); err != nil {
			return err
		}
		take(out, args[0], sel)
		for _, i := range both {
			if same.Bools[i] {
				out.Nulls.Set(int(i))
			}
		}
		return nil
	}
}

// greatest gives the greatest argument, or the least; NULLs do not count.
func greatest(t types.T, least bool) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			best := types.NullDatum
			for _, a := range args {
				d := a.Datum(int(i))
				if d.Null {
					continue
				}
				if c := types.Compare(t, d, best); best.Null || (c < 0) == least && c != 0 {
					best = d
				}
			}
			out.Set(int(i), best)
		}
		return nil
	}
}
