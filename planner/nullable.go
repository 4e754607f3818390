package planner

import "github.com/saltsql/saltsql/planner/plan"

// Nullable says whether column i of a result may be NULL; known is false where the plan
// does not tell. It is told of stored columns that come through nodes which give the rows
// of a table as they are: an outer join or a grouping may make a NULL of any column.
func Nullable(p *plan.Plan, i int) (nullable, known bool) {
	if i >= len(p.Columns) || !passesRows(p.Root) {
		return false, false
	}
	c := p.Columns[i]
	for _, t := range p.Tables {
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
