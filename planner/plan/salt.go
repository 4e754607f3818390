package plan

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Discrete types have a next value, so that a short range of them is a list.
func Discrete(k types.Kind) bool {
	switch k {
	case types.Bool, types.Int2, types.Int4, types.Int8, types.Date:
		return true
	}
	return false
}
