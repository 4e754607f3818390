package builtin

import (
	"math"
	"math/bits"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// Integer arithmetic. Operands of different widths work in the wider one.

var intNames = map[types.Kind]string{types.Int2: "smallint", types.Int4: "integer", types.Int8: "bigint"}

func intRange(k types.Kind) (lo, hi int64) {
	switch k {
	case types.Int2:
		return math.MinInt16, math.MaxInt16
	case types.Int4:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

func intOutOfRange(k types.Kind) error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "%s out of range", intNames[k])
}

func init() {
	widths := []types.T{tInt2, tInt4, tInt8}
	for i, l := range widths {
		for j, r := range widths {
			res := widths[max(i, j)]
			lo, hi := intRange(res.Kind)
			bad := intOutOfRange
			k := res.Kind
			expr.RegisterOps(
				fn("+", ts(l, r), res, intKernel(func(a, b int64) (int64, error) {
					s := a + b
					if (s > a) != (b > 0) && b != 0 || s < lo || s > hi {
						return 0, bad(k)
					}
					return s, nil
				})),
				fn("-", ts(l, r), res, intKernel(func(a, b int64) (int64, error) {
					s := a - b
					if (s < a) != (b > 0) && b != 0 || s < lo || s > hi {
						return 0, bad(k)
					}
					return s, nil
				})),
				fn("*", ts(l, r), res, intKernel(func(a, b int64) (int64, error) {
					s, ok := mulInt(a, b)
					if !ok || s < lo || s > hi {
						return 0, bad(k)
					}
					return s, nil
				})),
				fn("/", ts(l, r), res, intKernel(func(a, b int64) (int64, error) {
					if b == 0 {
						return 0, numeric.DivByZero()
					}
					if b == -1 && a == lo {
						return 0, bad(k)
					}
					return a / b, nil
				})),
			)
		}
	}
	for _, t := range widths {
		k := t.Kind
		lo, _ := intRange(k)
		mod := intKernel(func(a, b int64) (int64, error) {
			if b == 0 {
				return 0, numeric.DivByZero()
			}
			if b == -1 {
				return 0, nil
			}
			return a % b, nil
		})
		neg := k1e(func(a int64) (int64, error) {
			if a == lo {
				return 0, intOutOfRange(k)
			}
			return -a, nil
		})
		abs := k1e(func(a int64) (int64, error) {
			if a == lo {
				return 0, intOutOfRange(k)
			}
			return max(a, -a), nil
		})
		bit := func(f func(a, b int64) int64) expr.Kernel { return k2(f) }
		shift := uint(map[types.Kind]uint{types.Int2: 31, types.Int4: 31, types.Int8: 63}[k])
		expr.RegisterOps(
			fn("%", ts(t, t), t, mod),
			fn("+", ts(t), t, k1(func(a int64) int64 { return a })),
			fn("-", ts(t), t, neg),
			fn("@", ts(t), t, abs),
			fn("&", ts(t, t), t, bit(func(a, b int64) int64 { return a & b })),
			fn("|", ts(t, t), t, bit(func(a, b int64) int64 { return a | b })),
			fn("#", ts(t, t), t, bit(func(a, b int64) int64 { return a ^ b })),
			fn("~", ts(t), t, k1(func(a int64) int64 { return ^a })),
			fn("<<", ts(t, tInt4), t, bit(func(a, b int64) int64 { return narrow(k, a<<(uint(b)&shift)) })),
			fn(">>", ts(t, tInt4), t, bit(func(a, b int64) int64 { return a >> (uint(b) & shift) })),
		)
		expr.RegisterFuncs(fn("mod", ts(t, t), t, mod), fn("abs", ts(t), t, abs))
	}
	for _, t := range []types.T{tInt4, tInt8} {
		k := t.Kind
		lo, hi := intRange(k)
		expr.RegisterFuncs(
			fn("gcd", ts(t, t), t, k2e(func(a, b int64) (int64, error) {
				g := gcd(absU(a), absU(b))
				if g > uint64(hi) {
					return 0, intOutOfRange(k)
				}
				return int64(g), nil
			})),
			fn("lcm", ts(t, t), t, k2e(func(a, b int64) (int64, error) {
				if a == 0 || b == 0 {
					return 0, nil
				}
				x, y := absU(a), absU(b)
				over, lo64 := bits.Mul64(x/gcd(x, y), y)
				if over != 0 || lo64 > uint64(hi) {
					return 0, intOutOfRange(k)
				}
				return int64(lo64), nil
			})),
		)
		_ = lo
	}
	expr.RegisterFuncs(
		fn("to_hex", ts(tInt4), tText, t1(func(dst []byte, a int64) ([]byte, error) { return appendHex(dst, uint64(uint32(a))), nil })),
		fn("to_hex", ts(tInt8), tText, t1(func(dst []byte, a int64) ([]byte, error) { return appendHex(dst, uint64(a)), nil })),
	)
}

// narrow cuts a value to the width of kind k.
func narrow(k types.Kind, v int64) int64 {
	switch k {
	case types.Int2:
		return int64(int16(v))
	case types.Int4:
		return int64(int32(v))
	}
	return v
}

func intKernel(f func(a, b int64) (int64, error)) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		a, b, r := args[0].Ints, args[1].Ints, out.Ints
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

func mulInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	s := a * b
	if s/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, false
	}
	return s, true
}

func absU(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func appendHex(dst []byte, v uint64) []byte {
	const digits = "0123456789abcdef"
	started := false
	for s := 60; s >= 0; s -= 4 {
		d := v >> uint(s) & 15
		if d != 0 || started || s == 0 {
			started = true
			dst = append(dst, digits[d])
		}
	}
	return dst
}
