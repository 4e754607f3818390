package plan

// Sort orders all its input, spilling to disk over the memory budget. Rows with equal
// keys keep no order.
type Sort struct {
	Input Node
	Keys  []SortKey
}

func (n *Sort) Inputs() []Node    { return []Node{n.Input} }
func (n *Sort) Columns() []Column { return n.Input.Columns() }
func (n *Sort) EachExpr(x *Exprs) { x.Keys(&n.Keys) }
