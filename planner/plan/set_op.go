package plan

// SetOp is INTERSECT or EXCEPT [ALL]; UNION ALL is Append, UNION a Distinct over it.
// NULLs are equal. Both sides have the same types.
type SetOp struct {
	Except      bool // else INTERSECT
	All         bool
	Left, Right Node
	Cols        []Column
}

var _ Node = (*SetOp)(nil)

// Inputs gives the left side, then the right.
func (n *SetOp) Inputs() []Node { return []Node{n.Left, n.Right} }

// Columns have the names of the left side.
func (n *SetOp) Columns() []Column { return n.Cols }
