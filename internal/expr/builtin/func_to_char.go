package builtin

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/tochar"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// to_char, to_date, to_timestamp, to_number: package tochar over vectors. PostgreSQL calls all of them
// stable, for the locale that names of months and signs of money follow there: no index may keep them.

func init() {
	expr.RegisterFuncs(
		fn("to_char", ts(tTS, tText), tText, dateChar(func(_ *expr.Env, f *tochar.DateFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, bool, error) {
			return f.AppendTimestamp(dst, v.Ints[i])
		})).AsStable(),
		fn("to_char", ts(tTSTZ, tText), tText, dateChar(func(env *expr.Env, f *tochar.DateFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, bool, error) {
			return f.AppendTimestamptz(dst, v.Ints[i], env.Zone())
		})).AsStable(),
		fn("to_char", ts(tInt, tText), tText, dateChar(func(_ *expr.Env, f *tochar.DateFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, bool, error) {
			x := v.Intervals[i]
			return f.AppendInterval(dst, x.Months, x.Days, x.Micros)
		})).AsStable(),
		fn("to_date", ts(tText, tText), tDate, k2e(func(s, f []byte) (int64, error) {
			return tochar.Dates(f).ToDate(string(s))
		})).AsStable(),
		fn("to_timestamp", ts(tText, tText), tTSTZ, k2env(func(env *expr.Env, s, f []byte) (int64, error) {
			return tochar.Dates(f).ToTimestamp(string(s), env.Zone())
		})).AsStable(),
		fn("to_number", ts(tText, tText), tNum, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			f, err := tochar.Numbers(a[1].Bytes)
			if err != nil {
				return types.NullDatum, err
			}
			z := new(apd.Decimal)
			null, err := f.ToNumber(z, string(a[0].Bytes))
			if err != nil || null {
				return types.NullDatum, err
			}
			return types.NewDecimal(z), nil
		})).AsStable(),

		fn("to_char", ts(tInt4, tText), tText, numberChar(func(f *tochar.NumberFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, error) {
			return f.AppendInt4(dst, int32(v.Ints[i]))
		})).AsStable(),
		fn("to_char", ts(tInt8, tText), tText, numberChar(func(f *tochar.NumberFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, error) {
			return f.AppendInt8(dst, v.Ints[i])
		})).AsStable(),
		fn("to_char", ts(tNum, tText), tText, numberChar(func(f *tochar.NumberFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, error) {
			return f.AppendNumeric(dst, &v.Decimals[i])
		})).AsStable(),
		fn("to_char", ts(tFloat4, tText), tText, numberChar(func(f *tochar.NumberFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, error) {
			return f.AppendFloat4(dst, float32(v.Floats[i]))
		})).AsStable(),
		fn("to_char", ts(tFloat8, tText), tText, numberChar(func(f *tochar.NumberFormat, dst []byte, v *vec.Vec, i uint16) ([]byte, error) {
			return f.AppendFloat8(dst, v.Floats[i])
		})).AsStable(),
	)
}

func dateChar(print func(*expr.Env, *tochar.DateFormat, []byte, *vec.Vec, uint16) ([]byte, bool, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			b, null, err := print(env, tochar.Dates(args[1].Bytes[i]), out.Tail(), args[0], i)
			if err != nil {
				return err
			}
			if null {
				out.Nulls.Set(int(i))
				continue
			}
			if err := eval.Put(env, out, i, b); err != nil {
				return err
			}
		}
		return nil
	}
}

func numberChar(print func(*tochar.NumberFormat, []byte, *vec.Vec, uint16) ([]byte, error)) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			f, err := tochar.Numbers(args[1].Bytes[i])
			if err != nil {
				return err
			}
			b, err := print(f, out.Tail(), args[0], i)
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
