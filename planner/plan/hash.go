package plan

import (
	"fmt"
	"hash"
	"hash/fnv"
)

// Hash tells plans apart by their operators, whatever values they have: 16 hexadecimal digits
// of FNV-1a.
func (p *Plan) Hash() string {
	h := fnv.New64a()
	hashNode(h, p.Root)
	return fmt.Sprintf("%016x", h.Sum64())
}

func hashNode(h hash.Hash, n Node) {
	fmt.Fprintf(h, "%T(", n)
	for _, in := range n.Inputs() {
		hashNode(h, in)
	}
	fmt.Fprint(h, ")")
}
