package builtin

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// oidKinds are the types whose values are OIDs.
var oidKinds = []types.Kind{types.OID, types.Regclass, types.Regtype, types.Regproc, types.Regprocedure, types.Regoper,
	types.Regoperator, types.Regnamespace, types.Regrole, types.Regcollation}

func init() {
	ints := []types.Kind{types.Int2, types.Int4, types.Int8}
	for i, from := range ints {
		for j, to := range ints {
			switch {
			case i < j:
				expr.RegisterCast(from, to, expr.Implicit, nil)
			case i > j:
				expr.RegisterCast(from, to, expr.Assignment, k1e(func(a int64) (int64, error) {
					if narrow(to, a) != a {
						return 0, intOutOfRange(to)
					}
					return a, nil
				}))
			}
		}
		expr.RegisterCast(from, types.Float4, expr.Implicit, k1(func(a int64) float64 { return float64(float32(a)) }))
		expr.RegisterCast(from, types.Float8, expr.Implicit, k1(func(a int64) float64 { return float64(a) }))
		expr.RegisterCast(from, types.Numeric, expr.Implicit, intToNumeric)
		expr.RegisterCast(types.Float4, from, expr.Assignment, floatToInt(from))
		expr.RegisterCast(types.Float8, from, expr.Assignment, floatToInt(from))
		expr.RegisterCast(types.Numeric, from, expr.Assignment, numericToInt(from))
		for _, oid := range oidKinds {
			expr.RegisterCast(from, oid, expr.Implicit, k1e(func(a int64) (int64, error) {
				if from == types.Int8 && (a < 0 || a > math.MaxUint32) {
					return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "OID out of range")
				}
				return int64(uint32(a)), nil
			}))
		}
	}
	for _, oid := range oidKinds {
		expr.RegisterCast(oid, types.Int4, expr.Assignment, k1(func(a int64) int64 { return int64(int32(a)) }))
		expr.RegisterCast(oid, types.Int8, expr.Assignment, nil)
		if oid != types.OID {
			expr.RegisterCast(oid, types.OID, expr.Implicit, nil)
			expr.RegisterCast(types.OID, oid, expr.Implicit, nil)
		}
	}
	for _, pair := range [][2]types.Kind{{types.Regprocedure, types.Regproc}, {types.Regoperator, types.Regoper}} {
		expr.RegisterCast(pair[0], pair[1], expr.Implicit, nil)
		expr.RegisterCast(pair[1], pair[0], expr.Implicit, nil)
	}
	expr.RegisterCast(types.Float4, types.Float8, expr.Implicit, nil)
	expr.RegisterCast(types.Float8, types.Float4, expr.Assignment, k1e(func(a float64) (float64, error) {
		return checkFloat(float64(float32(a)), inf(a), a == 0)
	}))
	expr.RegisterCast(types.Float4, types.Numeric, expr.Assignment, floatToNumeric(6))
	expr.RegisterCast(types.Float8, types.Numeric, expr.Assignment, floatToNumeric(15))
	expr.RegisterCast(types.Numeric, types.Float8, expr.Implicit, numericToFloat(false))
	expr.RegisterCast(types.Numeric, types.Float4, expr.Implicit, numericToFloat(true))

	expr.RegisterCast(types.Int4, types.Bool, expr.Explicit, k1(func(a int64) bool { return a != 0 }))
	expr.RegisterCast(types.Bool, types.Int4, expr.Explicit, k1(func(a bool) int64 { return int64(vec.Bit(a)) }))
}

func intToNumeric(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		numeric.SetInt64(&out.Decimals[i], args[0].Ints[i])
	}
	return nil
}

func floatToInt(k types.Kind) expr.Kernel {
	lo, hi := intRange(k)
	// 2^63 is a float8, MaxInt64 is not.
	limit := float64(hi)
	return k1e(func(a float64) (int64, error) {
		r := math.RoundToEven(a)
		if math.IsNaN(r) || r < float64(lo) || r > limit || k == types.Int8 && r >= 1<<63 {
			return 0, intOutOfRange(k)
		}
		return int64(r), nil
	})
}

func numericToInt(k types.Kind) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			x := &args[0].Decimals[i]
			if numeric.IsNaN(x) {
				return sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert NaN to %s", intNames[k])
			}
			if !numeric.IsFinite(x) {
				return sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert infinity to %s", intNames[k])
			}
			v, ok := numeric.IsInt64(x)
			if !ok || narrow(k, v) != v {
				return intOutOfRange(k)
			}
			out.Ints[i] = v
		}
		return nil
	}
}

func floatToNumeric(digits int) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			if err := numeric.FromFloat(&out.Decimals[i], args[0].Floats[i], digits); err != nil {
				return err
			}
		}
		return nil
	}
}

func numericToFloat(single bool) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			f, err := numericFloat(&args[0].Decimals[i], single)
			if err != nil {
				return err
			}
			out.Floats[i] = f
		}
		return nil
	}
}

func numericFloat(x *apd.Decimal, single bool) (float64, error) {
	f := numeric.Float64(x)
	name := "double precision"
	if single {
		f, name = float64(float32(f)), "real"
	}
	if numeric.IsFinite(x) && (inf(f) || f == 0 && numeric.Sign(x) != 0) {
		return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, `"%s" is out of range for type %s`, numeric.String(x), name)
	}
	return f, nil
}
