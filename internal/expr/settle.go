package expr

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Settle gives literals the value that they have now, under env: '2024-01-01
// 00:00'::timestamptz is read in today's time zone, 's'::regclass by today's
// search path, 'now'::date is today. What a function or a cast of a value makes of
// the session's settings stays for when it is run, as in Postgres.
func Settle(env *Env, e Expr) (Expr, error) {
	return Rewrite(e, func(x Expr) (Expr, error) {
		c, ok := x.(*Cast)
		if !ok {
			return x, nil
		}
		if lit, ok := c.X.(*Const); !ok || lit.T.Kind != types.Unknown {
			return x, nil
		}
		d, err := EvalConst(env, x)
		if err != nil {
			return nil, err
		}
		return &Const{Value: d.Clone(c.To), T: c.To, At: c.At}, nil
	})
}
