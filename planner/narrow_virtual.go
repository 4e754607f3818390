package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// narrowVirtual moves a Filter over a virtual relation into it, and tells the relation of
// the values that its columns must equal, so that rows nobody asks for are not computed. A
// regular expression that may stand for one text, as psql writes names, is told as well.
//
// Not conditions with a volatile function, which stay above.
func narrowVirtual(f *plan.Filter, v *plan.VirtualScan) plan.Node {
	var conds, volatile []expr.Expr
	for _, c := range walk.Conjuncts(f.Cond) {
		if expr.Volatile(c) {
			volatile = append(volatile, c)
		} else {
			conds = append(conds, c)
		}
	}
	if len(conds) == 0 {
		return nil
	}
	c := *v
	c.Equal = slices.Clip(v.Equal)
	for _, cond := range conds {
		if col, pattern, ok := matches(cond); ok {
			c.Equal = append(c.Equal, plan.VirtualEqual{Column: v.Cols[col], Value: pattern, Regex: true})
		}
		for col, value := range logical.EqualTo(cond) {
			if len(expr.Cols(value)) == 0 {
				c.Equal = append(c.Equal, plan.VirtualEqual{Column: v.Cols[col.Index], Value: value})
			}
		}
	}
	if v.Filter != nil {
		conds = append([]expr.Expr{v.Filter}, conds...)
	}
	c.Filter = walk.AndAll(conds)
	if len(volatile) > 0 {
		return &plan.Filter{Input: &c, Cond: walk.AndAll(volatile)}
	}
	return &c
}

// matches takes apart a condition column ~ pattern, whose pattern names no column.
func matches(c expr.Expr) (column int, pattern expr.Expr, ok bool) {
	call, isCall := c.(*expr.Call)
	if !isCall || call.Fn.Name != "~" || len(call.Args) != 2 {
		return 0, nil, false
	}
	col, isCol := logical.CastFree(call.Args[0]).(*expr.Col)
	if !isCol || !logical.AlikeInForm(col.T, call.Args[1].Type()) || len(expr.Cols(call.Args[1])) > 0 {
		return 0, nil, false
	}
	return col.Index, call.Args[1], true
}
