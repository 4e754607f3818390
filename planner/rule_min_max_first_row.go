package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// minMaxFirstRow answers min or max of a key column from the first row in key order
// or its reverse, where the key gives that order: after columns bound by =, or
// for the first column.
//
// Not with groups, a second aggregate or FILTER. NULLs, which the aggregates skip and an index
// has, are not read.
func minMaxFirstRow(ctx *Context, n plan.Node) plan.Node {
	a, ok := n.(*plan.Aggregate)
	if !ok || a.Phase != plan.Complete || len(a.Groups) > 0 || a.Sets != nil || len(a.Aggs) != 1 {
		return nil
	}
	call := &a.Aggs[0]
	if call.Agg.Name != "min" && call.Agg.Name != "max" || call.Filter != nil || len(call.Args) != 1 {
		return nil
	}
	arg := call.Args[0]
	if c, ok := arg.(*expr.Cast); ok && keycond.KeepsValues(c.X.Type(), c.To) {
		arg = c.X
	}
	if _, ok := arg.(*expr.Col); !ok {
		return nil
	}
	if s, ok := walk.ScanUnder(a.Input); ok && s.Access == plan.PointRead {
		return nil
	}
	desc := call.Agg.Name == "max"
	in := keyorder.InOrder(a.Input, keyorder.Ordering{Keys: []plan.SortKey{{Expr: arg, Desc: desc, NullsFirst: desc}}, NotNull: true})
	if in == nil || ctx.Hints.has(hintForwardScan) && readsBackward(in) {
		return nil
	}
	c := *a
	c.Input = &plan.Limit{Input: in, Count: bigint(1)}
	return &c
}

func bigint(v int64) expr.Expr {
	return &expr.Const{Value: types.NewInt(v), T: types.Of(types.Int8)}
}
