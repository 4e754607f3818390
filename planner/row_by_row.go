package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// rowByRow has the calls of a plan that see what others of it did made row by row, and within a
// row from left to right, as PostgreSQL makes them:
//
//	Project (nextval('s'), currval('s'))        Project
//	  └── Scan                             →      └── Row by Row
//	                                                    └── Scan
//
// Operators compute an expression for all rows of a batch at once, and draw the values of a
// sequence together. That stays where no other call could tell, and no limit could leave
// rows out for which a call has changed something. It is no rule that may be switched off.
func rowByRow(root plan.Node) plan.Node {
	var calls, changes [expr.States]int
	var count func(n plan.Node)
	count = func(n plan.Node) {
		eachCall(n, func(f *expr.Func) {
			calls[f.State]++
			if f.ChangesState {
				changes[f.State]++
			}
		})
		for _, in := range n.Inputs() {
			count(in)
		}
	}
	count(root)
	var node func(n plan.Node, limited bool) plan.Node
	node = func(n plan.Node, limited bool) plan.Node {
		if _, ok := walk.ScanUnder(n); ok {
			return n
		}
		here := false
		eachCall(n, func(f *expr.Func) {
			here = here || changes[f.State] > 0 && calls[f.State] > 1 || limited && f.ChangesState
		})
		_, isLimit := n.(*plan.Limit)
		n = walk.RewriteInputs(n, func(in plan.Node) plan.Node { return node(in, limited || isLimit) })
		if !here {
			return n
		}
		if v, ok := n.(*plan.Values); ok {
			c := *v
			c.OneByOne = true
			return &c
		}
		return walk.RewriteInputs(n, func(in plan.Node) plan.Node {
			if atMostOne(in) {
				return in
			}
			return &plan.RowByRow{Input: in}
		})
	}
	return node(root, false)
}

// eachCall calls fn for the functions with a state that a node's own expressions call.
func eachCall(n plan.Node, fn func(*expr.Func)) {
	walk.VisitExprs(n, func(e expr.Expr) {
		expr.Walk(e, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Call); ok && c.Fn.State != expr.NoState {
				fn(c.Fn)
			}
			return true
		})
	})
}
