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

func (n *Values) Inputs() []Node    { return nil }
func (n *Values) Columns() []Column { return n.Cols }
func (n *Values) EachExpr(x *Exprs) { x.Rows(&n.Rows) }
