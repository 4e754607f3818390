package builtin

import (
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions over the objects of the catalog, which the session answers.

func init() {
	text := func(s string) func(*expr.Env) (types.Datum, error) {
		return func(*expr.Env) (types.Datum, error) { return types.NewText(s), nil }
	}
	expr.RegisterFuncs(
		fn("to_regclass", ts(tText), tRegcl, datumKernel(toReg(tRegcl))).AsStable(),
		fn("to_regtype", ts(tText), tRegty, datumKernel(toReg(tRegty))).AsStable(),
		fn("pg_client_encoding", ts(), tName, argFree(text("UTF8"))).AsStable(),
		fn("getdatabaseencoding", ts(), tName, argFree(text("UTF8"))).AsStable(),
		fn("pg_encoding_to_char", ts(tInt4), tName, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if a[0].Int == 6 {
				return types.NewText("UTF8"), nil
			}
			return types.NewText(""), nil
		})).AsStable(),
		fn("pg_sleep_for", ts(tInt), tVoid, datumKernel(func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			now := env.TxTime()
			v := a[0].Interval
			until := now.AddDate(0, int(v.Months), int(v.Days)).Add(time.Duration(v.Micros) * time.Microsecond)
			return sleep(env, t, []types.Datum{types.NewFloat(until.Sub(now).Seconds())})
		})).Changes(expr.OfClock),
		fn("pg_sleep_until", ts(tTSTZ), tVoid, datumKernel(func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
			until := (float64(a[0].Int) - float64(time.Now().UnixMicro())) / 1e6 // infinities too are numbers
			return sleep(env, t, []types.Datum{types.NewFloat(until)})
		})).Changes(expr.OfClock),
	)
}

// toReg is a cast that gives NULL for what there is not.
func toReg(to types.T) datumFunc {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		if to == tRegcl {
			switch word := strings.TrimSpace(string(a[0].Bytes)); {
			case word == "":
				return types.NullDatum, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
			case word == "-" || strings.Trim(word, "0123456789") == "":
				return types.NullDatum, nil // to a cast they are no names
			}
		}
		d, err := types.ParseText(to, a[0].Bytes, env.TextIO())
		switch sqlerr.CodeOf(err) {
		case sqlerr.UndefinedTable, sqlerr.UndefinedObject, sqlerr.InvalidSchemaName:
			return types.NullDatum, nil
		}
		return d, err
	}
}
