package builtin

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	f1 := func(name string, f func(float64) float64) *expr.Func { return fn(name, ts(tFloat8), tFloat8, k1(f)) }
	f1e := func(name string, f func(float64) (float64, error)) *expr.Func {
		return fn(name, ts(tFloat8), tFloat8, k1e(f))
	}
	d1 := func(name string, f func(z, x *apd.Decimal) error) *expr.Func { return fn(name, ts(tNum), tNum, n1(f)) }
	log10 := apd.New(10, 0)
	expr.RegisterFuncs(
		f1("ceil", math.Ceil), f1("ceiling", math.Ceil), f1("floor", math.Floor),
		f1("round", math.RoundToEven), f1("trunc", math.Trunc), f1("sign", signFloat),
		f1e("sqrt", sqrtFloat), f1("cbrt", math.Cbrt), f1e("exp", expFloat),
		f1e("ln", logFloat(math.Log)), f1e("log", logFloat(math.Log10)), f1e("log10", logFloat(math.Log10)),
		f1e("degrees", func(a float64) (float64, error) { return checkFloat(a/(math.Pi/180), inf(a), a == 0) }),
		f1e("radians", func(a float64) (float64, error) { return checkFloat(a*(math.Pi/180), inf(a), a == 0) }),
		fn("power", ts(tFloat8, tFloat8), tFloat8, k2e(powFloat)),
		fn("pow", ts(tFloat8, tFloat8), tFloat8, k2e(powFloat)),
		fn("pi", ts(), tFloat8, argFree(func(*expr.Env) (types.Datum, error) { return types.NewFloat(math.Pi), nil })),
		fn("random", ts(), tFloat8, argFree(func(env *expr.Env) (types.Datum, error) { return types.NewFloat(env.Random.Float()), nil })).Reads(expr.OfRandom),
		fn("setseed", ts(tFloat8), tVoid, datumKernel(setSeed)).Changes(expr.OfRandom),
		d1("ceil", numeric.Ceil), d1("ceiling", numeric.Ceil), d1("floor", numeric.Floor),
		d1("round", func(z, x *apd.Decimal) error { return numeric.Round(z, x, 0) }),
		d1("trunc", func(z, x *apd.Decimal) error { return numeric.Trunc(z, x, 0) }),
		d1("sqrt", numeric.Sqrt), d1("exp", numeric.Exp), d1("ln", numeric.Ln),
		d1("log", func(z, x *apd.Decimal) error { return numeric.Log(z, log10, x) }),
		d1("log10", func(z, x *apd.Decimal) error { return numeric.Log(z, log10, x) }),
		d1("sign", func(z, x *apd.Decimal) error {
			if numeric.IsNaN(x) {
				numeric.SetNaN(z)
			} else {
				numeric.SetInt64(z, int64(numeric.Sign(x)))
			}
			return nil
		}),
		d1("trim_scale", func(z, x *apd.Decimal) error { numeric.TrimScale(z, x); return nil }),
		fn("log", ts(tNum, tNum), tNum, n2(numeric.Log)),
		fn("power", ts(tNum, tNum), tNum, n2(numeric.Power)),
		fn("pow", ts(tNum, tNum), tNum, n2(numeric.Power)),
		fn("div", ts(tNum, tNum), tNum, n2(numeric.DivTrunc)),
		fn("round", ts(tNum, tInt4), tNum, scaled(numeric.Round)),
		fn("trunc", ts(tNum, tInt4), tNum, scaled(numeric.Trunc)),
		fn("scale", ts(tNum), tInt4, finiteInt(numeric.Scale)),
		fn("min_scale", ts(tNum), tInt4, finiteInt(numeric.MinScale)),
		fn("width_bucket", ts(tFloat8, tFloat8, tFloat8, tInt4), tInt4, datumKernel(widthBucketFloat)),
		fn("width_bucket", ts(tNum, tNum, tNum, tInt4), tInt4, datumKernel(widthBucketNumeric)),
		fn("width_bucket", ts(tCompat, tCompAr), tInt4, datumKernel(widthBucketArray)),
		fn("factorial", ts(tInt8), tNum, datumKernel(factorial)),
	)
	registerTrig()
}

func registerTrig() {
	bounded := func(f func(float64) float64, lo, hi float64) func(float64) (float64, error) {
		return func(a float64) (float64, error) {
			if a < lo || a > hi {
				return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "input is out of range")
			}
			return f(a), nil
		}
	}
	all := math.Inf(1)
	finite := func(f func(float64) float64) func(float64) (float64, error) {
		return func(a float64) (float64, error) {
			if inf(a) {
				return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "input is out of range")
			}
			return f(a), nil
		}
	}
	for name, f := range map[string]func(float64) (float64, error){
		"sin": finite(math.Sin), "cos": finite(math.Cos), "tan": finite(math.Tan),
		"cot":  finite(func(a float64) float64 { return 1 / math.Tan(a) }),
		"asin": bounded(math.Asin, -1, 1), "acos": bounded(math.Acos, -1, 1), "atan": bounded(math.Atan, -all, all),
		"sinh": bounded(halved(math.Sinh), -all, all), "cosh": bounded(halved(math.Cosh), -all, all), "tanh": bounded(math.Tanh, -all, all),
		"asinh": bounded(math.Asinh, -all, all), "acosh": bounded(math.Acosh, 1, all), "atanh": bounded(math.Atanh, -1, 1),
	} {
		expr.RegisterFuncs(fn(name, ts(tFloat8), tFloat8, k1e(f)))
	}
	expr.RegisterFuncs(fn("atan2", ts(tFloat8, tFloat8), tFloat8, k2(math.Atan2)))
}

// halved gives f, sinh or cosh, where e^x alone would be infinite.
func halved(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if math.Abs(x) < 700 {
			return f(x)
		}
		e := math.Exp(math.Abs(x) / 2)
		return math.Copysign(e/2*e, f(x))
	}
}

func signFloat(a float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return 0 // NaN too
}

func expFloat(a float64) (float64, error) {
	return checkFloat(math.Exp(a), inf(a), math.IsInf(a, -1))
}

func logFloat(f func(float64) float64) func(float64) (float64, error) {
	return func(a float64) (float64, error) {
		switch {
		case a == 0:
			return 0, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of zero")
		case a < 0:
			return 0, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
		}
		if a < 0x1p-1022 {
			// math.Log takes subnormal numbers for larger ones on amd64.
			return f(a*0x1p54) - f(0x1p54), nil
		}
		return f(a), nil
	}
}

func setSeed(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	seed := a[0].Float
	if !(seed >= -1 && seed <= 1) {
		shown := strings.Replace(strings.TrimPrefix(strconv.FormatFloat(seed, 'g', 6, 64), "+"), "Inf", "Infinity", 1)
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "setseed parameter %s is out of allowed range [-1,1]", shown)
	}
	env.Random.Seed(seed)
	return types.NewText(""), nil
}

func scaled(f func(z, x *apd.Decimal, scale int) error) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			s := max(-numeric.MaxWeightDigits, min(args[1].Ints[i], numeric.MaxScale))
			if err := f(&out.Decimals[i], &args[0].Decimals[i], int(s)); err != nil {
				return err
			}
			if err := env.BookNumeric(out, i); err != nil {
				return err
			}
		}
		return nil
	}
}

func finiteInt(f func(*apd.Decimal) int) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		for _, i := range sel {
			x := &args[0].Decimals[i]
			if !numeric.IsFinite(x) {
				out.Nulls.Set(int(i))
				continue
			}
			out.Ints[i] = int64(f(x))
		}
		return nil
	}
}

func badBucket(msg string) error {
	return sqlerr.New(sqlerr.InvalidArgumentForBucket, "%s", msg)
}

func widthBucketFloat(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	op, lo, hi, n := a[0].Float, a[1].Float, a[2].Float, a[3].Int
	switch {
	case n <= 0:
		return types.NullDatum, badBucket("count must be greater than zero")
	case math.IsNaN(op) || math.IsNaN(lo) || math.IsNaN(hi):
		return types.NullDatum, badBucket("operand, lower bound, and upper bound cannot be NaN")
	case inf(lo) || inf(hi):
		return types.NullDatum, badBucket("lower and upper bounds must be finite")
	case lo == hi:
		return types.NullDatum, badBucket("lower bound cannot equal upper bound")
	}
	if lo > hi {
		lo, hi, op = -lo, -hi, -op
	}
	var r int64
	switch {
	case op < lo:
		r = 0
	case op >= hi:
		r = n + 1
	default:
		r = int64((op-lo)/(hi-lo)*float64(n)) + 1
		r = min(r, n)
	}
	if r > math.MaxInt32 {
		return types.NullDatum, intOutOfRange(types.Int4)
	}
	return types.NewInt(r), nil
}

func widthBucketNumeric(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	op, lo, hi, n := a[0].Decimal, a[1].Decimal, a[2].Decimal, a[3].Int
	switch {
	case n <= 0:
		return types.NullDatum, badBucket("count must be greater than zero")
	case numeric.IsNaN(op) || numeric.IsNaN(lo) || numeric.IsNaN(hi):
		return types.NullDatum, badBucket("operand, lower bound, and upper bound cannot be NaN")
	case !numeric.IsFinite(lo) || !numeric.IsFinite(hi):
		return types.NullDatum, badBucket("lower and upper bounds must be finite")
	case numeric.Cmp(lo, hi) == 0:
		return types.NullDatum, badBucket("lower bound cannot equal upper bound")
	}
	down := numeric.Cmp(lo, hi) > 0
	c1, c2 := numeric.Cmp(op, lo), numeric.Cmp(op, hi)
	if down {
		c1, c2 = -c1, -c2
	}
	switch {
	case c1 < 0:
		return types.NewInt(0), nil
	case c2 >= 0:
		if n+1 > math.MaxInt32 {
			return types.NullDatum, intOutOfRange(types.Int4)
		}
		return types.NewInt(n + 1), nil
	}
	var x, w, q apd.Decimal
	_ = numeric.Sub(&x, op, lo)
	_ = numeric.Sub(&w, hi, lo)
	_ = numeric.Mul(&x, &x, apd.New(n, 0))
	if err := numeric.DivTrunc(&q, &x, &w); err != nil {
		return types.NullDatum, err
	}
	v, _ := numeric.IsInt64(&q)
	return types.NewInt(v + 1), nil
}

func factorial(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	n := a[0].Int
	switch {
	case n < 0:
		return types.NullDatum, sqlerr.New(sqlerr.NumericValueOutOfRange, "factorial of a negative number is undefined")
	case n > 32177:
		return types.NullDatum, numeric.Overflow()
	}
	var z apd.Decimal
	z.Coeff.SetInt64(1)
	if n > 1 {
		z.Coeff.MulRange(1, n)
	}
	return types.NewDecimal(&z), nil
}

// widthBucketArray gives the number of thresholds, which rise, that are not above the operand.
func widthBucketArray(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
	of := a[1].Array
	switch {
	case !expr.Orderable(t[0]):
		return types.NullDatum, sqlerr.New(sqlerr.UndefinedFunction, "could not identify a comparison function for type %s", expr.TypeName(t[0]))
	case len(of.Dims) > 1:
		return types.NullDatum, sqlerr.New(sqlerr.ArraySubscriptError, "thresholds must be one-dimensional array")
	case slices.ContainsFunc(of.Elems, func(d types.Datum) bool { return d.Null }):
		return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "thresholds array must not contain NULLs")
	}
	n := sort.Search(len(of.Elems), func(i int) bool { return types.Compare(t[0], a[0], of.Elems[i]) < 0 })
	return types.NewInt(int64(n)), nil
}
