package expr

import "github.com/saltsql/saltsql/internal/types"

// Agg is a bound aggregate call. What computes it is package expr/agg.
type Agg struct {
	Name     string // "count", "sum", …; count(*) has no Args
	Args     []Expr // cast to what the overload takes
	Distinct bool
	T        types.T // of the result
	At       int
}

// IsAgg says whether name is an aggregate function.
func IsAgg(name string) bool { return false }

// ResolveAgg chooses the overload of aggregate name; no args is count(*).
func ResolveAgg(name string, args []Expr, distinct bool, pos int) (*Agg, error) {
	return nil, errNotYet
}
