package plan

// SaltGather runs its input once per salt bucket and gives rows in no order. Serial
// reads one bucket after another until nobody asks for more.
//
// In each run a Scan of a salted table reads its rows of that bucket. Those with a
// SaltGather or SaltMerge of their own between read all buckets, as do lookups. All
// others are of tables with equally many buckets: that what belongs together lies in one
// bucket is the planner's to know.
type SaltGather struct {
	Input  Node
	Serial bool
}

func (n *SaltGather) Inputs() []Node    { return []Node{n.Input} }
func (n *SaltGather) Columns() []Column { return n.Input.Columns() }
func (n *SaltGather) EachExpr(*Exprs)   {}

// Scan gives the input where it is a scan, else nil.
func (n *SaltGather) Scan() *Scan { return asScan(n.Input) }

func asScan(n Node) *Scan {
	s, _ := n.(*Scan)
	return s
}

// BucketScans appends the salted scans that n reads by bucket, if it is run so.
func BucketScans(dst []*Scan, n Node) []*Scan {
	switch n := n.(type) {
	case *SaltGather, *SaltMerge:
		return dst
	case *Scan:
		if n.Table.Buckets() > 0 {
			dst = append(dst, n)
		}
		return dst
	}
	for _, in := range n.Inputs() {
		dst = BucketScans(dst, in)
	}
	return dst
}
