package planner

import "github.com/saltsql/saltsql/internal/sqlerr"

// WITH queries and views are bound where they are named, so that a short text can make a
// plan of any depth and, where each names the one before it twice, of any size.
const (
	maxExpansionDepth = 1000
	maxExpanded       = 1 << 18 // expressions and columns, of 100 to 300 bytes each
)

// expansion bounds what the names of WITH queries and views stand for: 54001.
type expansion struct {
	depth int
	size  int
}

func (x *expansion) enter(pos int) error {
	if x.depth++; x.depth > maxExpansionDepth {
		return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("WITH queries and views may name one another %d deep.", maxExpansionDepth).At(pos)
	}
	return nil
}

func (x *expansion) leave() { x.depth-- }

// grow counts n more expressions or columns of what is expanded.
func (x *expansion) grow(n, pos int) error {
	if x.depth == 0 {
		return nil
	}
	if x.size += n; x.size > maxExpanded {
		return sqlerr.New(sqlerr.StatementTooComplex, "statement too complex").
			WithDetail("WITH queries and views, written out where they are named, have more than %d expressions.", maxExpanded).
			WithHint("Name each of them once, or store its rows in a table first.").At(pos)
	}
	return nil
}
