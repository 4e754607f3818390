package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// pruneMore is prune for nodes of two inputs, and for those that add columns to their
// input's.
func pruneMore(n plan.Node, need []int) (plan.Node, map[int]int) {
	switch n := n.(type) {
	case *plan.HashJoin:
		j, at := pruneJoin(n.Kind, n.Left, n.Right, n.Match, nil, need)
		if j == nil {
			return nil, nil
		}
		c := *n
		c.Left, c.Right, c.Match = j.left, j.right, j.match
		return &c, at
	case *plan.MergeJoin:
		j, at := pruneJoin(n.Kind, n.Left, n.Right, n.Match, nil, need)
		if j == nil {
			return nil, nil
		}
		c := *n
		c.Left, c.Right, c.Match = j.left, j.right, j.match
		return &c, at
	case *plan.NestedLoop:
		j, at := pruneJoin(n.Kind, n.Left, n.Right, n.Match, nil, need)
		if j == nil {
			return nil, nil
		}
		c := *n
		c.Left, c.Right, c.Match = j.left, j.right, j.match
		return &c, at
	case *plan.Apply:
		values := make([]expr.Expr, len(n.Params))
		for i, p := range n.Params {
			values[i] = p.Value
		}
		j, at := pruneJoin(n.Kind, n.Left, n.Right, n.Match, values, need)
		if j == nil {
			return nil, nil
		}
		c := *n
		c.Left, c.Right, c.Match, c.Params = j.left, j.right, j.match, slices.Clone(n.Params)
		for i := range c.Params {
			c.Params[i].Value = j.exprs[i]
		}
		return &c, at
	case *plan.LookupJoin:
		if in := withoutLookup(n, need); in != nil {
			return pruneInput(in, need)
		}
		j, at := pruneJoin(n.Kind, n.Left, n.Right, plan.Match{Filter: n.Filter, Keys: n.Same}, n.Values, need)
		if j == nil {
			return nil, nil
		}
		c := *n
		c.Left, c.Right, c.Filter, c.Same, c.Values = j.left, j.right.(*plan.Scan), j.match.Filter, j.match.Keys, j.exprs
		return &c, at
	case *plan.With:
		in, at := prune(n.Body, need)
		if in == nil {
			return nil, nil
		}
		c := *n
		c.Body = in
		return &c, at
	case *plan.Append:
		return pruneAppend(n, need)
	case *plan.Window:
		return pruneWindow(n, need)
	case *plan.ProjectSet:
		return pruneProjectSet(n, need)
	case *plan.VirtualScan:
		return pruneVirtual(n, need)
	}
	return nil, nil
}

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

// prunedJoin is the parts of a join after pruning.
type prunedJoin struct {
	left, right plan.Node
	match       plan.Match
	exprs       []expr.Expr // over the left side
}

// pruneJoin prunes both sides of a join; exprs are further expressions over the left.
func pruneJoin(k plan.JoinKind, left, right plan.Node, m plan.Match, exprs []expr.Expr, need []int) (*prunedJoin, map[int]int) {
	width := plan.Width(left)
	var needLeft, needRight []int
	add := func(cols []int) {
		for _, c := range cols {
			switch {
			case c < width:
				if !slices.Contains(needLeft, c) {
					needLeft = append(needLeft, c)
				}
			case !slices.Contains(needRight, c-width):
				needRight = append(needRight, c-width)
			}
		}
	}
	marked := false
	for _, c := range need {
		if c >= width && !k.GivesRight() {
			marked = true // the column of a Mark
			continue
		}
		add([]int{c})
	}
	add(colsOf([]expr.Expr{m.Filter, m.Cond}))
	needLeft = addCols(needLeft, exprs...)
	for _, key := range m.Keys {
		needLeft, needRight = addCols(needLeft, key.Left), addCols(needRight, key.Right)
	}
	l, atLeft := pruneInput(left, needLeft)
	r, atRight := pruneInput(right, needRight)
	if l == left && r == right {
		return nil, nil
	}
	newWidth := plan.Width(l)
	at := make(map[int]int, len(need))
	for _, c := range needLeft {
		at[c] = atLeft[c]
	}
	if k.GivesRight() || m.Filter != nil || m.Cond != nil {
		for _, c := range needRight {
			at[width+c] = newWidth + atRight[c]
		}
	}
	out := &prunedJoin{left: l, right: r, exprs: moveAll(exprs, atLeft)}
	out.match = plan.Match{Filter: expr.MoveCols(m.Filter, at), Cond: expr.MoveCols(m.Cond, at), Keys: slices.Clone(m.Keys)}
	for i := range out.match.Keys {
		key := &out.match.Keys[i]
		key.Left, key.Right = expr.MoveCols(key.Left, atLeft), expr.MoveCols(key.Right, atRight)
	}
	if marked {
		at[width] = newWidth
	}
	return out, at
}

// pruneInput is prune for whoever goes on where nothing is pruned.
func pruneInput(n plan.Node, need []int) (plan.Node, map[int]int) {
	if out, at := prune(n, need); out != nil {
		return out, at
	}
	at := make(map[int]int, len(need))
	for _, c := range need {
		at[c] = c
	}
	return n, at
}

// pruneAppend gives every part the columns needed, in one order.
func pruneAppend(n *plan.Append, need []int) (plan.Node, map[int]int) {
	if len(need) >= len(n.Cols) {
		return nil, nil
	}
	out := &plan.Append{Cols: make([]plan.Column, len(need))}
	at := make(map[int]int, len(need))
	for i, c := range need {
		out.Cols[i], at[c] = n.Cols[c], i
	}
	for _, part := range n.Parts {
		in, below := pruneInput(part, need)
		cols := in.Columns()
		exact := len(cols) == len(need)
		p := &plan.Project{Input: in}
		for i, c := range need {
			exact = exact && below[c] == i
			col := cols[below[c]]
			p.Exprs = append(p.Exprs, &expr.Col{Index: below[c], T: col.Type, Name: col.Name})
			p.Cols = append(p.Cols, col)
		}
		if exact {
			out.Parts = append(out.Parts, in)
		} else {
			out.Parts = append(out.Parts, p)
		}
	}
	return out, at
}

// windowExprs lists the expressions of a window.
func windowExprs(n *plan.Window) []expr.Expr {
	list := append(slices.Clip(n.Partition), keyorder.SortExprs(n.Order)...)
	for i := range n.Calls {
		c := &n.Calls[i]
		list = append(append(list, c.Args...), c.Filter, c.Frame.Start.Offset, c.Frame.Start.Shift, c.Frame.End.Offset, c.Frame.End.Shift)
	}
	return list
}

func pruneWindow(n *plan.Window, need []int) (plan.Node, map[int]int) {
	width := plan.Width(n.Input)
	var below []int
	for _, c := range need {
		if c < width {
			below = append(below, c)
		}
	}
	in, at := prune(n.Input, addCols(below, windowExprs(n)...))
	if in == nil {
		return nil, nil
	}
	c := walk.MapExprs(n, func(e expr.Expr) expr.Expr { return expr.MoveCols(e, at) })
	w := *c.(*plan.Window)
	newWidth := plan.Width(in)
	w.Input, w.Cols = in, slices.Concat(in.Columns(), n.Cols[width:])
	for i := range n.Calls {
		at[width+i] = newWidth + i
	}
	return &w, at
}

func pruneProjectSet(n *plan.ProjectSet, need []int) (plan.Node, map[int]int) {
	width := plan.Width(n.Input)
	var below []int
	for _, c := range need {
		if c < width {
			below = append(below, c)
		}
	}
	for _, s := range n.Sets {
		below = addCols(below, s.Args...)
	}
	in, at := prune(n.Input, below)
	if in == nil {
		return nil, nil
	}
	c := walk.MapExprs(n, func(e expr.Expr) expr.Expr { return expr.MoveCols(e, at) })
	p := *c.(*plan.ProjectSet)
	newWidth := plan.Width(in)
	p.Input, p.Cols = in, slices.Concat(in.Columns(), n.Cols[width:])
	for i := range n.Sets {
		at[width+i] = newWidth + i
	}
	return &p, at
}

func pruneVirtual(n *plan.VirtualScan, need []int) (plan.Node, map[int]int) {
	if n.Filter != nil {
		need = addCols(need, n.Filter)
	}
	if len(need) == len(n.Cols) && slices.IsSorted(need) {
		return nil, nil
	}
	c := *n
	c.Cols = nil
	at := map[int]int{}
	for i, old := range need {
		at[old] = i
		c.Cols = append(c.Cols, n.Cols[old])
	}
	c.Filter = expr.MoveCols(n.Filter, at)
	return &c, at
}
