package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// pruneColumns lets scans read only the columns that something above them uses,
// in the order the projection above gives them. A scan of which only key
// columns remain, or none for count(*), reads no cells.
//
// Not below a node that writes: it must know the whole row.
func pruneColumns(_ *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Project:
	case *plan.Aggregate:
		if n.Phase == plan.Final {
			return sameAsPartial(n)
		}
	default:
		return nil
	}
	out, _ := new(pruner).input(n, nil)
	return out
}

// sameAsPartial gives a final aggregate the expressions of its pruned partial one.
func sameAsPartial(n *plan.Aggregate) plan.Node {
	p, ok := n.Input.(*plan.Aggregate)
	if !ok || slices.EqualFunc(p.Groups, n.Groups, func(a, b expr.Expr) bool { return a == b }) && len(n.Aggs) == 0 {
		return nil
	}
	c := *n
	c.Groups, c.Aggs = p.Groups, p.Aggs
	return &c
}

// places says where columns lie, by where they lay.
type places map[int]int

func (at places) of(e expr.Expr) expr.Expr { return expr.MoveCols(e, at) }

// asTheyAre are the places of columns that lie where they lay.
func asTheyAre(need []int) places {
	at := make(places, len(need))
	for _, c := range need {
		at[c] = c
	}
	return at
}

// pruner is the work below one node.
type pruner struct {
	exprs plan.Exprs
	in    [1]plan.Node
}

// prune gives n with no more than the columns need, as far as it can, and where
// each of them now lies; nil if it stays as it is.
func (p *pruner) prune(n plan.Node, need []int) (plan.Node, places) {
	in, at := p.more(n, need)
	if ofSet(n) {
		return dropSets(n, in, at, need)
	}
	return in, at
}

// more is prune for the input of a projection, which drops by itself what it does not use.
func (p *pruner) more(n plan.Node, need []int) (plan.Node, places) {
	if s, ok := walk.ScanUnder(n); ok {
		if s.WithKey || s.WithVersion {
			return nil, nil
		}
		return p.read(n, s.Cols, need, func(n plan.Node, cols []int) plan.Node {
			s, _ := walk.ScanUnder(n)
			c := *s
			c.Cols = cols
			return walk.WithScan(n, &c)
		})
	}
	switch n := n.(type) {
	case *plan.VirtualScan:
		return p.read(n, n.Cols, need, func(n plan.Node, cols []int) plan.Node {
			c := *n.(*plan.VirtualScan)
			c.Cols = cols
			return &c
		})
	case *plan.SaltGather, *plan.Filter, *plan.Limit, *plan.Sort, *plan.TopN, *plan.DistinctOn, *plan.Window, *plan.ProjectSet:
		return p.input(n, need)
	case *plan.Project:
		return p.project(n, need)
	case *plan.With:
		body, at := p.prune(n.Body, need)
		if body == nil {
			return nil, nil
		}
		return walk.WithInputs(n, []plan.Node{n.Query, body}), at
	case *plan.Append:
		return p.append(n, need)
	case *plan.LookupJoin:
		if in := withoutLookup(n, need); in != nil {
			return p.pruned(in, need)
		}
	}
	if j := plan.AsJoin(n); j != nil {
		return p.join(n, j, need)
	}
	return nil, nil
}

// read has a relation give those of its columns cols that are needed above it, or by itself.
func (p *pruner) read(n plan.Node, cols, need []int, with func(plan.Node, []int) plan.Node) (plan.Node, places) {
	need = p.usedBy(n, need)
	if len(need) == len(cols) && slices.IsSorted(need) {
		return nil, nil
	}
	at, read := places{}, make([]int, len(need))
	for i, old := range need {
		at[old], read[i] = i, cols[old]
	}
	return with(walk.Mapped(&p.exprs, n, at.of), read), at
}

// input is prune for nodes of one input, whose columns those that pass it on begin with.
func (p *pruner) input(n plan.Node, need []int) (plan.Node, places) {
	input := n.Inputs()[0]
	width := plan.Width(input)
	below := []int{}
	for _, c := range need {
		if c < width {
			below = append(below, c)
		}
	}
	below = p.usedBy(n, below)
	in, at := p.more(input, below)
	if _, drops := n.(*plan.Project); !drops && ofSet(input) {
		in, at = dropSets(input, in, at, below)
	}
	if in == nil {
		return nil, nil
	}
	p.in[0] = in
	itself := func(n plan.Node) plan.Node { return n } // it is a copy already
	out, now := plan.MapExprs(&p.exprs, walk.WithInputs(n, p.in[:]), itself, at.of), plan.Width(in)
	switch c := out.(type) {
	case *plan.Window:
		c.Cols = slices.Concat(in.Columns(), c.Cols[width:])
	case *plan.ProjectSet:
		c.Cols = slices.Concat(in.Columns(), c.Cols[width:])
	}
	for _, c := range need {
		if c >= width {
			at[c] = c - width + now
		}
	}
	return out, at
}

// project drops what nobody reads, unless computing it does something.
func (p *pruner) project(n *plan.Project, need []int) (plan.Node, places) {
	need = slices.Clip(need)
	for i, e := range n.Exprs {
		if expr.Volatile(e) && !slices.Contains(need, i) {
			need = append(need, i)
		}
	}
	if len(need) == len(n.Exprs) {
		return nil, nil
	}
	out, at := picked(n.Input, n.Exprs, n.Cols, need), places{}
	for i, old := range need {
		at[old] = i
	}
	if m, _ := p.input(out, nil); m != nil {
		return m, at
	}
	return out, at
}

// picked is a projection of those of the expressions that need lists.
func picked(in plan.Node, exprs []expr.Expr, cols []plan.Column, need []int) *plan.Project {
	p := &plan.Project{Input: in}
	for _, i := range need {
		p.Exprs, p.Cols = append(p.Exprs, exprs[i]), append(p.Cols, cols[i])
	}
	return p
}

// refs are references to the columns of a node.
func refs(cols []plan.Column) []expr.Expr {
	out := make([]expr.Expr, len(cols))
	for i, c := range cols {
		out[i] = &expr.Col{Index: i, T: c.Type, Name: c.Name}
	}
	return out
}

// pruned is prune for whoever goes on where nothing is pruned.
func (p *pruner) pruned(n plan.Node, need []int) (plan.Node, places) {
	if out, at := p.prune(n, need); out != nil {
		return out, at
	}
	return n, asTheyAre(need)
}

// usedBy adds to need the columns that a node's own expressions name, in the order of their first use.
func (p *pruner) usedBy(n plan.Node, need []int) []int {
	need = slices.Clip(need)
	if s, ok := walk.ScanUnder(n); ok {
		n = s
	}
	for _, e := range p.exprs.Of(n) {
		need = addCols(need, e)
	}
	return need
}

func addCols(need []int, e expr.Expr) []int {
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok && !slices.Contains(need, c.Index) {
			need = append(need, c.Index)
		}
		return true
	})
	return need
}
