package lower

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// unary lowers the operators of one input.
func (l *lowering) unary(n logical.Node) (*rel, error) {
	below := input(n)
	if below == nil {
		return nil, invalid("operator %T", n)
	}
	in, err := l.node(below)
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *logical.Select:
		cond, err := l.expr(in, n.Cond)
		if err != nil {
			return nil, err
		}
		in.node = &plan.Filter{Input: in.node, Cond: cond}
		return in, nil
	case *logical.Project:
		return l.project(n, in)
	case *logical.ProjectSet:
		return l.projectSet(n, in)
	case *logical.GroupBy:
		return l.groupBy(n, in)
	case *logical.Window:
		return l.window(n, in)
	case *logical.DistinctOn:
		return l.distinctOn(n, in)
	case *logical.Sort:
		keys, err := l.sortKeys(in, n.Keys)
		if err != nil {
			return nil, err
		}
		in.node = &plan.Sort{Input: in.node, Keys: keys}
		return in, nil
	case *logical.Limit:
		return l.limit(n, in)
	}
	return nil, invalid("operator %T", n)
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
func (l *lowering) project(n *logical.Project, in *rel) (*rel, error) {
	exprs, err := l.exprs(in, n.Exprs)
	if err != nil {
		return nil, err
	}
	p := &plan.Project{Input: in.node, Exprs: exprs, Cols: make([]plan.Column, len(exprs))}
	below := given{node: in.node}
	for i, e := range exprs {
		p.Cols[i] = plan.Column{Name: l.meta.Column(n.Cols[i]).Name, Type: e.Type()}
		if c, ok := e.(*expr.Col); ok {
			of := below.column(c.Index)
			p.Cols[i].Table, p.Cols[i].ColumnID = of.Table, of.ColumnID
		}
	}
	return &rel{node: p, cols: n.Cols}, nil
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

func (l *lowering) projectSet(n *logical.ProjectSet, in *rel) (*rel, error) {
	p := &plan.ProjectSet{Input: in.node, Sets: slices.Clone(n.Sets), Cols: slices.Concat(in.node.Columns(), l.columns(n.Cols))}
	for i := range p.Sets {
		var err error
		if p.Sets[i].Args, err = l.exprs(in, p.Sets[i].Args); err != nil {
			return nil, err
		}
	}
	return &rel{node: p, cols: slices.Concat(in.cols, n.Cols)}, nil
}

func (l *lowering) groupBy(n *logical.GroupBy, in *rel) (*rel, error) {
	groups, err := l.exprs(in, n.Groups)
	if err != nil {
		return nil, err
	}
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
		if call.Args, err = l.exprs(in, call.Args); err != nil {
			return nil, err
		}
		if call.Filter, err = l.expr(in, call.Filter); err != nil {
			return nil, err
		}
		if call.OrderBy, err = l.sortKeys(in, call.OrderBy); err != nil {
			return nil, err
		}
		a.Aggs = append(a.Aggs, call)
		a.Cols = append(a.Cols, l.meta.PlanColumn(n.AggCols[i]))
	}
	for _, id := range n.GroupingCols {
		a.Cols = append(a.Cols, l.meta.PlanColumn(id))
	}
	return &rel{node: a, cols: n.Out()}, nil
}

func (l *lowering) window(n *logical.Window, in *rel) (*rel, error) {
	w := &plan.Window{Input: in.node, Calls: slices.Clone(n.Calls), Cols: slices.Concat(in.node.Columns(), l.columns(n.Cols))}
	var err error
	if w.Partition, err = l.exprs(in, n.Partition); err != nil {
		return nil, err
	}
	if w.Order, err = l.sortKeys(in, n.Order); err != nil {
		return nil, err
	}
	for i := range w.Calls {
		c := &w.Calls[i]
		if c.Args, err = l.exprs(in, c.Args); err != nil {
			return nil, err
		}
		for _, e := range []*expr.Expr{&c.Filter, &c.Frame.Start.Offset, &c.Frame.Start.Shift, &c.Frame.End.Offset, &c.Frame.End.Shift} {
			if *e, err = l.expr(in, *e); err != nil {
				return nil, err
			}
		}
	}
	return &rel{node: w, cols: slices.Concat(in.cols, n.Cols)}, nil
}

// distinctOn sorts so that rows with equal values lie side by side.
func (l *lowering) distinctOn(n *logical.DistinctOn, in *rel) (*rel, error) {
	keys, err := l.sortKeys(in, n.Keys)
	if err != nil {
		return nil, err
	}
	on, err := l.exprs(in, n.Exprs)
	if err != nil {
		return nil, err
	}
	node := in.node
	if len(keys) > 0 {
		node = &plan.Sort{Input: node, Keys: keys}
	}
	in.node = &plan.DistinctOn{Input: node, Exprs: on}
	return in, nil
}

func (l *lowering) limit(n *logical.Limit, in *rel) (*rel, error) {
	out := &plan.Limit{Input: in.node}
	var err error
	if out.Count, err = l.expr(nil, n.Count); err != nil {
		return nil, err
	}
	if out.Offset, err = l.expr(nil, n.Offset); err != nil {
		return nil, err
	}
	if out.Ties, err = l.sortKeys(in, n.Ties); err != nil {
		return nil, err
	}
	in.node = out
	return in, nil
}
