package plan

// RowByRow gives the rows of its input one at a time, where the node above it calls functions
// that see what they did for the row before: see expr.State.
type RowByRow struct {
	Input Node
}

func (n *RowByRow) Inputs() []Node    { return []Node{n.Input} }
func (n *RowByRow) Columns() []Column { return n.Input.Columns() }
func (n *RowByRow) EachExpr(*Exprs)   {}
