package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Settle gives literals the value that they have now, under env: '2024-01-01
// 00:00'::timestamptz is read in today's time zone, 's'::regclass by today's
// search path, 'now'::date is today. What a function or a cast of a value makes of
// the session's settings stays for when it is run, as in Postgres.
func Settle(env *expr.Env, e expr.Expr) (expr.Expr, error) {
	return expr.Rewrite(e, func(x expr.Expr) (expr.Expr, error) {
		c, ok := x.(*expr.Cast)
		if !ok {
			return x, nil
		}
		if lit, ok := c.X.(*expr.Const); !ok || lit.T.Kind != types.Unknown {
			return x, nil
		}
		d, err := EvalConst(env, x)
		if err != nil {
			return nil, err
		}
		return &expr.Const{Value: d.Clone(c.To), T: c.To, At: c.At}, nil
	})
}
