package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// withoutLookup gives what an index has of rows of which nothing else is asked for; nil
// where something is.
func withoutLookup(n *plan.LookupJoin, need []int) plan.Node {
	width := plan.Width(n.Left)
	if n.Index == "" || expires(n.Right.Table) || n.Filter != nil || n.Right.Filter != nil || n.Right.WithKey || slices.ContainsFunc(need, func(c int) bool { return c >= width }) {
		return nil
	}
	j, ok := n.Left.(*plan.LookupJoin)
	if !ok {
		return nil // package planner's own are made of what is asked for
	}
	c, right := *j, *j.Right
	right.Covered = true
	c.Right = &right
	return &c
}

// join prunes both sides of a join. What is neither a key nor over both sides is over the left.
func (p *pruner) join(n plan.Node, j *plan.Join, need []int) (plan.Node, places) {
	width := plan.Width(j.Left)
	var left, right []int
	both := func(c int) {
		if side := &left; c < width {
			*side = appendNew(*side, c)
		} else {
			right = appendNew(right, c-width)
		}
	}
	for _, c := range need {
		if c < width || j.Kind.GivesRight() { // else it is the column of a Mark
			both(c)
		}
	}
	for _, e := range []expr.Expr{j.Filter, j.Cond} {
		if e != nil {
			for _, c := range addCols(nil, e) {
				both(c)
			}
		}
	}
	for _, e := range ofLeft(n) {
		left = addCols(left, e)
	}
	for _, key := range j.Keys {
		left, right = addCols(left, key.Left), addCols(right, key.Right)
	}
	l, atLeft := p.pruned(j.Left, left)
	r, atRight := p.pruned(j.Right, right)
	if l == j.Left && r == j.Right {
		return nil, nil
	}
	at, now := make(places, len(need)), plan.Width(l)
	for _, c := range left {
		at[c] = atLeft[c]
	}
	for _, c := range right {
		at[width+c] = now + atRight[c]
	}
	m := plan.Match{Filter: at.of(j.Filter), Cond: at.of(j.Cond), Keys: slices.Clone(j.Keys)}
	for i := range m.Keys {
		m.Keys[i].Left, m.Keys[i].Right = atLeft.of(m.Keys[i].Left), atRight.of(m.Keys[i].Right)
	}
	if slices.Contains(need, width) && j.Kind == plan.Mark {
		at[width] = now
	}
	if lookup, ok := n.(*plan.LookupJoin); ok {
		c := *lookup
		c.Left, c.Right, c.Filter, c.Same, c.Values = l, r.(*plan.Scan), m.Filter, m.Keys, slices.Clone(c.Values)
		for i, e := range c.Values {
			c.Values[i] = atLeft.of(e)
		}
		return &c, at
	}
	out := walk.WithInputs(n, []plan.Node{l, r})
	plan.AsJoin(out).Match = m
	if a, ok := out.(*plan.Apply); ok {
		a.Params = slices.Clone(a.Params)
		for i := range a.Params {
			a.Params[i].Value = atLeft.of(a.Params[i].Value)
		}
	}
	return out, at
}

// ofLeft lists the expressions of a join over its left side, beside its keys.
func ofLeft(n plan.Node) []expr.Expr {
	switch n := n.(type) {
	case *plan.LookupJoin:
		return n.Values
	case *plan.Apply:
		list := make([]expr.Expr, len(n.Params))
		for i := range n.Params {
			list[i] = n.Params[i].Value
		}
		return list
	}
	return nil
}

func appendNew(list []int, c int) []int {
	if slices.Contains(list, c) {
		return list
	}
	return append(list, c)
}

// append gives every part the columns needed, in one order.
func (p *pruner) append(n *plan.Append, need []int) (plan.Node, places) {
	if len(need) >= len(n.Cols) {
		return nil, nil
	}
	out := &plan.Append{Cols: make([]plan.Column, len(need))}
	at := make(places, len(need))
	for i, c := range need {
		out.Cols[i], at[c] = n.Cols[c], i
	}
	for _, part := range n.Parts {
		in, below := p.pruned(part, need)
		cols := in.Columns()
		order := make([]int, len(need))
		for i, c := range need {
			order[i] = below[c]
		}
		if len(cols) != len(need) || !slices.IsSorted(order) {
			in = picked(in, refs(cols), cols, order)
		}
		out.Parts = append(out.Parts, in)
	}
	return out, at
}

// dropSets drops the arrays, texts and documents of which a set-returning function has made rows,
// where nobody needs them above: whoever keeps the rows would keep what they are all made of with
// each, by the square of their number. in is n pruned; nil is n.
func dropSets(n, in plan.Node, at places, need []int) (plan.Node, places) {
	out := in
	if in == nil {
		in, at = n, asTheyAre(need)
	}
	cols := in.Columns()
	used := make([]bool, len(cols))
	order, moved := make([]int, len(need)), make(places, len(need))
	for i, c := range need {
		used[at[c]], order[i], moved[c] = true, at[c], i
	}
	for i, c := range cols {
		if !used[i] && c.Type.Len() < 0 {
			return picked(in, refs(cols), cols, order), moved
		}
	}
	if out == nil {
		return nil, nil
	}
	return out, at
}

// ofSet says that a node makes rows by set-returning functions of its input's: a Project Set, or an
// Apply that has one to its right.
func ofSet(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.ProjectSet:
		return true
	case *plan.Apply:
		return n.Kind.GivesRight() && hasSet(n.Right)
	}
	return false
}

func hasSet(n plan.Node) bool {
	switch n.(type) {
	case *plan.ProjectSet, *plan.TableFunc:
		return true
	}
	return slices.ContainsFunc(n.Inputs(), hasSet)
}
