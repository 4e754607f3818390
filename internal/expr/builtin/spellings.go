package builtin

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Names that pg_proc has for a function beside its usual one: views of old tools, and
// expressions that PostgreSQL has printed, call them. The file is behind those of the functions
// in the order of initialization, which is that of names.
func init() {
	for _, s := range []struct {
		name, of string
		args     []types.T
	}{
		{"textlen", "length", ts(tText)},
		{"dexp", "exp", ts(tFloat8)}, {"dlog1", "ln", ts(tFloat8)}, {"dlog10", "log", ts(tFloat8)},
		{"dround", "round", ts(tFloat8)}, {"dtrunc", "trunc", ts(tFloat8)},
		{"numeric_exp", "exp", ts(tNum)}, {"numeric_ln", "ln", ts(tNum)}, {"numeric_sqrt", "sqrt", ts(tNum)},
		{"numeric_log", "log", ts(tNum, tNum)}, {"numeric_div_trunc", "div", ts(tNum, tNum)},
		{"getpgusername", "current_user", ts()},
	} {
		found := false
		for f := range expr.EachFunc() {
			if f.Name == s.of && slices.Equal(f.ArgTypes, s.args) {
				same := *f
				same.Name = s.name
				expr.RegisterFuncs(&same)
				found = true
				break
			}
		}
		if !found {
			panic("there is no function " + s.of)
		}
	}
}
