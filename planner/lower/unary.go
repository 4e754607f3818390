package lower

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// unary lowers the operators of one input.
func (l *lowering) unary(n logical.Node) *rel {
	below := input(n)
	if below == nil {
		panic(invalid("operator %T", n))
	}
	in := l.node(below)
	switch n := n.(type) {
	case *logical.Select:
		in.node = &plan.Filter{Input: in.node, Cond: l.expr(in, n.Cond)}
	case *logical.Project:
		return l.project(n, in)
	case *logical.ProjectSet:
		return l.projectSet(n, in)
	case *logical.GroupBy:
		return l.groupBy(n, in)
	case *logical.Window:
		return l.window(n, in)
	case *logical.DistinctOn:
		// Sorted, rows with equal values lie side by side.
		keys, on := l.sortKeys(in, n.Keys), l.exprs(in, n.Exprs)
		if len(keys) > 0 {
			in.node = &plan.Sort{Input: in.node, Keys: keys}
		}
		in.node = &plan.DistinctOn{Input: in.node, Exprs: on}
	case *logical.Sort:
		in.node = &plan.Sort{Input: in.node, Keys: l.sortKeys(in, n.Keys)}
	case *logical.Limit:
		in.node = &plan.Limit{Input: in.node, Count: l.expr(nil, n.Count), Offset: l.expr(nil, n.Offset), Ties: l.sortKeys(in, n.Ties)}
	}
	return in
}

// input gives the input of an operator that has one; nil of another.
func input(n logical.Node) logical.Node {
	switch n := n.(type) {
	case *logical.Select:
		return n.Input
	case *logical.Project:
		return n.Input
	case *logical.ProjectSet:
		return n.Input
	case *logical.GroupBy:
		return n.Input
	case *logical.Window:
		return n.Input
	case *logical.DistinctOn:
		return n.Input
	case *logical.Sort:
		return n.Input
	case *logical.Limit:
		return n.Input
	}
	return nil
}

// project computes; a plain column keeps the identity of the stored column it comes from.
func (l *lowering) project(n *logical.Project, in *rel) *rel {
	exprs := l.exprs(in, n.Exprs)
	p := &plan.Project{Input: in.node, Exprs: exprs, Cols: make([]plan.Column, len(exprs))}
	below := given{node: in.node}
	for i, e := range exprs {
		p.Cols[i] = plan.Column{Name: l.meta.Column(n.Cols[i]).Name, Type: e.Type()}
		if c, ok := e.(*expr.Col); ok {
			of := below.column(c.Index)
			p.Cols[i].Table, p.Cols[i].ColumnID = of.Table, of.ColumnID
		}
	}
	return &rel{node: p, cols: n.Cols}
}

// given is the columns that a node gives. Those of a scan are described one by one, as they
// are asked for.
type given struct {
	node plan.Node
	cols []plan.Column
}

func (g *given) column(i int) plan.Column {
	for g.cols == nil {
		switch n := g.node.(type) {
		case *plan.Scan:
			if i < len(n.Cols) {
				return n.Column(i)
			}
			g.cols = n.Columns()
		case *plan.Filter:
			g.node = n.Input
		case *plan.Sort:
			g.node = n.Input
		case *plan.Limit:
			g.node = n.Input
		case *plan.SaltGather:
			g.node = n.Input
		default:
			g.cols = n.Columns()
		}
	}
	return g.cols[i]
}

func (l *lowering) projectSet(n *logical.ProjectSet, in *rel) *rel {
	p := &plan.ProjectSet{Input: in.node, Sets: slices.Clone(n.Sets), Cols: slices.Concat(in.node.Columns(), l.columns(n.Cols))}
	for i := range p.Sets {
		p.Sets[i].Args = l.exprs(in, p.Sets[i].Args)
	}
	return &rel{node: p, cols: slices.Concat(in.cols, n.Cols)}
}

func (l *lowering) groupBy(n *logical.GroupBy, in *rel) *rel {
	groups := l.exprs(in, n.Groups)
	a := &plan.Aggregate{Input: in.node, Groups: groups, Sets: n.Sets, Groupings: n.Groupings,
		Aggs: make([]plan.AggCall, 0, len(n.Aggs)), Cols: make([]plan.Column, 0, len(groups)+len(n.Aggs)+len(n.GroupingCols))}
	below := given{node: in.node}
	for i, g := range groups {
		col := plan.Column{Name: l.meta.Column(n.GroupCols[i]).Name, Type: g.Type()}
		if c, ok := g.(*expr.Col); ok {
			col = below.column(c.Index)
		}
		a.Cols = append(a.Cols, col)
	}
	for i := range n.Aggs {
		call := n.Aggs[i]
		call.Args = l.exprs(in, call.Args)
		call.Filter = l.expr(in, call.Filter)
		call.OrderBy = l.sortKeys(in, call.OrderBy)
		a.Aggs = append(a.Aggs, call)
		a.Cols = append(a.Cols, l.meta.PlanColumn(n.AggCols[i]))
	}
	for _, id := range n.GroupingCols {
		a.Cols = append(a.Cols, l.meta.PlanColumn(id))
	}
	return &rel{node: a, cols: n.Out()}
}

func (l *lowering) window(n *logical.Window, in *rel) *rel {
	w := &plan.Window{Input: in.node, Calls: slices.Clone(n.Calls), Cols: slices.Concat(in.node.Columns(), l.columns(n.Cols))}
	w.Partition = l.exprs(in, n.Partition)
	w.Order = l.sortKeys(in, n.Order)
	for i := range w.Calls {
		c := &w.Calls[i]
		c.Args = l.exprs(in, c.Args)
		for _, e := range []*expr.Expr{&c.Filter, &c.Frame.Start.Offset, &c.Frame.Start.Shift, &c.Frame.End.Offset, &c.Frame.End.Shift} {
			*e = l.expr(in, *e)
		}
	}
	return &rel{node: w, cols: slices.Concat(in.cols, n.Cols)}
}
