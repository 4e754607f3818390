package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// foldConstants computes what has no column, no parameter and no function that
// may change, so that a literal stands there once for all executions.
// What fails is left as it is: it fails when it is run, if it is.
func foldConstants(ctx *Context, root plan.Node, _ []rule) plan.Node {
	if ctx.Env == nil {
		return nil
	}
	fold := func(e expr.Expr) expr.Expr { return eval.Fold(ctx.Env, e) }
	var x plan.Exprs
	out := walk.Rewrite(root, func(n plan.Node) plan.Node { return walk.Mapped(&x, n, fold) })
	if out == root {
		return nil
	}
	return out
}
