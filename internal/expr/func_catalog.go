package expr

import (
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions over the objects of the catalog, which the session answers.

func init() {
	describe := func(column bool) datumFunc {
		return func(env *Env, t []types.T, a []types.Datum) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("obj_description")
			}
			class, col := "", 0
			switch {
			case column:
				class, col = "pg_class", int(a[1].Int)
				if col == 0 {
					return types.NullDatum, nil
				}
			case len(a) > 1:
				class = string(a[1].Bytes)
			}
			text := env.Session.Description(class, uint32(a[0].Int), col)
			if text == "" {
				return types.NullDatum, nil
			}
			return types.NewText(text), nil
		}
	}
	size := func(env *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		if env.Session == nil {
			return types.NullDatum, noSession("pg_table_size")
		}
		n, ok, err := env.Session.TableSize(env.Ctx, uint32(a[0].Int))
		if err != nil || !ok {
			return types.NullDatum, err
		}
		return types.NewInt(n), nil
	}
	text := func(s string) func(*Env) (types.Datum, error) {
		return func(*Env) (types.Datum, error) { return types.NewText(s), nil }
	}
	registerFuncs(
		fn("obj_description", ts(tOID), tText, datumKernel(describe(false))).stable(),
		fn("obj_description", ts(tOID, tName), tText, datumKernel(describe(false))).stable(),
		fn("col_description", ts(tOID, tInt4), tText, datumKernel(describe(true))).stable(),
		fn("pg_table_size", ts(tRegcl), tInt8, datumKernel(size)).volatile(),
		fn("pg_total_relation_size", ts(tRegcl), tInt8, datumKernel(size)).volatile(),
		fn("pg_relation_size", ts(tRegcl), tInt8, datumKernel(size)).volatile(),
		fn("pg_indexes_size", ts(tRegcl), tInt8, k1(func(int64) int64 { return 0 })), // the rows are the index
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
