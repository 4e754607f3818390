package builtin

import (
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
)

// TestVolatileStates holds that a volatile function says which state its calls see, or is
// known to see none: others could be called in any order.
func TestVolatileStates(t *testing.T) {
	alone := []string{"gen_random_uuid", "gen_random_bytes", "uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v4", "unique_rowid", "current_query", expr.PhoenixSchema + ".rand"}
	for f := range expr.EachFunc() {
		if f.Volatile && f.State == expr.NoState && !slices.Contains(alone, f.Name) {
			t.Errorf("%s is volatile: say what it reads or changes, by Reads or Changes", f.Name)
		}
	}
}
