package plan

import "github.com/saltsql/saltsql/internal/expr"

// Filter drops rows for which Cond is not true.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

var _ Node = (*Filter)(nil)

// Inputs gives the node filtered.
func (n *Filter) Inputs() []Node { return []Node{n.Input} }

// Columns are the input's.
func (n *Filter) Columns() []Column { return n.Input.Columns() }
