package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// pruneProjected is prune for the input of a projection, which drops by itself what it does not use.
func pruneProjected(n plan.Node, need []int) (plan.Node, map[int]int) {
	if ofSet(n) {
		return pruneMore(n, need)
	}
	return prune(n, need)
}

// pruneSource is pruneMore, and drops the arrays, texts and documents of which a set-returning
// function has made rows, where nobody needs them above: whoever keeps the rows would keep what
// they are all made of with each, by the square of their number.
func pruneSource(n plan.Node, need []int) (plan.Node, map[int]int) {
	in, at := pruneMore(n, need)
	if !ofSet(n) {
		return in, at
	}
	if in == nil {
		in, at = n, make(map[int]int, len(need))
		for _, c := range need {
			at[c] = c
		}
	}
	cols := in.Columns()
	used := make([]bool, len(cols))
	for _, c := range need {
		used[at[c]] = true
	}
	wide := false
	for i, c := range cols {
		wide = wide || !used[i] && c.Type.Len() < 0
	}
	if !wide {
		if in == n {
			return nil, nil
		}
		return in, at
	}
	p, moved := &plan.Project{Input: in}, make(map[int]int, len(need))
	for i, c := range need {
		col := cols[at[c]]
		p.Exprs = append(p.Exprs, &expr.Col{Index: at[c], T: col.Type, Name: col.Name})
		p.Cols = append(p.Cols, col)
		moved[c] = i
	}
	return p, moved
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
