package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// The functions that are called with f(name => value), as pg_proc names their arguments.
func init() {
	names := func(fn string, args ...string) {
		list := make([]expr.ArgName, len(args))
		for i, a := range args {
			list[i].Name = a
		}
		expr.RegisterArgNames(fn, list...)
	}
	names("make_date", "year", "month", "day")
	names("make_time", "hour", "min", "sec")
	names("make_timestamp", "year", "month", "mday", "hour", "min", "sec")
	names("make_timestamptz", "year", "month", "mday", "hour", "min", "sec", "timezone")
	names("jsonb_set", "jsonb_in", "path", "replacement", "create_if_missing")
	names("jsonb_set_lax", "jsonb_in", "path", "replacement", "create_if_missing", "null_value_treatment")
	names("parse_ident", "str", "strict")
	names("jsonb_insert", "jsonb_in", "path", "replacement", "insert_after")
	var interval []expr.ArgName
	for _, a := range []string{"years", "months", "weeks", "days", "hours", "mins", "secs"} {
		zero := &expr.Const{Value: types.NewInt(0), T: types.Of(types.Int4)}
		interval = append(interval, expr.ArgName{Name: a, Default: zero})
	}
	expr.RegisterArgNames("make_interval", interval...)
}
