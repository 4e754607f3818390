package plan

// SaltGather runs its input, a Scan, once per salt bucket and gives rows in no
// order. Serial reads one bucket after another until nobody asks for more.
type SaltGather struct {
	Input  *Scan
	Serial bool
}

var _ Node = (*SaltGather)(nil)

// Inputs gives the scan.
func (n *SaltGather) Inputs() []Node { return []Node{n.Input} }

// Columns are the scan's.
func (n *SaltGather) Columns() []Column { return n.Input.Columns() }

// Describe shows the buckets and whether they are read in turn.
func (n *SaltGather) Describe() Description {
	d := Description{Name: "Salt Gather", Attrs: attrs("buckets", bucketText(n.Input))}
	if n.Serial {
		d.Attrs = append(d.Attrs, Attr{Value: "one after another"})
	}
	return d
}
