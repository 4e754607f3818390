package plan

// Append gives the rows of its inputs, one after another: UNION ALL.
type Append struct {
	Parts []Node
	Cols  []Column
}

func (n *Append) Inputs() []Node    { return n.Parts }
func (n *Append) Columns() []Column { return n.Cols }
func (n *Append) EachExpr(*Exprs)   {}
