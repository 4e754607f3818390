package logical

import (
	"slices"

	"github.com/saltsql/saltsql/planner/plan"
)

// Inputs, Out, EachExpr and copied of each operator.

func (n *Get) Inputs() []Node            { return nil }
func (n *Virtual) Inputs() []Node        { return nil }
func (n *Values) Inputs() []Node         { return nil }
func (n *FuncScan) Inputs() []Node       { return nil }
func (n *External) Inputs() []Node       { return nil }
func (n *Select) Inputs() []Node         { return []Node{n.Input} }
func (n *Project) Inputs() []Node        { return []Node{n.Input} }
func (n *ProjectSet) Inputs() []Node     { return []Node{n.Input} }
func (n *Join) Inputs() []Node           { return []Node{n.Left, n.Right} }
func (n *GroupBy) Inputs() []Node        { return []Node{n.Input} }
func (n *Window) Inputs() []Node         { return []Node{n.Input} }
func (n *Union) Inputs() []Node          { return n.Parts }
func (n *SetOp) Inputs() []Node          { return []Node{n.Left, n.Right} }
func (n *DistinctOn) Inputs() []Node     { return []Node{n.Input} }
func (n *Sort) Inputs() []Node           { return []Node{n.Input} }
func (n *Limit) Inputs() []Node          { return []Node{n.Input} }
func (n *With) Inputs() []Node           { return []Node{n.Query, n.Body} }
func (n *WithRef) Inputs() []Node        { return nil }
func (n *RecursiveUnion) Inputs() []Node { return []Node{n.Start, n.Step} }
func (n *Lock) Inputs() []Node           { return []Node{n.Input} }
func (n *Write) Inputs() []Node          { return []Node{n.Input} }

func (n *Get) Out() []ColumnID {
	if n.WithKey {
		return append(slices.Clip(n.Cols), n.Key, n.Version)
	}
	return n.Cols
}

func (n *Join) Out() []ColumnID {
	if o := n.out; o == nil || o.left != n.Left || o.right != n.Right || o.kind != n.Kind || o.mark != n.Mark {
		n.out = n.columns()
	}
	return n.out.cols
}

// joinOut are the columns of a join, kept for as long as it is what they were computed
// for: a copy of the join may have other sides.
type joinOut struct {
	cols        []ColumnID
	left, right Node
	kind        plan.JoinKind
	mark        ColumnID
	extended    bool // the array of cols goes on with those of a join above
}

// columns computes Out. A long chain of joins shares one array: the first join over
// another adds its columns behind those, where they lie.
func (n *Join) columns() *joinOut {
	o := &joinOut{left: n.Left, right: n.Right, kind: n.Kind, mark: n.Mark}
	left := n.Left.Out()
	var more []ColumnID
	switch {
	case n.Kind.GivesRight():
		more = n.Right.Out()
	case n.Marks():
		more = []ColumnID{n.Mark}
	}
	below, ok := n.Left.(*Join)
	if ok && !below.out.extended && len(more) > 0 {
		below.out.extended = true
		o.cols = append(left, more...)
		return o
	}
	o.cols = append(slices.Clip(left), more...)
	o.extended = len(more) == 0 // the array is the left side's
	return o
}

// Out shares one array along a chain of windows, as that of a chain of joins.
func (n *Window) Out() []ColumnID {
	if o := n.out; o != nil && o.input == n.Input && slices.Equal(o.cols[o.below:], n.Cols) {
		return o.cols
	}
	o := &windowOut{input: n.Input}
	in := n.Input.Out()
	if below, ok := n.Input.(*Window); !ok || below.out.extended {
		in = slices.Clip(in)
	} else {
		below.out.extended = true
	}
	o.cols, o.below = append(in, n.Cols...), len(in)
	n.out = o
	return o.cols
}

// windowOut are the columns of a window, kept as joinOut.
type windowOut struct {
	cols     []ColumnID
	below    int // of them are the input's
	input    Node
	extended bool
}

func (n *GroupBy) Out() []ColumnID { return slices.Concat(n.GroupCols, n.AggCols, n.GroupingCols) }
func (n *ProjectSet) Out() []ColumnID {
	return append(slices.Clip(n.Input.Out()), n.Cols...)
}
func (n *Virtual) Out() []ColumnID        { return n.Cols }
func (n *Values) Out() []ColumnID         { return n.Cols }
func (n *FuncScan) Out() []ColumnID       { return n.Cols }
func (n *External) Out() []ColumnID       { return n.Cols }
func (n *Select) Out() []ColumnID         { return n.Input.Out() }
func (n *Project) Out() []ColumnID        { return n.Cols }
func (n *Union) Out() []ColumnID          { return n.Cols }
func (n *SetOp) Out() []ColumnID          { return n.Cols }
func (n *DistinctOn) Out() []ColumnID     { return n.Input.Out() }
func (n *Sort) Out() []ColumnID           { return n.Input.Out() }
func (n *Limit) Out() []ColumnID          { return n.Input.Out() }
func (n *With) Out() []ColumnID           { return n.Body.Out() }
func (n *WithRef) Out() []ColumnID        { return n.Cols }
func (n *RecursiveUnion) Out() []ColumnID { return n.Cols }
func (n *Lock) Out() []ColumnID           { return n.Cols }
func (n *Write) Out() []ColumnID          { return n.Cols }

func (n *Get) EachExpr(x *plan.Exprs)          { x.Sampled(&n.Sample) }
func (n *Virtual) EachExpr(*plan.Exprs)        {}
func (n *Values) EachExpr(x *plan.Exprs)       { x.Rows(&n.Rows) }
func (n *FuncScan) EachExpr(x *plan.Exprs)     { x.List(&n.Args) }
func (n *External) EachExpr(*plan.Exprs)       {}
func (n *Select) EachExpr(x *plan.Exprs)       { x.One(&n.Cond) }
func (n *Project) EachExpr(x *plan.Exprs)      { x.List(&n.Exprs) }
func (n *ProjectSet) EachExpr(x *plan.Exprs)   { x.Calls(&n.Sets) }
func (n *Union) EachExpr(*plan.Exprs)          {}
func (n *SetOp) EachExpr(*plan.Exprs)          {}
func (n *Sort) EachExpr(x *plan.Exprs)         { x.Keys(&n.Keys) }
func (n *With) EachExpr(*plan.Exprs)           {}
func (n *WithRef) EachExpr(*plan.Exprs)        {}
func (n *RecursiveUnion) EachExpr(*plan.Exprs) {}
func (n *Lock) EachExpr(*plan.Exprs)           {}
func (n *Write) EachExpr(*plan.Exprs)          {}

func (n *Join) EachExpr(x *plan.Exprs) {
	x.One(&n.On)
	x.One(&n.Cond)
}

func (n *GroupBy) EachExpr(x *plan.Exprs) {
	x.List(&n.Groups)
	x.Aggs(&n.Aggs)
}

func (n *Window) EachExpr(x *plan.Exprs) {
	x.List(&n.Partition)
	x.Keys(&n.Order)
	x.Windows(&n.Calls)
}

func (n *DistinctOn) EachExpr(x *plan.Exprs) {
	x.List(&n.Exprs)
	x.Keys(&n.Keys)
}

func (n *Limit) EachExpr(x *plan.Exprs) {
	x.One(&n.Count)
	x.One(&n.Offset)
	x.Keys(&n.Ties)
}

func (n *Get) copied() Node            { c := *n; return &c }
func (n *Virtual) copied() Node        { c := *n; return &c }
func (n *Values) copied() Node         { c := *n; return &c }
func (n *FuncScan) copied() Node       { c := *n; return &c }
func (n *External) copied() Node       { c := *n; return &c }
func (n *Select) copied() Node         { c := *n; return &c }
func (n *Project) copied() Node        { c := *n; return &c }
func (n *ProjectSet) copied() Node     { c := *n; return &c }
func (n *Join) copied() Node           { c := *n; return &c }
func (n *GroupBy) copied() Node        { c := *n; return &c }
func (n *Window) copied() Node         { c := *n; return &c }
func (n *Union) copied() Node          { c := *n; return &c }
func (n *SetOp) copied() Node          { c := *n; return &c }
func (n *DistinctOn) copied() Node     { c := *n; return &c }
func (n *Sort) copied() Node           { c := *n; return &c }
func (n *Limit) copied() Node          { c := *n; return &c }
func (n *With) copied() Node           { c := *n; return &c }
func (n *WithRef) copied() Node        { c := *n; return &c }
func (n *RecursiveUnion) copied() Node { c := *n; return &c }
func (n *Lock) copied() Node           { c := *n; return &c }
func (n *Write) copied() Node          { c := *n; return &c }
