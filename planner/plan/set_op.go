package plan

// SetOp is INTERSECT or EXCEPT [ALL]; UNION ALL is Append, UNION a Distinct over it.
// NULLs are equal. Both sides have the same types.
type SetOp struct {
	Except      bool // else INTERSECT
	All         bool
	Left, Right Node
	Cols        []Column
}

func (n *SetOp) Inputs() []Node    { return []Node{n.Left, n.Right} }
func (n *SetOp) Columns() []Column { return n.Cols }
func (n *SetOp) EachExpr(*Exprs)   {}
