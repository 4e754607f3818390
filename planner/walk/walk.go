package walk

import (
	"slices"

	"github.com/saltsql/saltsql/planner/plan"
)

// Rewrite replaces every node, inputs first, with what fn makes of it. A scan
// under a merge or a gather is their part and is not visited by itself.
func Rewrite(n plan.Node, fn func(plan.Node) plan.Node) plan.Node {
	if _, ok := ScanUnder(n); ok {
		return fn(n)
	}
	if in := onlyInput(n); in != nil {
		if m := Rewrite(in, fn); m != in {
			n = WithInputs(n, []plan.Node{m})
		}
		return fn(n)
	}
	return fn(RewriteInputs(n, func(in plan.Node) plan.Node { return Rewrite(in, fn) }))
}

// RewriteInputs replaces the inputs of a node with what fn makes of them.
func RewriteInputs(n plan.Node, fn func(plan.Node) plan.Node) plan.Node {
	ins := n.Inputs()
	var out []plan.Node // made where one changes
	for i, in := range ins {
		m := fn(in)
		if m != in && out == nil {
			out = slices.Clone(ins) // a node may give its own list
		}
		if out != nil {
			out[i] = m
		}
	}
	if out != nil {
		return WithInputs(n, out)
	}
	return n
}

// onlyInput gives the input of the nodes that most plans are made of, without the list that
// Inputs makes; nil of others.
func onlyInput(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Project:
		return n.Input
	case *plan.Filter:
		return n.Input
	case *plan.Limit:
		return n.Input
	case *plan.Sort:
		return n.Input
	case *plan.TopN:
		return n.Input
	case *plan.Aggregate:
		return n.Input
	case *plan.Insert:
		return n.Input
	case *plan.Upsert:
		return n.Input
	case *plan.Update:
		return n.Input
	case *plan.Delete:
		return n.Input
	}
	return nil
}

// WithInputs copies a node with other inputs.
func WithInputs(n plan.Node, ins []plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.SaltGather:
		return with(n, func(c *plan.SaltGather) { c.Input = ins[0] })
	case *plan.SaltMerge:
		return with(n, func(c *plan.SaltMerge) { c.Input = ins[0] })
	case *plan.Filter:
		return with(n, func(c *plan.Filter) { c.Input = ins[0] })
	case *plan.Project:
		return with(n, func(c *plan.Project) { c.Input = ins[0] })
	case *plan.Limit:
		return with(n, func(c *plan.Limit) { c.Input = ins[0] })
	case *plan.RowByRow:
		return with(n, func(c *plan.RowByRow) { c.Input = ins[0] })
	case *plan.Sort:
		return with(n, func(c *plan.Sort) { c.Input = ins[0] })
	case *plan.TopN:
		return with(n, func(c *plan.TopN) { c.Input = ins[0] })
	case *plan.Aggregate:
		return with(n, func(c *plan.Aggregate) { c.Input = ins[0] })
	case *plan.DistinctOn:
		return with(n, func(c *plan.DistinctOn) { c.Input = ins[0] })
	case *plan.Append:
		return with(n, func(c *plan.Append) { c.Parts = slices.Clone(ins) })
	case *plan.ProjectSet:
		return with(n, func(c *plan.ProjectSet) { c.Input = ins[0] })
	case *plan.Window:
		return with(n, func(c *plan.Window) { c.Input = ins[0] })
	case *plan.SetOp:
		return with(n, func(c *plan.SetOp) { c.Left, c.Right = ins[0], ins[1] })
	case *plan.With:
		return with(n, func(c *plan.With) { c.Query, c.Body = ins[0], ins[1] })
	case *plan.RecursiveUnion:
		return with(n, func(c *plan.RecursiveUnion) { c.Start, c.Step = ins[0], ins[1] })
	case *plan.HashJoin:
		return with(n, func(c *plan.HashJoin) { c.Left, c.Right = ins[0], ins[1] })
	case *plan.MergeJoin:
		return with(n, func(c *plan.MergeJoin) { c.Left, c.Right = ins[0], ins[1] })
	case *plan.NestedLoop:
		return with(n, func(c *plan.NestedLoop) { c.Left, c.Right = ins[0], ins[1] })
	case *plan.Apply:
		return with(n, func(c *plan.Apply) { c.Left, c.Right = ins[0], ins[1] })
	case *plan.LookupJoin:
		return with(n, func(c *plan.LookupJoin) { c.Left = ins[0] })
	case *plan.Lock:
		return with(n, func(c *plan.Lock) { c.Input = ins[0] })
	case *plan.Insert:
		return with(n, func(c *plan.Insert) { c.Input = ins[0] })
	case *plan.Upsert:
		return with(n, func(c *plan.Upsert) { c.Input = ins[0] })
	case *plan.Update:
		return with(n, func(c *plan.Update) { c.Input = ins[0] })
	case *plan.Delete:
		return with(n, func(c *plan.Delete) { c.Input = ins[0] })
	}
	return n
}

// with copies a node and sets its inputs.
func with[N any, P interface {
	*N
	plan.Node
}](n P, set func(P)) plan.Node {
	c := *n
	set(&c)
	return P(&c)
}

// ScanUnder gives the scan that n is or that it gathers or merges.
func ScanUnder(n plan.Node) (*plan.Scan, bool) {
	switch n := n.(type) {
	case *plan.Scan:
		return n, true
	case *plan.SaltGather:
		s := n.Scan()
		return s, s != nil
	case *plan.SaltMerge:
		s := n.Scan()
		return s, s != nil
	}
	return nil, false
}

// WithScan puts s in the place of the scan of n.
func WithScan(n plan.Node, s *plan.Scan) plan.Node {
	switch n := n.(type) {
	case *plan.SaltGather:
		return &plan.SaltGather{Input: s, Serial: n.Serial}
	case *plan.SaltMerge:
		return &plan.SaltMerge{Input: s}
	}
	return s
}
