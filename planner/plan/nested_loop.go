package plan

// NestedLoop compares each left row with all right rows, which are kept, in memory or
// spilled. It has no keys: all is in Filter and Cond. It keeps the left
// side's order.
type NestedLoop struct {
	Kind        JoinKind
	Left, Right Node
	Match
	KeptBy   int // as HashJoin's, of the right side
	MarkName string
}

var _ Node = (*NestedLoop)(nil)

// Inputs gives the left side, then the right.
func (n *NestedLoop) Inputs() []Node { return []Node{n.Left, n.Right} }

// Columns are the left side's, then what the kind adds.
func (n *NestedLoop) Columns() []Column {
	return joinColumns(n.Kind, n.Left.Columns(), n.Right.Columns(), n.MarkName)
}
