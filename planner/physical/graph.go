package physical

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// set is a set of a group's relations.
type set uint64

func (s set) has(o set) bool   { return s&o == o }
func (s set) meets(o set) bool { return s&o != 0 }

// maxGroup is how many relations are ordered together.
const maxGroup = 60

// group is joins that may change places, and what they join.
type group struct {
	root   *logical.Join
	leaves []logical.Node
	outs   []logical.ColSet
	ops    []*op
	plain  bool // inner joins alone
	uses   map[expr.Expr]set
}

// op is one join, or of an inner join one conjunct of its condition. Which rows it needs
// on its sides before it may be done is told as by Moerkotte, Fender and Eich, "On the
// Correct and Complete Enumeration of the Core Search Space" (2013), CD-C.
type op struct {
	index int
	kind  plan.JoinKind
	on    []expr.Expr
	cond  expr.Expr
	// left and right are the relations below the join as written; tes those that must be
	// there when it is done.
	left, right, tes set
	rules            []conflict
	cross            bool // an inner join without a condition
	uses             set  // the relations that its condition names
	nullFree         set  // those of which a NULL makes it not true
	class            int  // of its columns (equate), from 1; 0: none
}

// conflict: where one of from is there, all of to must be.
type conflict struct{ from, to set }

// collect finds the group of a join; nil if it is too large.
func (c *chooser) collect(j *logical.Join) *group {
	if c.countLeaves(j, 0) > maxGroup {
		return nil
	}
	g := &group{root: j, plain: true, uses: map[expr.Expr]set{}}
	c.add(g, j)
	if g.plain {
		c.equate(g)
	}
	for _, o := range g.ops {
		g.resolve(o)
	}
	return g
}

// countLeaves counts up to a little over maxGroup.
func (c *chooser) countLeaves(n logical.Node, have int) int {
	if have > maxGroup {
		return have
	}
	n = passedOn(n)
	if j, ok := n.(*logical.Join); ok && reorders(j) {
		return c.countLeaves(j.Right, c.countLeaves(j.Left, have))
	}
	return have + 1
}

// passedOn looks through projections that pass columns on under their names.
func passedOn(n logical.Node) logical.Node {
	for {
		p, ok := n.(*logical.Project)
		if !ok {
			return n
		}
		for i, e := range p.Exprs {
			if c, ok := e.(*expr.Col); !ok || c.Index != p.Cols[i] {
				return n
			}
		}
		n = p.Input
	}
}

// add adds what is below n and gives its relations.
func (c *chooser) add(g *group, n logical.Node) set {
	below := passedOn(n)
	j, ok := below.(*logical.Join)
	if !ok || !reorders(j) {
		leaf := c.node(n)
		g.leaves = append(g.leaves, leaf)
		g.outs = append(g.outs, c.facts.Of(leaf).Out)
		return 1 << (len(g.leaves) - 1)
	}
	left := c.add(g, j.Left)
	right := c.add(g, j.Right)
	if j.Kind != plan.Inner {
		g.plain = false
		o := &op{kind: j.Kind, on: logical.Conjuncts(j.On), cond: j.Cond, left: left, right: right}
		if o.kind == plan.Semi {
			o.on, o.cond = append(o.on, logical.Conjuncts(j.Cond)...), nil
		}
		c.addOp(g, o)
		return left | right
	}
	conds := logical.Conjuncts(j.On)
	for _, cond := range conds {
		c.addOp(g, &op{kind: plan.Inner, on: []expr.Expr{cond}, left: left, right: right})
	}
	if len(conds) == 0 {
		c.addOp(g, &op{kind: plan.Inner, left: left, right: right, cross: true})
	}
	return left | right
}

// addOp says which relations a join's condition names.
func (c *chooser) addOp(g *group, o *op) {
	o.index = len(g.ops)
	var named, rejected logical.ColSet
	for _, e := range append(o.on[:len(o.on):len(o.on)], o.cond) {
		if e != nil {
			c.facts.ExprCols(&named, e)
			rejected.AddAll(logical.NullRejected(e))
		}
	}
	for i, out := range g.outs {
		if (o.left | o.right).has(1 << i) {
			if named.Intersects(out) {
				o.uses |= 1 << i
			}
			if rejected.Intersects(out) {
				o.nullFree |= 1 << i
			}
		}
	}
	g.ops = append(g.ops, o)
}

// resolve computes what a join needs: the joins below it must have been written first.
func (g *group) resolve(o *op) {
	o.tes = o.uses
	// A condition that does not name both sides holds its join together as it is written.
	if !o.uses.meets(o.left) {
		o.tes |= o.left
	}
	if !o.uses.meets(o.right) {
		o.tes |= o.right
	}
	if g.plain {
		return
	}
	for _, a := range g.ops {
		if a == o {
			continue
		}
		switch {
		case o.left.has(a.left | a.right):
			if !assoc(a, o) {
				o.rules = append(o.rules, conflict{a.right, a.left})
			}
			if !leftAsscom(a, o) {
				o.rules = append(o.rules, conflict{a.left, a.right})
			}
		case o.right.has(a.left | a.right):
			if !assoc(o, a) {
				o.rules = append(o.rules, conflict{a.left, a.right})
			}
			if !rightAsscom(o, a) {
				o.rules = append(o.rules, conflict{a.right, a.left})
			}
		}
	}
	// A rule that always strikes is part of what is needed.
	for again := true; again; {
		again = false
		for _, r := range o.rules {
			if o.tes.meets(r.from) && !o.tes.has(r.to) {
				o.tes |= r.to
				again = true
			}
		}
	}
}

// assoc: (e1 a e2) b e3 is e1 a (e2 b e3).
func assoc(a, b *op) bool {
	switch a.kind {
	case plan.Inner:
		return b.kind != plan.Full
	case plan.Left:
		return b.kind == plan.Left && b.nullFree.meets(a.right)
	}
	return false
}

// leftAsscom: (e1 a e2) b e3 is (e1 b e3) a e2.
func leftAsscom(a, b *op) bool { return a.kind != plan.Full && b.kind != plan.Full }

// rightAsscom: e1 a (e2 b e3) is e2 b (e1 a e3).
func rightAsscom(a, b *op) bool { return a.kind == plan.Inner && b.kind == plan.Inner }

// allowed says that a join may be done where the relations s come together.
func (o *op) allowed(s set) bool {
	if !s.has(o.tes) {
		return false
	}
	for _, r := range o.rules {
		if s.meets(r.from) && !s.has(r.to) {
			return false
		}
	}
	return true
}
