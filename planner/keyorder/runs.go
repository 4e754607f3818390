package keyorder

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
)

// GroupsAreRuns says that the rows of a group are those that agree in the first key
// columns: these are groups, or bound to one value.
func GroupsAreRuns(n *plan.Aggregate, s *plan.Scan, prefix int) bool {
	covered := FixedColumns(s)
	for _, g := range n.Groups {
		if col := ColumnOf(s, g); col != nil {
			covered[col.KeyPos] = true
		} else if !expr.IsConst(g) {
			return false
		}
	}
	for p := range prefix {
		if !covered[p] {
			return false
		}
	}
	return true
}

// ColumnOf gives the key column that e is, looking through a cast that keeps every value.
func ColumnOf(s *plan.Scan, e expr.Expr) *catalog.Column {
	r := keycond.Reader{Scan: s}
	col, _ := r.Column(e)
	return col
}

// PrefixOf gives how many leading key columns hold all that e reads; -1 where it reads
// something else, or may differ at each call.
func PrefixOf(s *plan.Scan, e expr.Expr) int {
	if expr.Volatile(e) {
		return -1
	}
	prefix := 0
	for _, c := range expr.Cols(e) {
		if c >= len(s.Cols) || s.Table.Columns[s.Cols[c]].KeyPos < 0 {
			return -1
		}
		prefix = max(prefix, s.Table.Columns[s.Cols[c]].KeyPos+1)
	}
	return prefix
}

// Projected gives the expressions of a DISTINCT ON over what is below a projection under it.
func Projected(n *plan.DistinctOn) ([]expr.Expr, plan.Node) {
	project, ok := n.Input.(*plan.Project)
	if !ok {
		return n.Exprs, n.Input
	}
	exprs := make([]expr.Expr, len(n.Exprs))
	for i, e := range n.Exprs {
		exprs[i] = expr.MapCols(e, func(c *expr.Col) expr.Expr { return project.Exprs[c.Index] })
	}
	return exprs, project.Input
}

// sortExprs are what keys sort by.
func sortExprs(keys []plan.SortKey) []expr.Expr {
	out := make([]expr.Expr, len(keys))
	for i, k := range keys {
		out[i] = k.Expr
	}
	return out
}
