package exprtest

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Short names of types.
var (
	tBool = types.Of(types.Bool)
	tInt4 = types.Of(types.Int4)
	tInt8 = types.Of(types.Int8)
	tNum  = types.Of(types.Numeric)
	tText = types.Of(types.Text)
	tUnk  = types.Of(types.Unknown)
)
