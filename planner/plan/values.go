package plan

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// Values gives literal rows. No rows is an empty result.
type Values struct {
	Rows [][]expr.Expr
	Cols []Column
	// OneByOne gives each row by itself, as RowByRow does.
	OneByOne bool
}

var _ Node = (*Values)(nil)

// Inputs gives none.
func (n *Values) Inputs() []Node { return nil }

// Columns are those of the rows.
func (n *Values) Columns() []Column { return n.Cols }
