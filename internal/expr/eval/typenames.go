package eval

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Short names of types.
var (
	tBool = types.Of(types.Bool)
	tUnk  = types.Of(types.Unknown)
)
