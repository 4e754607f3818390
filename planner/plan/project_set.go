package plan

import "github.com/saltsql/saltsql/internal/expr"

// ProjectSet computes expressions of which some are set-returning functions: for each
// input row it gives as many rows as the longest of the sets, NULL where a shorter one
// has ended. Its columns are the input's, then one for each of Sets.
type ProjectSet struct {
	Input Node
	Sets  []SetCall
	Cols  []Column
}

// SetCall is one call of a set-returning function that gives one column.
type SetCall struct {
	Name string
	Args []expr.Expr   // over the input's columns
	Set  *expr.SetFunc // as in TableFunc
}

func (n *ProjectSet) Inputs() []Node    { return []Node{n.Input} }
func (n *ProjectSet) Columns() []Column { return n.Cols }
func (n *ProjectSet) EachExpr(x *Exprs) { x.Calls(&n.Sets) }
