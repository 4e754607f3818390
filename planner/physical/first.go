package physical

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// firstWanted says that no more than the first rows of a tree are asked for, in an order or in
// any. nil asks for all.
//
//	SELECT * FROM o JOIN c ON c.id = o.cid ORDER BY o.id LIMIT 10
//
// A hash of c, and all rows of o sorted, give the first row last. Rows of o in the order of
// its key, each with that of c by key, are read until there are ten.
type firstWanted struct {
	rows float64
	keys []plan.SortKey
}

const (
	firstParam   = 100  // rows, where LIMIT is a parameter
	firstBatch   = 64   // rows of the left side that are read at least
	firstPairs   = 2000 // pairs of relations that are looked at
	costSorted   = 0.15 // a row sorted, and
	costCompared = 0.05 // as often as it is compared
)

// below is what a node asks of its input, of which the first rows of its own are wanted.
func (w *firstWanted) below(n logical.Node) *firstWanted {
	switch n := n.(type) {
	case *logical.Limit:
		rows := 0.0
		for _, e := range []expr.Expr{n.Count, n.Offset} {
			if e == nil {
				continue
			}
			k, ok := constRows(e)
			if !ok {
				k = firstParam
			}
			rows += k
		}
		if n.Count == nil || rows <= 0 || w != nil && w.rows < rows {
			return nil
		}
		return &firstWanted{rows: rows}
	case *logical.Sort:
		if w == nil || w.keys != nil {
			return nil
		}
		return &firstWanted{rows: w.rows, keys: n.Keys}
	case *logical.Select:
		if w == nil {
			return nil
		}
		part := 1.0
		for _, c := range logical.Conjuncts(n.Cond) {
			part *= partOf(c)
		}
		return &firstWanted{rows: w.rows / max(part, 0.001), keys: w.keys}
	case *logical.Project:
		return w.through(n)
	}
	return nil
}

// constRows is the number of rows that LIMIT or OFFSET names; ok is false where it is computed.
func constRows(e expr.Expr) (rows float64, ok bool) {
	k, ok := logical.CastFree(e).(*expr.Const)
	if !ok || k.T.Phys() != types.PhysInt {
		return 0, false
	}
	if k.Value.Null {
		return math.Inf(1), true // all
	}
	return float64(max(k.Value.Int, 0)), true
}

// through is w over what a projection is of.
func (w *firstWanted) through(p *logical.Project) *firstWanted {
	if w == nil {
		return nil
	}
	out := &firstWanted{rows: w.rows}
	for _, k := range w.keys {
		c, ok := k.Expr.(*expr.Col)
		if !ok {
			return nil
		}
		for i, id := range p.Cols {
			if id == c.Index {
				k.Expr = p.Exprs[i]
			}
		}
		out.keys = append(out.keys, k)
	}
	return out
}

// cost is what the first rows of s cost, which gives them as it goes.
func (w *firstWanted) cost(s *sub) float64 {
	part := max(w.rows/max(s.rows, 1), firstBatch/max(s.driving().rows, 1))
	return s.cost * min(part, 1)
}

// sorting is what it costs to sort so many rows, where an order is wanted.
func (w *firstWanted) sorting(rows float64) float64 {
	if w == nil || w.keys == nil {
		return 0
	}
	return rows * (costSorted + costCompared*math.Log2(2+w.rows))
}

// driving is the relation whose rows come one by one, with what is joined to them.
func (s *sub) driving() *sub {
	for s.leaf == nil {
		s = s.left
	}
	return s
}

// firstRows is the cheapest way to the first rows that reads one relation, in the order wanted,
// and looks all others up; nil where there is none.
func (o *orderer) firstRows(w *firstWanted) (best *sub) {
	if w == nil || !o.c.o.on(ruleFirstRows) {
		return nil
	}
	most := o.pairs + firstPairs
	for i, leaf := range o.g.leaves {
		if o.pairs >= most {
			break
		}
		get, own, ok := Table(leaf)
		if !ok || len(w.keys) > 0 && !o.c.o.Access.Ordered(get, own, w.keys) {
			continue
		}
		s := o.best[set(1)<<i]
		for left := len(o.g.leaves) - 1; s != nil && left > 0; left-- {
			s = o.lookUpNext(s)
		}
		if s != nil && o.complete(s) && (best == nil || w.cost(s) < w.cost(best)) {
			best = s
		}
	}
	return best
}

// lookUpNext joins one more relation by its key: the one that leaves the fewest rows.
func (o *orderer) lookUpNext(s *sub) (next *sub) {
	for i := range o.g.leaves {
		r := set(1) << i
		if s.set.meets(r) || !o.connected(s.set, r) {
			continue
		}
		o.pairs++
		j := o.joinBy(s, o.best[r], false, func(left, right *sub, cand *candidate) (w way) {
			if left == s {
				o.c.readEach(&w, left, right, cand)
			}
			return w
		})
		if j != nil && (next == nil || j.rows < next.rows || j.rows == next.rows && j.cost < next.cost) {
			next = o.keep()
		}
	}
	return next
}
