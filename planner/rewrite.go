package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// rewrite replaces every node, inputs first, with what fn makes of it. A scan
// under a merge or a gather is their part and is not visited by itself.
func rewrite(n plan.Node, fn func(plan.Node) plan.Node) plan.Node {
	switch n.(type) {
	case *plan.SaltGather, *plan.SaltMerge:
		return fn(n)
	}
	ins := n.Inputs()
	changed := false
	out := make([]plan.Node, len(ins))
	for i, in := range ins {
		out[i] = rewrite(in, fn)
		changed = changed || out[i] != in
	}
	if changed {
		n = withInputs(n, out)
	}
	return fn(n)
}

// withInputs copies a node with other inputs.
func withInputs(n plan.Node, ins []plan.Node) plan.Node {
	switch n := n.(type) {
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

// anyVolatile says that a plan evaluates something that may differ at each call.
func anyVolatile(n plan.Node) bool {
	found := false
	mapNodeExprs(n, func(e expr.Expr) expr.Expr {
		found = found || expr.Volatile(e)
		return e
	})
	for _, in := range n.Inputs() {
		found = found || anyVolatile(in)
	}
	return found
}

// scanUnder gives the scan that n is or that it gathers or merges.
func scanUnder(n plan.Node) (*plan.Scan, bool) {
	switch n := n.(type) {
	case *plan.Scan:
		return n, true
	case *plan.SaltGather:
		return n.Input, true
	case *plan.SaltMerge:
		return n.Input, true
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
