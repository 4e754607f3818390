package builtin

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// The trigonometric functions in degrees are exact where the result is: each is
// scaled so that sin 30°, cos 60°, tan 45° and their inverses come out even.

func init() {
	angle := func(f func(float64) float64) func(float64) (float64, error) {
		return func(a float64) (float64, error) {
			if math.IsInf(a, 0) {
				return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "input is out of range")
			}
			if math.IsNaN(a) {
				return a, nil
			}
			return f(a), nil
		}
	}
	ratio := func(f func(float64) float64) func(float64) (float64, error) {
		return func(a float64) (float64, error) {
			if a < -1 || a > 1 {
				return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "input is out of range")
			}
			return f(a), nil
		}
	}
	tan45, cot45 := sinQuarter(45)/cosQuarter(45), cosQuarter(45)/sinQuarter(45)
	for name, f := range map[string]func(float64) (float64, error){
		"sind": angle(func(a float64) float64 { q, s, _ := quarter(a); return s * sinQuarter(q) }),
		"cosd": angle(func(a float64) float64 { q, _, c := quarter(a); return c * cosQuarter(q) }),
		"tand": angle(func(a float64) float64 {
			q, s, c := quarter(a)
			return s*c*(sinQuarter(q)/cosQuarter(q)/tan45) + 0 // no negative zero
		}),
		"cotd": angle(func(a float64) float64 {
			q, s, c := quarter(a)
			return s*c*(cosQuarter(q)/sinQuarter(q)/cot45) + 0
		}),
		"asind": ratio(func(a float64) float64 { return math.Copysign(asinQuarter(math.Abs(a)), a) }),
		"acosd": ratio(func(a float64) float64 {
			if a >= 0 {
				return acosQuarter(a)
			}
			return 90 + asinQuarter(-a)
		}),
		"atand": func(a float64) (float64, error) { return math.Atan(a) / math.Atan(1) * 45, nil },
	} {
		expr.RegisterFuncs(fn(name, ts(tFloat8), tFloat8, k1e(f)))
	}
	expr.RegisterFuncs(fn("atan2d", ts(tFloat8, tFloat8), tFloat8, k2(func(y, x float64) float64 {
		return math.Atan2(y, x) / math.Atan(1) * 45
	})))
}

// quarter folds an angle into 0 to 90, with the signs of its sine and cosine.
func quarter(a float64) (q, sin, cos float64) {
	sin, cos = 1, 1
	if a = math.Mod(a, 360); a < 0 {
		a, sin = -a, -sin
	}
	if a > 180 {
		a, sin = 360-a, -sin
	}
	if a > 90 {
		a, cos = 180-a, -cos
	}
	return a, sin, cos
}

// radian is a variable so that a constant angle is rounded as any other.
var radian = math.Pi / 180

func sinTo30(a float64) float64 { return math.Sin(a*radian) / math.Sin(30*radian) / 2 }

func cosTo60(a float64) float64 { return 1 - (1-math.Cos(a*radian))/(1-math.Cos(60*radian))/2 }

func sinQuarter(a float64) float64 {
	if a <= 30 {
		return sinTo30(a)
	}
	return cosTo60(90 - a)
}

func cosQuarter(a float64) float64 {
	if a <= 60 {
		return cosTo60(a)
	}
	return sinTo30(90 - a)
}

func asinQuarter(a float64) float64 {
	if a <= 0.5 {
		return math.Asin(a) / math.Asin(0.5) * 30
	}
	return 90 - math.Acos(a)/math.Acos(0.5)*60
}

func acosQuarter(a float64) float64 {
	if a <= 0.5 {
		return 90 - math.Asin(a)/math.Asin(0.5)*30
	}
	return math.Acos(a) / math.Acos(0.5) * 60
}
