package physical

import (
	"math/bits"
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// sub is a way to join some of a group's relations.
type sub struct {
	set     set
	applied []uint64 // the group's joins that are done, by their index
	leaf    logical.Node
	fixed   bool // a leaf that gives the same rows in each of several runs
	out     logical.ColSet
	// Of a leaf, its rows and cost alone:
	candidate
	way
	filter []expr.Expr // over the join
}

// candidate is a join of two subs, before it is known how it is done.
type candidate struct {
	kind plan.JoinKind
	on   []expr.Expr
	cond expr.Expr
	mark logical.ColumnID
	rows float64
}

// orderer finds the cheapest order of a group.
type orderer struct {
	c     *chooser
	g     *group
	best  map[set]*sub
	pairs int
	steps int
	full  bool // the bound on the work is reached
	// What the pair that is looked at is made of, until it is kept.
	now struct {
		sub
		inners []*op
		conds  []expr.Expr
	}
	parts map[partKey]float64
}

// maxPairs and maxSteps bound the search for the best order; where they do not do, one is
// built greedily.
const (
	maxPairs = 6000
	maxSteps = 60000
)

// order gives the group's joins in the order chosen.
func (c *chooser) order(g *group, wanted *firstWanted) logical.Node {
	o := &orderer{c: c, g: g, best: map[set]*sub{}, parts: map[partKey]float64{}}
	for i, leaf := range g.leaves {
		s := c.sub(leaf)
		s.set, s.applied = 1<<i, make([]uint64, (len(g.ops)+63)/64)
		o.best[s.set] = s
	}
	all := set(1)<<len(g.leaves) - 1
	o.enumerate()
	found := o.best[all]
	if o.full || found == nil || !o.complete(found) {
		found = o.greedy()
	}
	if first := o.firstRows(wanted); first != nil && (found == nil || !o.complete(found) || wanted.cost(first) < found.cost+wanted.sorting(found.rows)) {
		found = first
		c.o.fired(ruleFirstRows)
	}
	c.pairs += o.pairs
	if found == nil || !o.complete(found) {
		return c.writtenGroup(g)
	}
	c.o.fired(ruleJoinOrder)
	return c.build(found)
}

// complete says that every join of the group is done.
func (o *orderer) complete(s *sub) bool {
	for _, x := range o.g.ops {
		if !x.cross && s.applied[x.index/64]&(1<<(x.index%64)) == 0 {
			return false
		}
	}
	return true
}

// writtenGroup keeps the order as written; the leaves have been chosen for.
func (c *chooser) writtenGroup(g *group) logical.Node {
	at := 0
	var walk func(n logical.Node) *sub
	walk = func(n logical.Node) *sub {
		j, ok := passedOn(n).(*logical.Join)
		if !ok || !reorders(j) {
			at++
			return c.sub(g.leaves[at-1])
		}
		left, right := walk(j.Left), walk(j.Right)
		return c.bestJoin(left, right, candidate{kind: j.Kind, on: logical.Conjuncts(j.On), cond: j.Cond, rows: c.estimate(j)})
	}
	return c.build(walk(g.root))
}

// enumerate looks at every pair of connected sets of relations that an edge connects, each
// once: DPhyp, by Moerkotte and Neumann, "Dynamic Programming Strikes Back" (2008).
func (o *orderer) enumerate() {
	n := len(o.g.leaves)
	for v := n - 1; v >= 0 && !o.full; v-- {
		s := set(1) << v
		o.emitSet(s)
		o.growSet(s, s|(s-1))
	}
}

// sides are the two ends of a join as an edge.
func (x *op) sides() (set, set) { return x.tes & x.left, x.tes & x.right }

// neighbors gives, for each edge that leaves s and does not end in without, one relation
// of its other end.
func (o *orderer) neighbors(s, without set) set {
	var out set
	for _, x := range o.g.ops {
		l, r := x.sides()
		if s.has(l) && !r.meets(s|without) {
			out |= r & -r
		}
		if s.has(r) && !l.meets(s|without) {
			out |= l & -l
		}
	}
	return out
}

func (o *orderer) growSet(s, without set) {
	n := o.neighbors(s, without)
	for part := n & -n; part != 0 && !o.full; part = (part - n) & n {
		if o.step(); o.best[s|part] != nil {
			o.emitSet(s | part)
		}
	}
	for part := n & -n; part != 0 && !o.full; part = (part - n) & n {
		o.step()
		o.growSet(s|part, without|n)
	}
}

// emitSet pairs s, which is connected, with the sets that come after it.
func (o *orderer) emitSet(s set) {
	low := s & -s
	without := s | (low - 1)
	n := o.neighbors(s, without)
	for rest := n; rest != 0 && !o.full; {
		v := set(1) << (63 - bits.LeadingZeros64(uint64(rest)))
		rest &^= v
		if o.connected(s, v) {
			o.pair(s, v)
		}
		o.growOther(s, v, without|(n&(v-1)))
	}
}

func (o *orderer) growOther(s, other, without set) {
	n := o.neighbors(other, without|s)
	for part := n & -n; part != 0 && !o.full; part = (part - n) & n {
		if o.step(); o.best[other|part] != nil && o.connected(s, other|part) {
			o.pair(s, other|part)
		}
	}
	for part := n & -n; part != 0 && !o.full; part = (part - n) & n {
		o.step()
		o.growOther(s, other|part, without|n)
	}
}

func (o *orderer) step() {
	if o.steps++; o.steps > maxSteps {
		o.full = true
	}
}

func (o *orderer) connected(a, b set) bool {
	for _, x := range o.g.ops {
		l, r := x.sides()
		if a.has(l) && b.has(r) || a.has(r) && b.has(l) {
			return true
		}
	}
	return false
}

// pair keeps the join of two sets if it is the cheapest way to their union.
func (o *orderer) pair(a, b set) {
	if o.pairs++; o.pairs > maxPairs {
		o.full = true
		return
	}
	s := o.join(o.best[a], o.best[b], false)
	if s == nil {
		return
	}
	if have := o.best[s.set]; have == nil || s.cost < have.cost {
		o.best[s.set] = o.keep()
	}
}

// join joins two subs by the joins that become possible, in the cheapest way; nil where there
// is none, or, with cross, where even a cross product is not allowed. What it gives is as long
// as the next is not looked at, unless it is kept.
func (o *orderer) join(a, b *sub, cross bool) *sub {
	return o.joinBy(a, b, cross, o.c.best)
}

// keep keeps what join gave.
func (o *orderer) keep() *sub {
	s := o.now.sub
	s.on, s.filter, s.applied = slices.Clone(s.on), slices.Clone(s.filter), slices.Clone(s.applied)
	s.out = s.left.out.Union(s.right.out)
	return &s
}

// joinBy is join in the way that by gives for the left side, the right side and what joins them,
// one without a choice for none.
func (o *orderer) joinBy(a, b *sub, cross bool, by func(left, right *sub, cand *candidate) way) *sub {
	if a == nil || b == nil {
		return nil
	}
	both := a.set | b.set
	s := &o.now.sub
	*s = sub{set: both, applied: append(s.applied[:0], a.applied...), candidate: candidate{kind: plan.Inner}}
	for i, done := range b.applied {
		s.applied[i] |= done
	}
	var main *op // other than inner
	connects := false
	inners := o.now.inners[:0]
	for _, x := range o.g.ops {
		if s.applied[x.index/64]&(1<<(x.index%64)) != 0 || !x.allowed(both) {
			continue
		}
		l, r := x.sides()
		if x.kind == plan.Inner {
			s.applied[x.index/64] |= 1 << (x.index % 64)
			inners = append(inners, x)
			connects = connects || a.set.has(l) && b.set.has(r) || a.set.has(r) && b.set.has(l)
			continue
		}
		switch {
		case a.set.has(l) && b.set.has(r):
		case a.set.has(r) && b.set.has(l):
			a, b = b, a
		default:
			return nil // what it joins has come together without it
		}
		if main != nil {
			return nil
		}
		main = x
		s.applied[x.index/64] |= 1 << (x.index % 64)
	}
	o.now.inners = inners
	if main == nil && !connects && !cross {
		return nil
	}
	conds := o.now.conds[:0]
	for _, x := range oneOfClass(inners) {
		conds = append(conds, x.on...)
	}
	o.now.conds = conds
	s.on = conds
	if main != nil {
		s.kind, s.on, s.cond, s.filter = main.kind, main.on, main.cond, conds
	}
	s.rows = rowsOf(s.kind, a.rows, b.rows, a.rows*b.rows*o.partOfPairs(a.set, b.set, s.on, s.cond))
	if s.way = by(a, b, &s.candidate); s.choice == nil {
		return nil
	}
	for range s.filter {
		s.rows = max(s.rows*partOther, 0.1)
	}
	return s
}

// greedy joins, again and again, the two subs whose join gives the fewest rows, and where
// nothing connects them the two smallest.
func (o *orderer) greedy() *sub {
	subs := make([]*sub, len(o.g.leaves))
	for i := range subs {
		subs[i] = o.best[set(1)<<i]
	}
	// What joining two subs gives is remembered while both are there.
	type key struct{ a, b *sub }
	known := map[key]*sub{}
	for len(subs) > 1 {
		var best *sub
		var bi, bj int
		for _, cross := range []bool{false, true} {
			if cross && !o.g.plain {
				break
			}
			for i := range subs {
				for j := i + 1; j < len(subs); j++ {
					var s *sub
					if cross {
						o.pairs++
						if s = o.join(subs[i], subs[j], true); s != nil {
							s = o.keep()
						}
					} else {
						var ok bool
						if s, ok = known[key{subs[i], subs[j]}]; !ok {
							if o.connected(subs[i].set, subs[j].set) {
								o.pairs++
								if s = o.join(subs[i], subs[j], false); s != nil {
									s = o.keep()
								}
							}
							known[key{subs[i], subs[j]}] = s
						}
					}
					if s != nil && (best == nil || s.rows < best.rows || s.rows == best.rows && s.cost < best.cost) {
						best, bi, bj = s, i, j
					}
				}
			}
			if best != nil {
				break
			}
		}
		if best == nil {
			return nil
		}
		subs[bi] = best
		subs = append(subs[:bj], subs[bj+1:]...)
	}
	return subs[0]
}
