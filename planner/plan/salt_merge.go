package plan

// SaltMerge runs its input, a Scan, once per salt bucket and merges the
// buckets by row key without the salt byte, so that a salted table reads in
// key order like an unsalted one.
type SaltMerge struct {
	Input *Scan
}

var _ Node = (*SaltMerge)(nil)

// Inputs gives the scan.
func (n *SaltMerge) Inputs() []Node { return []Node{n.Input} }

// Columns are the scan's.
func (n *SaltMerge) Columns() []Column { return n.Input.Columns() }

// Describe shows the buckets and the order they are merged in.
func (n *SaltMerge) Describe() Description {
	return Description{Name: "Salt Merge", Attrs: attrs(
		"buckets", bucketText(n.Input), "key order", keyOrderText(n.Input.Table, n.Input.Order))}
}
