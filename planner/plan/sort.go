package plan

// Sort orders all its input, spilling to disk over the memory budget. Rows with equal
// keys keep no order.
type Sort struct {
	Input Node
	Keys  []SortKey
}

var _ Node = (*Sort)(nil)

// Inputs gives the node sorted.
func (n *Sort) Inputs() []Node { return []Node{n.Input} }

// Columns are the input's.
func (n *Sort) Columns() []Column { return n.Input.Columns() }
