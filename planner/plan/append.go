package plan

// Append gives the rows of its inputs, one after another: UNION ALL.
type Append struct {
	Parts []Node
	Cols  []Column
}

var _ Node = (*Append)(nil)

// Inputs gives the parts.
func (n *Append) Inputs() []Node { return n.Parts }

// Columns have the names of the first part; every part has the same types.
func (n *Append) Columns() []Column { return n.Cols }
