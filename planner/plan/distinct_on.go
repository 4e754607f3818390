package plan

import "github.com/saltsql/saltsql/internal/expr"

// DistinctOn passes the first row of each run of rows in which Exprs have equal
// values (NULLs are equal). Its input has such rows side by side.
type DistinctOn struct {
	Input Node
	Exprs []expr.Expr // over the input's columns
}

var _ Node = (*DistinctOn)(nil)

// Inputs gives the node whose runs are cut.
func (n *DistinctOn) Inputs() []Node { return []Node{n.Input} }

// Columns are the input's.
func (n *DistinctOn) Columns() []Column { return n.Input.Columns() }
