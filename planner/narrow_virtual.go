package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// narrowVirtual moves a Filter over a virtual relation into it, and tells the relation of
// the values that its columns must equal, so that rows nobody asks for are not computed.
//
// Not conditions with a volatile function, which stay above.
func narrowVirtual(f *plan.Filter, v *plan.VirtualScan) plan.Node {
	var conds, volatile []expr.Expr
	for _, c := range conjuncts(f.Cond) {
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
		if col, value, ok := equality(cond); ok {
			c.Equal = append(c.Equal, plan.VirtualEqual{Column: v.Cols[col], Value: value})
		}
	}
	if v.Filter != nil {
		conds = append([]expr.Expr{v.Filter}, conds...)
	}
	c.Filter = andAll(conds)
	if len(volatile) > 0 {
		return &plan.Filter{Input: &c, Cond: andAll(volatile)}
	}
	return &c
}

// equality takes apart a condition column = value whose value names no column and is
// compared as the column's type is.
func equality(c expr.Expr) (column int, value expr.Expr, ok bool) {
	call, isCall := c.(*expr.Call)
	if !isCall || call.Fn.Name != "=" || len(call.Args) != 2 {
		return 0, nil, false
	}
	for i, a := range call.Args {
		col, isCol := a.(*expr.Col)
		v := call.Args[1-i]
		if isCol && len(expr.Cols(v)) == 0 && comparedAlike(col.T, v.Type()) {
			return col.Index, v, true
		}
	}
	return 0, nil, false
}

// comparedAlike says that values of two types are equal where their datums are.
func comparedAlike(a, b types.T) bool {
	return a.Base() == b.Base() || a.IsString() && b.IsString() && a.Kind != types.Bpchar && b.Kind != types.Bpchar
}
