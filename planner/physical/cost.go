package physical

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Costs, in the time it takes to read a row of a scan.
const (
	costBuild  = 1.5 // a row kept in a hash table
	costProbe  = 1.0 // a row looked up there
	costPair   = 0.2 // two rows compared
	costOutput = 0.3 // a row given
	costGet    = 0.5 // a row read by its full key among others, of a seek
	costOpen   = 5.0 // a plan opened anew
)

const (
	roundsGuessed = 10      // of a recursive query
	mostKept      = 1 << 20 // rows that are taken to fit into memory, for runs to come
)

// sub is the way to a relation that is not a join of the group.
func (c *chooser) sub(n logical.Node) *sub {
	return &sub{leaf: n, candidate: candidate{rows: c.estimate(n)}, way: way{cost: c.cost(n)}, out: c.facts.Of(n).Out, fixed: c.runs > 1 && c.sameEachRun(n)}
}

// cost guesses what a tree costs that is not chosen for here.
func (c *chooser) cost(n logical.Node) float64 {
	if known, ok := c.costs[n]; ok {
		return known
	}
	c.costs[n] = c.guessCost(n)
	return c.costs[n]
}

func (c *chooser) guessCost(n logical.Node) float64 {
	if get, conds, ok := Table(n); ok {
		p := c.o.Access.Scan(get, conds)
		return p.Read + p.Spans*c.o.Access.SeekRows()
	}
	total := c.estimate(n)
	for _, in := range n.Inputs() {
		total += c.cost(in)
	}
	return total
}

// way is a way to join two subs. It is compared by what it costs before anything is kept of it.
type way struct {
	left, right *sub
	cost        float64
	choice      *Choice
	byValue     bool // Apply: the right side is read anew for each left row
}

// bestJoin is best, kept.
func (c *chooser) bestJoin(left, right *sub, cand candidate) *sub {
	w := c.best(left, right, &cand)
	return &sub{way: w, candidate: cand, out: left.out.Union(right.out)}
}

// best is the cheapest way to join two subs.
func (c *chooser) best(left, right *sub, cand *candidate) way {
	best := c.byDefault(left, right, cand)
	if !c.o.on(ruleJoinMethod) {
		return best
	}
	if c.o.MergeJoins && best.choice.Method != Loop {
		return best
	}
	c.readEach(&best, left, right, cand)
	if cand.kind == plan.Inner {
		c.readEach(&best, right, left, cand)
	}
	return best
}

// What byDefault chooses.
var (
	byPairs      = Choice{Method: Loop}
	byHash       = Choice{Method: Hash}
	byHashOfLeft = Choice{Method: Hash, BuildLeft: true}
)

// byDefault hashes where there is an equality, the smaller side kept, else compares pairs.
func (c *chooser) byDefault(left, right *sub, cand *candidate) way {
	equal := slices.ContainsFunc(cand.on, func(e expr.Expr) bool { return c.crosses(e, left, right) }) ||
		cand.cond != nil && slices.ContainsFunc(logical.Conjuncts(cand.cond), func(e expr.Expr) bool { return c.crosses(e, left, right) })
	other := c.keepsLeft(left, right)
	w := way{left: left, right: right, choice: &byPairs}
	if !equal {
		w.cost = left.rows * max(right.rows, 1) * costPair
		if cand.kind == plan.Inner && other {
			w.left, w.right = right, left // the smaller side is the one kept
		}
		w.cost += w.left.cost + c.eachRun(w.right, w.right.cost) + cand.rows*costOutput
		return w
	}
	w.choice = &byHash
	if other {
		if cand.kind == plan.Inner {
			w.left, w.right = right, left
			left, right = right, left
		} else if buildsLeft(cand.kind) {
			w.choice = &byHashOfLeft
			left, right = right, left
		}
	}
	w.cost = left.cost + left.rows*costProbe + c.eachRun(right, right.cost+right.rows*costBuild) + cand.rows*costOutput
	return w
}

// keepsLeft says that of two sides the left is the one to be kept: the smaller, or the one that
// is kept for all runs.
func (c *chooser) keepsLeft(left, right *sub) bool {
	if !left.fixed && !right.fixed {
		return left.rows < right.rows
	}
	keep := func(kept, read *sub) float64 {
		return c.eachRun(kept, kept.cost+kept.rows*costBuild) + read.cost + read.rows*costProbe
	}
	return keep(left, right) < keep(right, left)
}

// eachRun is the part of a cost that each run has of what is kept for all of them.
func (c *chooser) eachRun(s *sub, cost float64) float64 {
	if s.fixed && s.rows <= mostKept {
		return cost / c.runs
	}
	return cost
}

// buildsLeft says that a hash join of a kind may keep its left side.
func buildsLeft(k plan.JoinKind) bool {
	switch k {
	case plan.Left, plan.Full, plan.Semi, plan.Anti:
		return true
	}
	return false
}

// crosses says that a condition is an equality of something of each side.
func (c *chooser) crosses(e expr.Expr, left, right *sub) bool {
	k := c.condition(e)
	return k.equality && (ofOne(k.x, left, right) && ofOne(k.y, right, left) || ofOne(k.x, right, left) && ofOne(k.y, left, right))
}

// ofOne says that of cols some are one sub's and none the other's.
func ofOne(cols logical.ColSet, one, other *sub) bool {
	return cols.Intersects(one.out) && !cols.Intersects(other.out)
}

// condition is what every pair asks of one: the columns it names, and of an equality those that
// each of its sides names.
type condition struct {
	cols, x, y logical.ColSet
	equality   bool
}

func (c *chooser) condition(e expr.Expr) *condition {
	k, ok := c.conds[e]
	if !ok {
		k = &condition{cols: c.facts.ColsOf(e)}
		var x, y expr.Expr
		if x, y, _, k.equality = logical.Equality(e); k.equality {
			k.x, k.y = c.facts.ColsOf(x), c.facts.ColsOf(y)
		}
		c.conds[e] = k
	}
	return k
}

// build makes the tree of a sub and notes how its joins are done.
func (c *chooser) build(s *sub) logical.Node {
	if s.leaf != nil {
		return s.leaf
	}
	j := &logical.Join{Kind: s.kind, Left: c.build(s.left), Right: c.build(s.right), On: logical.AndAll(s.on), Cond: s.cond, Mark: s.mark}
	if s.byValue {
		j.Right = &logical.Select{Input: j.Right, Cond: j.On}
		j.On, j.Apply = nil, true
		c.o.fired(ruleJoinMethod)
	} else {
		switch {
		case s.choice.Method == Lookup:
			c.o.fired(ruleJoinMethod)
		case s.choice.Method == Hash && c.o.MergeJoins && s.cond == nil:
			c.sortSides(j, s)
		}
		c.choices[j] = *s.choice
	}
	if len(s.filter) > 0 {
		return &logical.Select{Input: j, Cond: logical.AndAll(s.filter)}
	}
	return j
}

// sortSides has a join merge its sides, sorted by what it equates.
func (c *chooser) sortSides(j *logical.Join, s *sub) {
	var left, right []plan.SortKey
	for _, e := range s.on {
		if !c.crosses(e, s.left, s.right) {
			continue
		}
		x, y, _, _ := logical.Equality(e)
		if c.facts.ColsOf(x).Intersects(s.right.out) {
			x, y = y, x
		}
		left, right = append(left, plan.SortKey{Expr: x}), append(right, plan.SortKey{Expr: y})
	}
	j.Left, j.Right = &logical.Sort{Input: j.Left, Keys: left}, &logical.Sort{Input: j.Right, Keys: right}
	s.choice = &Choice{Method: Merge, Desc: make([]bool, len(left))}
}
