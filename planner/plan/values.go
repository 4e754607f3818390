package plan

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/expr"
)

// Values gives literal rows. No rows is an empty result.
type Values struct {
	Rows [][]expr.Expr
	Cols []Column
}

var _ Node = (*Values)(nil)

// Inputs gives none.
func (n *Values) Inputs() []Node { return nil }

// Columns are those of the rows.
func (n *Values) Columns() []Column { return n.Cols }

// Describe shows the number of rows.
func (n *Values) Describe() Description {
	if len(n.Rows) == 0 {
		return Description{Name: "Result", Attrs: attrs("", "no rows")}
	}
	return Description{Name: "Values", Attrs: attrs("rows", fmt.Sprint(len(n.Rows)))}
}
