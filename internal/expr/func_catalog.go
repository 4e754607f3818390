package expr

import (
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions over the objects of the catalog, which the session answers.

func init() {
	text := func(s string) func(*Env) (types.Datum, error) {
		return func(*Env) (types.Datum, error) { return types.NewText(s), nil }
	}
	registerFuncs(
		fn("to_regclass", ts(tText), tRegcl, datumKernel(toReg(tRegcl))).stable(),
		fn("to_regtype", ts(tText), tRegty, datumKernel(toReg(tRegty))).stable(),
		fn("pg_client_encoding", ts(), tName, argFree(text("UTF8"))).stable(),
		fn("getdatabaseencoding", ts(), tName, argFree(text("UTF8"))).stable(),
		fn("pg_encoding_to_char", ts(tInt4), tName, datumKernel(func(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if a[0].Int == 6 {
				return types.NewText("UTF8"), nil
			}
			return types.NewText(""), nil
		})).stable(),
		fn("pg_sleep_for", ts(tInt), tVoid, datumKernel(func(env *Env, t []types.T, a []types.Datum) (types.Datum, error) {
			now := env.txTime()
			v := a[0].Interval
			until := now.AddDate(0, int(v.Months), int(v.Days)).Add(time.Duration(v.Micros) * time.Microsecond)
			return sleep(env, t, []types.Datum{types.NewFloat(until.Sub(now).Seconds())})
		})).volatile(),
	)
}

// toReg is a cast that gives NULL for what there is not.
func toReg(to types.T) datumFunc {
	return func(env *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		if to == tRegcl {
			switch word := strings.TrimSpace(string(a[0].Bytes)); {
			case word == "":
				return types.NullDatum, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
			case word == "-" || strings.Trim(word, "0123456789") == "":
				return types.NullDatum, nil // to a cast they are no names
			}
		}
		d, err := types.ParseText(to, a[0].Bytes, env.io())
		switch sqlerr.CodeOf(err) {
		case sqlerr.UndefinedTable, sqlerr.UndefinedObject, sqlerr.InvalidSchemaName:
			return types.NullDatum, nil
		}
		return d, err
	}
}
