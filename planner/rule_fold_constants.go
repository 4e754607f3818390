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
func foldConstants(ctx *Context, n plan.Node) plan.Node {
	if ctx.Env == nil {
		return nil
	}
	out := walk.MapExprs(n, func(e expr.Expr) expr.Expr { return eval.Fold(ctx.Env, e) })
	if out == n {
		return nil
	}
	return out
}
