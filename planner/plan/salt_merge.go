package plan

// SaltMerge runs its input once per salt bucket, as SaltGather does, and merges what the
// buckets give: rows of a Scan by row key without the salt byte, so that a salted table
// reads in key order like an unsalted one; those of another input by Keys, in which
// order each bucket gives them.
type SaltMerge struct {
	Input Node
	Keys  []SortKey // over the input's columns; none where it is a Scan
}

func (n *SaltMerge) Inputs() []Node    { return []Node{n.Input} }
func (n *SaltMerge) Columns() []Column { return n.Input.Columns() }
func (n *SaltMerge) EachExpr(x *Exprs) { x.Keys(&n.Keys) }

// Scan gives the input where it is a scan, else nil.
func (n *SaltMerge) Scan() *Scan { return asScan(n.Input) }
