package physical

import (
	"math"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
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
	return &sub{leaf: n, rows: c.estimate(n), cost: c.cost(n), out: c.facts.Of(n).Out, fixed: c.runs > 1 && c.sameEachRun(n)}
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

// best is the cheapest way to join two subs.
func (c *chooser) best(left, right *sub, cand *candidate) *sub {
	best := c.byDefault(left, right, cand)
	if !c.o.on(ruleJoinMethod) {
		return best
	}
	if c.o.MergeJoins && best.choice.Method != Loop {
		return best
	}
	try := func(l, r *sub) {
		for _, s := range []*sub{c.byLookup(l, r, cand), c.byApply(l, r, cand)} {
			if s != nil && s.cost < best.cost {
				best = s
			}
		}
	}
	try(left, right)
	if cand.kind == plan.Inner {
		try(right, left)
	}
	return best
}

// byDefault hashes where there is an equality, the smaller side kept, else compares pairs.
func (c *chooser) byDefault(left, right *sub, cand *candidate) *sub {
	s := &sub{left: left, right: right, candidate: *cand, rows: cand.rows, out: left.out.Union(right.out)}
	equal := false
	for _, e := range append(cand.on[:len(cand.on):len(cand.on)], logical.Conjuncts(cand.cond)...) {
		equal = equal || c.crosses(e, left, right)
	}
	other := c.keepsLeft(left, right)
	if !equal {
		s.choice.Method = Loop
		s.cost = left.rows * max(right.rows, 1) * costPair
		if cand.kind == plan.Inner && other {
			s.left, s.right = right, left // the smaller side is the one kept
		}
		s.cost += s.left.cost + c.eachRun(s.right, s.right.cost) + cand.rows*costOutput
		return s
	}
	s.choice.Method = Hash
	if other {
		if cand.kind == plan.Inner {
			s.left, s.right = right, left
			left, right = right, left
		} else if buildsLeft(cand.kind) {
			s.choice.BuildLeft = true
			left, right = right, left
		}
	}
	s.cost = left.cost + left.rows*costProbe + c.eachRun(right, right.cost+right.rows*costBuild) + cand.rows*costOutput
	return s
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
	x, y, _, ok := logical.Equality(e)
	if !ok {
		return false
	}
	a, b := c.facts.ColsOf(x), c.facts.ColsOf(y)
	return a.Intersects(left.out) && !a.Intersects(right.out) && b.Intersects(right.out) && !b.Intersects(left.out) ||
		a.Intersects(right.out) && !a.Intersects(left.out) && b.Intersects(left.out) && !b.Intersects(right.out)
}

// looksUp says that the right side of a join of a kind may be read row by row of the left.
func looksUp(k plan.JoinKind) bool {
	switch k {
	case plan.Inner, plan.Left, plan.Semi, plan.Anti, plan.Single:
		return true
	}
	return false
}

// byLookup reads the right side, a table, by the values of the left for its key's leading
// columns; nil where they are not bound so.
func (c *chooser) byLookup(left, right *sub, cand *candidate) *sub {
	if right.leaf == nil || !looksUp(cand.kind) || cand.cond != nil || len(right.filter) > 0 {
		return nil
	}
	get, own, ok := Table(right.leaf)
	if !ok || get.Sample != nil || slices.ContainsFunc(own, logical.VolatileExpr) {
		return nil
	}
	best := c.lookupBy(left, right, cand, get, own, nil)
	if cand.kind == plan.Inner {
		// A row without a match is known by the table alone, not by the index.
		for _, ix := range c.indexesOf(right.leaf, get, own) {
			if s := c.lookupBy(left, right, cand, get, own, ix); s != nil && (best == nil || s.cost < best.cost) {
				best = s
			}
		}
	}
	return best
}

// lookupBy is byLookup by the primary key, or by an index.
func (c *chooser) lookupBy(left, right *sub, cand *candidate, get *logical.Get, own []expr.Expr, ix *catalog.Index) *sub {
	key := get.Table.PrimaryKey
	if ix != nil {
		key = nil
		for _, k := range ix.Key {
			if k.Column < 0 {
				break
			}
			key = append(key, k.Column)
		}
	}
	values, used, fromLeft := c.lookupValues(left, get, key, own, cand.on)
	if !fromLeft {
		return nil
	}
	var conds []expr.Expr
	s := &sub{left: left, right: right, candidate: *cand, rows: cand.rows, out: left.out.Union(right.out)}
	s.choice = Choice{Method: Lookup, Values: values, Index: ix}
	for i, e := range cand.on {
		if used[i] {
			conds = append(conds, e)
		} else {
			s.choice.Rest = append(s.choice.Rest, e)
		}
	}
	seek := c.o.Access.SeekRows()
	var each float64
	switch {
	case ix != nil:
		p := c.path(right.leaf, get, ix, own, conds)
		each = p.Read + p.Spans*seek
	case len(values) == len(key):
		each = seek * costGet
	default:
		p := c.path(right.leaf, get, nil, own, conds)
		each = p.Read + p.Spans*seek
	}
	s.cost = left.cost + left.rows*each + cand.rows*costOutput
	return s
}

// lookupValues finds what the leading columns of a key are equal to, positions in the
// table's columns: values of the left side, by conditions on, or ones that the table's own
// conditions give. used tells which of on are said by them.
func (c *chooser) lookupValues(left *sub, get *logical.Get, key []int, own, on []expr.Expr) (values []expr.Expr, used []bool, fromLeft bool) {
	used = make([]bool, len(on))
	for _, k := range key {
		id := get.Cols[k]
		value, at := c.boundTo(id, own, logical.ColSet{}), -1
		if value == nil {
			for i, e := range on {
				if v := c.boundTo(id, []expr.Expr{e}, left.out); v != nil {
					value, at = v, i
					break
				}
			}
		}
		if value == nil {
			break
		}
		if at >= 0 {
			used[at], fromLeft = true, true
		}
		to := get.Table.Columns[k].Type.Base()
		if value.Type().Base() != to {
			value = &expr.Cast{X: value, To: to}
		}
		values = append(values, value)
	}
	return values, used, fromLeft
}

// boundTo gives what one of conds says a column equals, over the columns of from alone, or
// nothing but what is known when the join is run.
func (c *chooser) boundTo(id logical.ColumnID, conds []expr.Expr, from logical.ColSet) expr.Expr {
	for _, e := range conds {
		x, y, nulls, ok := logical.Equality(e)
		if !ok || nulls || logical.VolatileExpr(e) {
			continue
		}
		for _, p := range [][2]expr.Expr{{x, y}, {y, x}} {
			// A text column may be compared as text: that is what its key holds.
			col, isCol := logical.CastFree(p[0]).(*expr.Col)
			if !isCol || col.Index != id || !sameKeyForm(col, p[1]) {
				continue
			}
			cols := c.facts.ColsOf(p[1])
			if from.Empty() && cols.Empty() && expr.IsConst(p[1]) || !from.Empty() && !cols.Empty() && cols.SubsetOf(from) {
				return p[1]
			}
		}
	}
	return nil
}

// sameKeyForm says that every value of e has one form as a key of col's type.
func sameKeyForm(col *expr.Col, e expr.Expr) bool {
	a, b := col.T.Base(), e.Type().Base()
	return a == b || a.IsString() && b.IsString() && !isChar(a) && !isChar(b)
}

// byApply reads the right side, a table, anew for each left row, under the join's whole
// condition: it is worth it where that leaves a narrow range of the key and there are few
// left rows. A virtual relation is read so where it finds its rows by the left's values.
func (c *chooser) byApply(left, right *sub, cand *candidate) *sub {
	if right.leaf == nil || !looksUp(cand.kind) || cand.cond != nil || len(cand.on) == 0 || len(right.filter) > 0 {
		return nil
	}
	n, own := unfiltered(right.leaf)
	if slices.ContainsFunc(append(own, cand.on...), logical.VolatileExpr) {
		return nil
	}
	s := &sub{left: left, right: right, candidate: *cand, rows: cand.rows, out: left.out.Union(right.out), byValue: true}
	if v, ok := n.(*logical.Virtual); ok {
		if !c.looksUpVirtual(v, left, cand.on) {
			return nil
		}
		s.cost = left.cost + left.rows*(rowsLookup+costOpen) + cand.rows*costOutput
		return s
	}
	get, ok := n.(*logical.Get)
	if !ok || get.Sample != nil || get.WithKey || get.ForUpdate {
		return nil
	}
	p := c.path(right.leaf, get, nil, own, cand.on)
	if !p.Narrow {
		return nil
	}
	s.cost = left.cost + left.rows*(p.Read+p.Spans*c.o.Access.SeekRows()+costOpen) + cand.rows*costOutput
	if math.IsInf(s.cost, 1) {
		return nil
	}
	return s
}

// looksUpVirtual says that one of conds gives a virtual relation, for each left row, a value
// by which it finds its rows.
func (c *chooser) looksUpVirtual(v *logical.Virtual, left *sub, conds []expr.Expr) bool {
	for _, e := range conds {
		for col, value := range logical.EqualTo(e) {
			at := slices.Index(v.Cols, col.Index)
			if at >= 0 && slices.Contains(v.Relation.Lookups, at) && c.facts.ColsOf(value).SubsetOf(left.out) {
				return true
			}
		}
	}
	return false
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
		c.choices[j] = s.choice
	}
	if len(s.filter) > 0 {
		return &logical.Select{Input: j, Cond: logical.AndAll(s.filter)}
	}
	return j
}

func isChar(t types.T) bool { return t.Kind == types.Bpchar || t.Kind == types.Name }

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
	s.choice = Choice{Method: Merge, Desc: make([]bool, len(left))}
}
