package plan

import "github.com/saltsql/saltsql/internal/expr"

// TableFunc gives the rows of a set-returning function such as generate_series.
type TableFunc struct {
	Name       string
	Args       []expr.Expr
	Set        *expr.SetFunc // what gives the rows; nil: generate_series, or unnest of one array
	Ordinality bool          // a last column, bigint, counts the rows from 1
	Cols       []Column
}

var _ Node = (*TableFunc)(nil)

// Inputs gives none.
func (n *TableFunc) Inputs() []Node { return nil }

// Columns are the function's, then the ordinality.
func (n *TableFunc) Columns() []Column { return n.Cols }
