package physical

import (
	"math/bits"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
)

// partKey is what the part of the pairs of two relations that conditions let through follows
// from. Many pairs of sets ask for the same.
type partKey struct {
	l, r set
	on   [3]expr.Expr
}

// partOfPairs is the part of the pairs of two sets that conditions let through: those
// between two relations are told by what is known of the two.
func (o *orderer) partOfPairs(a, b set, on []expr.Expr, cond expr.Expr) float64 {
	if cond != nil {
		on = append(on[:len(on):len(on)], logical.Conjuncts(cond)...)
	}
	part := 1.0
	for i, e := range on {
		l, r := o.between(a, b, e)
		if l == 0 {
			part *= partOf(e)
			continue
		}
		var few [4]expr.Expr
		same := few[:0]
		for k, other := range on {
			if ol, or := o.between(a, b, other); ol == l && or == r {
				if k < i {
					break // counted with that one
				}
				same = append(same, other)
			}
		}
		if len(same) > 0 {
			part *= o.partBetween(l, r, same)
		}
	}
	return part
}

// between gives the two relations, one of each set, that a condition is about; none where it is
// about others.
func (o *orderer) between(a, b set, e expr.Expr) (l, r set) {
	uses := o.g.usesOf(o.c, e)
	l, r = uses&a, uses&b
	if bits.OnesCount64(uint64(l)) != 1 || bits.OnesCount64(uint64(r)) != 1 {
		return 0, 0
	}
	return l, r
}

// usesOf are the relations whose columns a condition names.
func (g *group) usesOf(c *chooser, e expr.Expr) set {
	uses, ok := g.uses[e]
	if !ok {
		cols := c.condition(e).cols
		for i, out := range g.outs {
			if cols.Intersects(out) {
				uses |= 1 << i
			}
		}
		g.uses[e] = uses
	}
	return uses
}

// partBetween is selectivity, remembered.
func (o *orderer) partBetween(l, r set, conds []expr.Expr) float64 {
	k := partKey{l: l, r: r}
	short := copy(k.on[:], conds) == len(conds)
	if short {
		if part, ok := o.parts[k]; ok {
			return part
		}
	}
	part := o.c.selectivity(o.g.leaves[bits.TrailingZeros64(uint64(l))], o.g.leaves[bits.TrailingZeros64(uint64(r))], conds)
	if short {
		o.parts[k] = part
	}
	return part
}
