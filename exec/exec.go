package exec

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
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

// Build makes the operator of a node and of those below it. Nothing is read
// before Open.
func Build(n plan.Node) (Operator, error) {
	op, err := build(n)
	if err != nil {
		return nil, err
	}
	if _, ok := n.(*plan.Scan); ok {
		return op, nil // it counts itself, as it does where a merge or a gather runs it
	}
	return &counted{node: n, in: op}, nil
}

func build(n plan.Node) (Operator, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return newScan(n)
	case *plan.SaltMerge:
		return newSaltMerge(n)
	case *plan.SaltGather:
		return newSaltGather(n)
	case *plan.Filter:
		return newFilter(n)
	case *plan.Project:
		return newProject(n)
	case *plan.Limit:
		return newLimit(n)
	case *plan.Sort:
		return newSort(n)
	case *plan.TopN:
		return newTopN(n)
	case *plan.DistinctOn:
		return newDistinctOn(n)
	case *plan.Aggregate:
		return newAggregate(n)
	case *plan.Values:
		return newValues(n)
	case *plan.OneRow:
		return newOneRow(), nil
	case *plan.TableFunc:
		return newTableFunc(n)
	case *plan.Append:
		return newAppend(n)
	case *plan.External:
		return newExternal(n), nil
	case *plan.Insert:
		return newInsert(n)
	case *plan.Upsert:
		return newUpsert(n)
	case *plan.Update:
		return newUpdate(n)
	case *plan.Delete:
		return newDelete(n)
	}
	return nil, sqlerr.Internal(nil, "no operator for plan node %T", n)
}

// typesOf gives the types of a node's rows.
func typesOf(n plan.Node) []types.T {
	cols := n.Columns()
	ts := make([]types.T, len(cols))
	for i := range cols {
		ts[i] = cols[i].Type
	}
	return ts
}
