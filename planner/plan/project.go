package plan

import "github.com/saltsql/saltsql/internal/expr"

// Project computes Exprs over its input's columns.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Cols  []Column // names and types of Exprs
}

var _ Node = (*Project)(nil)

// Inputs gives the node projected.
func (n *Project) Inputs() []Node { return []Node{n.Input} }

// Columns are those computed.
func (n *Project) Columns() []Column { return n.Cols }
