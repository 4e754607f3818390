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

func (n *Delete) Inputs() []Node    { return []Node{n.Input} }
func (n *Delete) Columns() []Column { return n.Cols }

func (n *Delete) EachExpr(x *Exprs) {
	x.One(&n.Cond)
	x.List(&n.Returning)
}
