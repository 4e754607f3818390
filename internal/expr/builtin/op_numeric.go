package builtin

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

func init() {
	neg := n1(func(z, x *apd.Decimal) error { numeric.Neg(z, x); return nil })
	abs := n1(func(z, x *apd.Decimal) error {
		z.Set(x)
		z.Negative = false
		return nil
	})
	expr.RegisterOps(
		fn("+", ts(tNum, tNum), tNum, n2(numeric.Add)),
		fn("-", ts(tNum, tNum), tNum, n2(numeric.Sub)),
		fn("*", ts(tNum, tNum), tNum, n2(numeric.Mul)),
		fn("/", ts(tNum, tNum), tNum, n2(numeric.Div)),
		fn("%", ts(tNum, tNum), tNum, n2(numeric.Mod)),
		fn("^", ts(tNum, tNum), tNum, n2(numeric.Power)),
		fn("+", ts(tNum), tNum, n1(func(z, x *apd.Decimal) error { z.Set(x); return nil })),
		fn("-", ts(tNum), tNum, neg),
		fn("@", ts(tNum), tNum, abs),
	)
	expr.RegisterFuncs(
		fn("abs", ts(tNum), tNum, abs),
		fn("mod", ts(tNum, tNum), tNum, n2(numeric.Mod)),
		fn("gcd", ts(tNum, tNum), tNum, n2(numeric.GCD)),
		fn("lcm", ts(tNum, tNum), tNum, n2(numeric.LCM)),
	)
}
