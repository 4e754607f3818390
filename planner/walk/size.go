package walk

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// What parts of a plan take, in bytes, about.
const (
	nodeBytes   = 600
	columnBytes = 100
	exprBytes   = 120
	termBytes   = 120 // of a key condition, beside its expressions
)

// Size is about how many bytes a plan takes, beside the catalog's descriptors.
func Size(n plan.Node) int64 {
	size := nodeBytes + columnBytes*int64(plan.Width(n))
	one := func(e expr.Expr) { size += exprBytes * int64(expr.Size(e)) }
	VisitExprs(n, one)
	if s, ok := n.(*plan.Scan); ok {
		conjs := s.Said
		if s.Key != nil {
			conjs = append(conjs[:len(conjs):len(conjs)], s.Key.Or...)
			size += int64(len(s.Key.Span))
		}
		for i := range conjs {
			for j := range conjs[i].Terms {
				size += termBytes
				for _, e := range conjs[i].Terms[j].Args {
					one(e)
				}
			}
		}
	}
	for _, in := range n.Inputs() {
		size += Size(in)
	}
	return size
}
