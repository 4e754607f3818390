package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// noteParts tells a scan which part of the rows each column's conditions let pass, as far as
// statistics know. A store that drops rows by a column, at a price, drops them by the one that
// few pass.
//
//	city LIKE 'B%' AND age > 90    city: a tenth | age: a hundredth
func noteParts(ctx *Context, n plan.Node) plan.Node {
	s, ok := walk.ScanUnder(n)
	if !ok || s.Filter == nil || s.ForUpdate || ctx.Estimator == nil {
		return nil
	}
	var byCol [][]expr.Expr
	for _, cond := range walk.Conjuncts(s.Filter) {
		col := comparedCol(cond)
		if col == nil {
			continue
		}
		if byCol == nil {
			byCol = make([][]expr.Expr, len(s.Cols))
		}
		byCol[col.Index] = append(byCol[col.Index], cond)
	}
	var parts []float64
	for at, conds := range byCol {
		if len(conds) == 0 {
			continue
		}
		part, known := estimate.ConditionsPart(ctx.Known(), s.Table, s.Cols, conds)
		if !known {
			continue
		}
		if parts == nil {
			parts = make([]float64, len(s.Cols))
		}
		parts[at] = max(part, leastPart)
	}
	if parts == nil {
		return nil
	}
	out := *s
	out.Parts = parts
	return walk.WithScan(n, &out)
}

// comparedCol is the column that a condition compares with what is known when the scan is opened;
// nil is none.
func comparedCol(cond expr.Expr) *expr.Col {
	var x, y expr.Expr
	switch e := cond.(type) {
	case *expr.Call:
		if len(e.Args) != 2 {
			return nil
		}
		if x, y = e.Args[0], e.Args[1]; expr.IsConst(x) {
			x, y = y, x
		}
		if !expr.IsConst(y) {
			return nil
		}
	case *expr.InList:
		x = e.X
	default:
		return nil
	}
	col, _ := logical.CastFree(x).(*expr.Col)
	return col
}

// leastPart stands for no rows at all, which no estimate is sure of.
const leastPart = 1e-9
