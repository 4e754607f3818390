package plan

// MergeJoin walks both sides in the order of the keys. Both come sorted by them:
// Keys[i] by Desc[i], NULLs last where ascending and first where descending. It keeps
// the left side's order. Kinds: all. No key is Unknown.
type MergeJoin struct {
	Kind        JoinKind
	Left, Right Node
	Match
	Desc     []bool // one for each key
	MarkName string
}

var _ Node = (*MergeJoin)(nil)

// Inputs gives the left side, then the right.
func (n *MergeJoin) Inputs() []Node { return []Node{n.Left, n.Right} }

// Columns are the left side's, then what the kind adds.
func (n *MergeJoin) Columns() []Column {
	return joinColumns(n.Kind, n.Left.Columns(), n.Right.Columns(), n.MarkName)
}
