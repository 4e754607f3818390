package plan

import "github.com/saltsql/saltsql/internal/expr"

// DistinctOn passes the first row of each run of rows in which Exprs have equal
// values (NULLs are equal). Its input has such rows side by side.
type DistinctOn struct {
	Input Node
	Exprs []expr.Expr // over the input's columns
}

func (n *DistinctOn) Inputs() []Node    { return []Node{n.Input} }
func (n *DistinctOn) Columns() []Column { return n.Input.Columns() }
func (n *DistinctOn) EachExpr(x *Exprs) { x.List(&n.Exprs) }
