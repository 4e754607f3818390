package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	win := func(name string, res types.T, args ...types.T) {
		expr.RegisterWindow(fn(name, args, res, nil))
	}
	for _, name := range []string{"row_number", "rank", "dense_rank"} {
		win(name, tInt8)
	}
	win("percent_rank", tFloat8)
	win("cume_dist", tFloat8)
	win("ntile", tInt4, tInt4)
	for _, name := range []string{"lag", "lead"} {
		win(name, tAnyEl, tAnyEl)
		win(name, tAnyEl, tAnyEl, tInt4)
		win(name, tCompat, tCompat, tInt4, tCompat)
	}
	win("first_value", tAnyEl, tAnyEl)
	win("last_value", tAnyEl, tAnyEl)
	win("nth_value", tAnyEl, tAnyEl, tInt4)
}
