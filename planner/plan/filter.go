package plan

import "github.com/saltsql/saltsql/internal/expr"

// Filter drops rows for which Cond is not true.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

func (n *Filter) Inputs() []Node    { return []Node{n.Input} }
func (n *Filter) Columns() []Column { return n.Input.Columns() }
func (n *Filter) EachExpr(x *Exprs) { x.One(&n.Cond) }
