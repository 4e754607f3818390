package builtin

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Kernels from functions over single values. E, A, B, C and R are the Go types
// of types.Phys but apd.Decimal.

func k1[A, R any](f func(A) R) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, r := column[A](args[0]), column[R](out)
		for _, i := range sel {
			r[i] = f(a[i])
		}
		return nil
	}
}

func k1e[A, R any](f func(A) (R, error)) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, r := column[A](args[0]), column[R](out)
		for _, i := range sel {
			v, err := f(a[i])
			if err != nil {
				return err
			}
			r[i] = v
		}
		return nil
	}
}

func k1env[A, R any](f func(*expr.Env, A) (R, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, r := column[A](args[0]), column[R](out)
		for _, i := range sel {
			v, err := f(env, a[i])
			if err != nil {
				return err
			}
			r[i] = v
		}
		return nil
	}
}

func k2[A, B, R any](f func(A, B) R) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b, r := column[A](args[0]), column[B](args[1]), column[R](out)
		for _, i := range sel {
			r[i] = f(a[i], b[i])
		}
		return nil
	}
}

func k2e[A, B, R any](f func(A, B) (R, error)) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b, r := column[A](args[0]), column[B](args[1]), column[R](out)
		for _, i := range sel {
			v, err := f(a[i], b[i])
			if err != nil {
				return err
			}
			r[i] = v
		}
		return nil
	}
}

func k2env[A, B, R any](f func(*expr.Env, A, B) (R, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b, r := column[A](args[0]), column[B](args[1]), column[R](out)
		for _, i := range sel {
			v, err := f(env, a[i], b[i])
			if err != nil {
				return err
			}
			r[i] = v
		}
		return nil
	}
}

func k3e[A, B, C, R any](f func(A, B, C) (R, error)) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b, c, r := column[A](args[0]), column[B](args[1]), column[C](args[2]), column[R](out)
		for _, i := range sel {
			v, err := f(a[i], b[i], c[i])
			if err != nil {
				return err
			}
			r[i] = v
		}
		return nil
	}
}

// Kernels with text or bytea results: f appends its result to dst.

func t1[A any](f func(dst []byte, a A) ([]byte, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a := column[A](args[0])
		for _, i := range sel {
			b, err := f(out.Tail(), a[i])
			if err != nil {
				return err
			}
			if err := eval.Put(env, out, i, b); err != nil {
				return err
			}
		}
		return nil
	}
}

func t2[A, B any](f func(dst []byte, a A, b B) ([]byte, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b := column[A](args[0]), column[B](args[1])
		for _, i := range sel {
			r, err := f(out.Tail(), a[i], b[i])
			if err != nil {
				return err
			}
			if err := eval.Put(env, out, i, r); err != nil {
				return err
			}
		}
		return nil
	}
}

func t3[A, B, C any](f func(dst []byte, a A, b B, c C) ([]byte, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b, c := column[A](args[0]), column[B](args[1]), column[C](args[2])
		for _, i := range sel {
			r, err := f(out.Tail(), a[i], b[i], c[i])
			if err != nil {
				return err
			}
			if err := eval.Put(env, out, i, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// t2env and t3env are t2 and t3 for what asks whether there is room for its result.
func t2env[A, B any](f func(env *expr.Env, dst []byte, a A, b B) ([]byte, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		return t2(func(dst []byte, a A, b B) ([]byte, error) { return f(env, dst, a, b) })(env, sel, args, out)
	}
}

func t3env[A, B, C any](f func(env *expr.Env, dst []byte, a A, b B, c C) ([]byte, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		return t3(func(dst []byte, a A, b B, c C) ([]byte, error) { return f(env, dst, a, b, c) })(env, sel, args, out)
	}
}

// Kernels over numerics.

func n1(f func(z, x *apd.Decimal) error) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a := args[0].Decimals
		for _, i := range sel {
			if err := f(&out.Decimals[i], &a[i]); err != nil {
				return err
			}
			if err := env.BookNumeric(out, i); err != nil {
				return err
			}
		}
		return nil
	}
}

func n2(f func(z, x, y *apd.Decimal) error) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b := args[0].Decimals, args[1].Decimals
		for _, i := range sel {
			if err := f(&out.Decimals[i], &a[i], &b[i]); err != nil {
				return err
			}
			if err := env.BookNumeric(out, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// datumKernel makes a kernel of a function over Datums, for what is not hot.
// ts are the types of the arguments as they are, with modifiers.
type datumFunc func(env *expr.Env, ts []types.T, args []types.Datum) (types.Datum, error)

func datumKernel(f datumFunc) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		vals := make([]types.Datum, len(args))
		typs := make([]types.T, len(args))
		for k, a := range args {
			typs[k] = a.Type
		}
		var own int64 // bytes of results that are not booked yet
		for _, i := range sel {
			for k, a := range args {
				vals[k] = a.Datum(int(i))
			}
			d, err := f(env, typs, vals)
			if err != nil {
				return err
			}
			if err := env.Canceled(); err != nil {
				return err
			}
			out.Set(int(i), d)
			if own += d.Behind(); own > expr.Unbooked {
				out.Hold(own)
				own = 0
				if err := env.Book(out, len(d.Bytes)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// argFree makes a kernel of a function without arguments that may vary by row.
func argFree(f func(env *expr.Env) (types.Datum, error)) expr.Kernel {
	return datumKernel(func(env *expr.Env, _ []types.T, _ []types.Datum) (types.Datum, error) { return f(env) })
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
