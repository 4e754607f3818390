package op

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// Operator gives the rows of one plan node. It is used by one goroutine: Open,
// Next until io.EOF or enough, Close; then perhaps Open again. Errors of the
// store come out as they are.
type Operator interface {
	// Open starts the operator. After an error it must still be closed.
	Open(cx *Context) error
	// Next gives at least one row, or io.EOF. The batch and what it points to
	// are the operator's and valid until the next call; a caller may change
	// its Sel and N.
	Next() (*vec.Batch, error)
	// Close ends scans and waits for goroutines. It is idempotent, and may be
	// called without Open.
	Close() error
}

// TypesOf gives the types of a node's rows.
func TypesOf(n plan.Node) []types.T {
	cols := n.Columns()
	ts := make([]types.T, len(cols))
	for i := range cols {
		ts[i] = cols[i].Type
	}
	return ts
}
