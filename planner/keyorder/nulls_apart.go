package keyorder

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// nullsApart reads an index in an order that has NULL at its other end. An index has NULL
// first; so the rows with a NULL for the first column of the order are read by themselves,
// before the others or behind them:
//
//	ORDER BY b           b IS NOT NULL, then b IS NULL
//	ORDER BY b DESC      b IS NULL, then b IS NOT NULL backwards
//
// What comes second is not opened before the first has ended. nil where that does not give
// the order either.
func nullsApart(n plan.Node, want Ordering) plan.Node {
	s, _ := walk.ScanUnder(n)
	if s.Of == nil || s.Distinct > 0 || s.Limit != nil || s.Reduced != nil {
		return nil
	}
	fixed := FixedColumns(s)
	var first *plan.SortKey
	pos := -1
	for i := range want.Keys {
		k := &want.Keys[i]
		c, ok := k.Expr.(*expr.Col)
		if ok && c.Index < len(s.Cols) {
			pos = s.Table.Columns[s.Cols[c.Index]].KeyPos
		} else if !expr.IsConst(k.Expr) {
			return nil
		}
		if pos >= 0 && !fixed[pos] {
			first = k
			break
		}
	}
	if first == nil || excludesNull(s, pos) || OrdersByKey(s, pos) {
		return nil
	}
	values := scanInOrder(walk.WithScan(n, withTerm(s, plan.KeyIsNotNull, pos, first.Expr)), want)
	if values == nil || want.NotNull {
		return values
	}
	nulls := scanInOrder(walk.WithScan(n, withTerm(s, plan.KeyIsNull, pos, first.Expr)), want)
	if nulls == nil {
		return nil
	}
	parts := []plan.Node{values, nulls}
	if first.NullsFirst {
		parts[0], parts[1] = nulls, values
	}
	return &plan.Append{Parts: parts, Cols: n.Columns()}
}

// withTerm has a scan read only the rows whose key column at pos, which is col, is NULL or is not.
func withTerm(s *plan.Scan, op plan.KeyOp, pos int, col expr.Expr) *plan.Scan {
	var cond expr.Expr = &expr.IsNull{X: col}
	if op == plan.KeyIsNotNull {
		cond = &expr.Not{X: cond}
	}
	c := *s
	term := plan.KeyTerm{Op: op, Columns: []int{pos}}
	key := plan.KeyCond{Or: []plan.KeyConj{{}}}
	if s.Key != nil {
		key = *s.Key
		key.Or = slices.Clone(key.Or)
	}
	for i := range key.Or {
		key.Or[i].Terms = append(slices.Clip(key.Or[i].Terms), term)
	}
	if text := keycond.Text(cond, true); key.Span == "" {
		key.Span = text
	} else {
		key.Span += " AND " + text
	}
	c.Key, c.Said = &key, slices.Clone(key.Or)
	if s.Recheck != nil {
		c.Recheck = &expr.And{Args: []expr.Expr{s.Recheck, cond}}
	}
	if c.Access == plan.FullScan {
		c.Access = plan.RangeScan
	}
	return &c
}
