package logical

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// WithInputs copies a node over other inputs; n itself where they are the same.
func WithInputs(n Node, ins []Node) Node {
	if slices.Equal(n.Inputs(), ins) {
		return n
	}
	c := n.copied()
	switch c := c.(type) {
	case *Select:
		c.Input = ins[0]
	case *Project:
		c.Input = ins[0]
	case *ProjectSet:
		c.Input = ins[0]
	case *Join:
		c.Left, c.Right = ins[0], ins[1]
	case *GroupBy:
		c.Input = ins[0]
	case *Window:
		c.Input = ins[0]
	case *Union:
		c.Parts = ins
	case *SetOp:
		c.Left, c.Right = ins[0], ins[1]
	case *DistinctOn:
		c.Input = ins[0]
	case *Sort:
		c.Input = ins[0]
	case *Limit:
		c.Input = ins[0]
	case *With:
		c.Query, c.Body = ins[0], ins[1]
	case *RecursiveUnion:
		c.Start, c.Step = ins[0], ins[1]
	case *Lock:
		c.Input = ins[0]
	case *Write:
		c.Input = ins[0]
	}
	return c
}

// MapInputs is WithInputs over what fn makes of a node's inputs.
func MapInputs(n Node, fn func(Node) Node) Node {
	ins := slices.Clone(n.Inputs())
	for i, in := range ins {
		ins[i] = fn(in)
	}
	return WithInputs(n, ins)
}

// MapExprs copies a node with fn applied to each of its own expressions; n itself where
// none changed. The expressions of a Write are over positions and are not among them.
func MapExprs(n Node, fn func(expr.Expr) expr.Expr) Node {
	return plan.MapExprs(new(plan.Exprs), n, Node.copied, fn)
}

// VisitExprs calls fn for each of a node's own expressions.
func VisitExprs(n Node, fn func(expr.Expr)) { plan.VisitExprs(n, fn) }

// Volatile says that something in a tree may differ at each run of it: a volatile
// function, a random sample, or a write. Queries inside expressions count.
func Volatile(n Node) bool {
	if VolatileHere(n) {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), Volatile)
}

// VolatileRuns is Volatile for who runs a tree again in one execution, for which a sample is
// drawn once.
func VolatileRuns(n Node) bool {
	return volatileRun(n) || slices.ContainsFunc(n.Inputs(), VolatileRuns)
}

// VolatileHere is Volatile of the node without its inputs.
func VolatileHere(n Node) bool {
	if get, ok := n.(*Get); ok && get.Sample != nil && get.Sample.Seed == nil {
		return true
	}
	return volatileRun(n)
}

func volatileRun(n Node) bool {
	switch n.(type) {
	case *Write, *External, *Lock:
		return true
	}
	found := false
	VisitExprs(n, func(e expr.Expr) { found = found || VolatileExpr(e) })
	return found
}

// VolatileExpr is expr.Volatile with the queries in e.
func VolatileExpr(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if s, ok := x.(*Subquery); ok {
			found = found || Volatile(s.Query) || s.Cond != nil && VolatileExpr(s.Cond)
		}
		return !found
	})
	return found || expr.Volatile(e)
}
