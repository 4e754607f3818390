package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

func advisoryKey(a []types.Datum) expr.AdvisoryKey {
	if len(a) == 2 {
		return expr.AdvisoryKey{A: int32(a[0].Int), B: int32(a[1].Int), Two: true}
	}
	return expr.AdvisoryKey{A: int32(a[0].Int >> 32), B: int32(a[0].Int)}
}

func init() {
	for _, shared := range []bool{false, true} {
		suffix := ""
		if shared {
			suffix = "_shared"
		}
		for _, xact := range []bool{false, true} {
			name := "advisory_lock" + suffix
			if xact {
				name = "advisory_xact_lock" + suffix
			}
			for _, try := range []bool{false, true} {
				lock := func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
					if env.Session == nil {
						return types.NullDatum, noSession("pg_" + name)
					}
					ok, err := env.Session.AdvisoryLock(env.Ctx, advisoryKey(a), shared, xact, !try)
					return types.NewBool(ok), err
				}
				if try {
					registerAdvisory("pg_try_"+name, tBool, lock)
					continue
				}
				registerAdvisory("pg_"+name, tVoid, func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
					_, err := lock(env, t, a)
					return types.Datum{}, err
				})
			}
		}
		registerAdvisory("pg_advisory_unlock"+suffix, tBool, func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("pg_advisory_unlock")
			}
			return types.NewBool(env.Session.AdvisoryUnlock(advisoryKey(a), shared)), nil
		})
	}
	expr.RegisterFuncs(fn("pg_advisory_unlock_all", ts(), tVoid, argFree(func(env *expr.Env) (types.Datum, error) {
		if env.Session == nil {
			return types.NullDatum, noSession("pg_advisory_unlock_all")
		}
		env.Session.AdvisoryUnlockAll()
		return types.Datum{}, nil
	})).Changes(expr.OfLocks))
}

func registerAdvisory(name string, res types.T, f func(*expr.Env, []types.T, []types.Datum) (types.Datum, error)) {
	expr.RegisterFuncs(
		fn(name, ts(tInt8), res, datumKernel(f)).Changes(expr.OfLocks),
		fn(name, ts(tInt4, tInt4), res, datumKernel(f)).Changes(expr.OfLocks),
	)
}
