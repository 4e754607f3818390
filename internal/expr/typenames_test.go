package expr_test

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Short names of types.
var (
	tInt4 = types.Of(types.Int4)
	tInt8 = types.Of(types.Int8)
	tText = types.Of(types.Text)
	tDate = types.Of(types.Date)
)
