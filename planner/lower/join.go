package lower

import (
	"slices"

	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
)

// join lowers both sides and joins them as package physical says.
func (l *lowering) join(n *logical.Join) *rel {
	choice := l.choices[n]
	left := l.node(n.Left)
	switch {
	case n.Apply:
		return l.apply(n, left)
	case choice.Method == physical.Lookup:
		return l.lookup(n, left, &choice)
	}
	right := l.node(n.Right)
	m := l.match(n, left, right, choice.Method != physical.Loop)
	out := &rel{cols: joined(n, left, right.cols)}
	mark := l.markName(n)
	switch {
	case choice.Method == physical.Merge && len(m.Keys) == len(choice.Desc):
		out.node = &plan.MergeJoin{Join: plan.Join{Kind: n.Kind, Left: left.node, Right: right.node, Match: m, MarkName: mark}, Desc: choice.Desc}
	case len(m.Keys) > 0:
		out.node = &plan.HashJoin{Join: plan.Join{Kind: n.Kind, Left: left.node, Right: right.node, Match: m, MarkName: mark}, BuildLeft: choice.BuildLeft}
	default:
		out.node = &plan.NestedLoop{Join: plan.Join{Kind: n.Kind, Left: left.node, Right: right.node, Match: m, MarkName: mark}}
	}
	return out
}

// joined lists the columns of a join.
func joined(n *logical.Join, left *rel, right []logical.ColumnID) []logical.ColumnID {
	switch {
	case n.Kind.GivesRight():
		return slices.Concat(left.cols, right)
	case n.Marks():
		return append(slices.Clip(left.cols), n.Mark)
	}
	return left.cols
}

func (l *lowering) markName(n *logical.Join) string {
	if !n.Marks() {
		return ""
	}
	return l.meta.Column(n.Mark).Name
}

// lookup reads the right side, a table perhaps under conditions, by key for each left row.
func (l *lowering) lookup(n *logical.Join, left *rel, choice *physical.Choice) *rel {
	get, conds, ok := physical.Table(n.Right)
	if !ok {
		panic(invalid("a lookup join of something other than a table"))
	}
	if choice.Index != nil {
		return l.lookupByIndex(n, left, get, conds, choice)
	}
	s := l.scan(get)
	right := &rel{node: s, cols: get.Out()}
	s.Filter = l.expr(right, logical.AndAll(conds))
	j := &plan.LookupJoin{Kind: n.Kind, Left: left.node, Right: s}
	j.Values = l.exprs(left, choice.Values)
	j.Filter = l.overBoth(&pair{left: left, right: right}, choice.Rest)
	return &rel{node: j, cols: joined(n, left, right.cols)}
}
