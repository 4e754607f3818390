package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// Delete removes each row of Input; Input, Cond and Again are as for Update.
type Delete struct {
	Table     *catalog.Table
	Input     Node
	Cond      expr.Expr
	Again     *Again
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
}

var _ Node = (*Delete)(nil)

// Inputs gives the rows to remove.
func (n *Delete) Inputs() []Node { return []Node{n.Input} }

// Columns are RETURNING's.
func (n *Delete) Columns() []Column { return n.Cols }
