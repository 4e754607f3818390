package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	expr.RegisterFuncs(
		fn("pg_notify", ts(tText, tText), tVoid, datumKernel(func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("pg_notify")
			}
			return types.Datum{}, env.Session.Notify(string(a[0].Bytes), string(a[1].Bytes)) // NULL is empty
		})).Changes(expr.OfMessages).CalledOnNull(),
		fn("pg_notification_queue_usage", ts(), tFloat8, argFree(func(env *expr.Env) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("pg_notification_queue_usage")
			}
			return types.NewFloat(env.Session.NotificationUsage()), nil
		})).Reads(expr.OfMessages),
	)
}
