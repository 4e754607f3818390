package plan

import "github.com/saltsql/saltsql/internal/expr"

// Project computes Exprs over its input's columns.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Cols  []Column // names and types of Exprs
}

func (n *Project) Inputs() []Node    { return []Node{n.Input} }
func (n *Project) Columns() []Column { return n.Cols }
func (n *Project) EachExpr(x *Exprs) { x.List(&n.Exprs) }
