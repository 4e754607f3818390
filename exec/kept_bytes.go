package exec

import (
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// planSize is what there is in a plan for operators to hold memory for.
type planSize struct{ nodes, width, scans, scanned int }

func (p *planSize) add(n plan.Node) {
	width := plan.Width(n)
	p.nodes++
	p.width += width
	switch n := n.(type) {
	case *plan.Scan:
		p.scans++
		p.scanned += width
	case *plan.LookupJoin:
		p.scans++
		p.scanned += plan.Width(n.Right)
	}
	for _, in := range n.Inputs() {
		p.add(in)
	}
}

// KeptBytes is about what the operators hold from run to run, each with its batch, after one
// that has read so many rows.
func (s *Statement) KeptBytes(rows int64) int64 {
	const (
		node   = 4 << 10 // with its expressions
		column = 256     // of a batch without rows
		value  = 8
		page   = 24 // of a value as it was read
	)
	p := &s.size
	n := p.nodes*node + p.width*(column+value*int(min(rows, vec.MaxRows)))
	if p.scans > 0 {
		n += p.scanned * page * int(min(rows/int64(p.scans)+1, 2*vec.MaxRows))
	}
	return int64(n)
}
