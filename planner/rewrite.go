package planner

import (
	"slices"

	"github.com/saltsql/saltsql/planner/plan"
)

// rewrite replaces every node, inputs first, with what fn makes of it. A scan
// under a merge or a gather is their part and is not visited by itself.
func rewrite(n plan.Node, fn func(plan.Node) plan.Node) plan.Node {
	if _, ok := scanUnder(n); ok {
		return fn(n)
	}
	ins := n.Inputs()
	var out []plan.Node // made where one changes
	for i, in := range ins {
		m := rewrite(in, fn)
		if m != in && out == nil {
			out = slices.Clone(ins)
		}
		if out != nil {
			out[i] = m
		}
	}
	if out != nil {
		n = withInputs(n, out)
	}
	return fn(n)
}

// withInputs copies a node with other inputs.
func withInputs(n plan.Node, ins []plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.SaltGather:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.SaltMerge:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Filter:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Project:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Limit:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Sort:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.TopN:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Aggregate:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.DistinctOn:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Append:
		c := *n
		c.Parts = ins
		return &c
	case *plan.ProjectSet:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Window:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.SetOp:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *plan.With:
		c := *n
		c.Query, c.Body = ins[0], ins[1]
		return &c
	case *plan.RecursiveUnion:
		c := *n
		c.Start, c.Step = ins[0], ins[1]
		return &c
	case *plan.HashJoin:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *plan.MergeJoin:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *plan.NestedLoop:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *plan.Apply:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *plan.LookupJoin:
		c := *n
		c.Left = ins[0]
		return &c
	case *plan.Lock:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Insert:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Upsert:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Update:
		c := *n
		c.Input = ins[0]
		return &c
	case *plan.Delete:
		c := *n
		c.Input = ins[0]
		return &c
	}
	return n
}

// scanUnder gives the scan that n is or that it gathers or merges.
func scanUnder(n plan.Node) (*plan.Scan, bool) {
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

// withScan puts s in the place of the scan of n.
func withScan(n plan.Node, s *plan.Scan) plan.Node {
	switch n := n.(type) {
	case *plan.SaltGather:
		return &plan.SaltGather{Input: s, Serial: n.Serial}
	case *plan.SaltMerge:
		return &plan.SaltMerge{Input: s}
	}
	return s
}
