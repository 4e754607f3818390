package expr

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Short names of types.
var (
	tBool   = types.Of(types.Bool)
	tInt4   = types.Of(types.Int4)
	tInt8   = types.Of(types.Int8)
	tFloat8 = types.Of(types.Float8)
	tText   = types.Of(types.Text)
	tUnk    = types.Of(types.Unknown)
	tAny    = types.Of(KindAny)
)
