package eval_test

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Short names of types.
var (
	tInt4   = types.Of(types.Int4)
	tInt8   = types.Of(types.Int8)
	tFloat8 = types.Of(types.Float8)
	tText   = types.Of(types.Text)
	tTSTZ   = types.Of(types.Timestamptz)
	tUnk    = types.Of(types.Unknown)
)
