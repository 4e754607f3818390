package session

import "github.com/saltsql/saltsql/planner/plan"

// Nullable says whether column i of a result may be NULL; known is false where the plan
// does not tell. It is told of stored columns that come through nodes which give the rows
// of a table as they are: an outer join or a grouping may make a NULL of any column.
func (st *Stmt) Nullable(i int) (nullable, known bool) {
	if st.plan == nil || i >= len(st.plan.Columns) || !passesRows(st.plan.Root) {
		return false, false
	}
	c := st.plan.Columns[i]
	for _, t := range st.plan.Tables {
		if t.ID != c.Table {
			continue
		}
		if col := t.ColumnByID(c.ColumnID); col != nil {
			return !col.NotNull, true
		}
	}
	return false, false
}

// passesRows says that a plan gives rows of one table, and makes no values but by
// expressions.
func passesRows(n plan.Node) bool {
	switch n.(type) {
	case *plan.Scan:
		return true
	case *plan.Filter, *plan.Project, *plan.Limit, *plan.Sort, *plan.TopN, *plan.SaltMerge, *plan.SaltGather:
		return len(n.Inputs()) == 1 && passesRows(n.Inputs()[0])
	}
	return false
}
