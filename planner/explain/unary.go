package explain

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// describeFilter shows the condition.
func describeFilter(n *plan.Filter) Description {
	return Description{Name: "Filter", Attrs: attrs("condition", exprText(n.Cond))}
}

// describeProject shows what is computed.
func describeProject(n *plan.Project) Description {
	return Description{Name: "Project", Attrs: attrs("compute", exprList(n.Exprs))}
}

// describeLimit shows both numbers.
func describeLimit(n *plan.Limit) Description {
	return Description{Name: "Limit", Attrs: attrs("rows", exprText(n.Count), "offset", exprText(n.Offset), "with ties by", sortText(n.Ties))}
}

// describeRowByRow has nothing to show.
func describeRowByRow() Description { return Description{Name: "Row by Row"} }

// describeSort shows the keys.
func describeSort(n *plan.Sort) Description {
	return Description{Name: "Sort", Attrs: attrs("sort key", sortText(n.Keys))}
}

// describeTopN shows the number of rows and the order.
func describeTopN(n *plan.TopN) Description {
	return Description{Name: "Top N", Attrs: attrs(
		"rows", exprText(n.Count), "offset", exprText(n.Offset), "sort key", sortText(n.Keys))}
}

// describeDistinctOn shows what makes a run.
func describeDistinctOn(n *plan.DistinctOn) Description {
	return Description{Name: "Distinct On", Attrs: attrs("key", exprList(n.Exprs))}
}

// describeAggregate shows the phase, the groups and the aggregates.
func describeAggregate(n *plan.Aggregate) Description {
	name := "Aggregate"
	switch {
	case n.Phase == plan.Partial:
		name = "Partial Aggregate"
	case n.Phase == plan.Final:
		name = "Final Aggregate"
	case len(n.Aggs) == 0:
		name = "Distinct"
	}
	var calls []string
	for _, a := range n.Aggs {
		calls = append(calls, a.Text)
	}
	d := Description{Name: name, Attrs: attrs("compute", strings.Join(calls, ", "), "group key", exprList(n.Groups))}
	if n.Ordered && len(n.Groups) > 0 {
		note(d.Attrs, "in key order")
	}
	d.Attrs = append(d.Attrs, attrs("grouping sets", groupingText(n))...)
	return d
}

// groupingText prints the grouping sets.
func groupingText(n *plan.Aggregate) string {
	var t strings.Builder
	for i, set := range n.Sets {
		if i > 0 {
			t.WriteString(", ")
		}
		groups := make([]expr.Expr, len(set))
		for j, g := range set {
			groups[j] = n.Groups[g]
		}
		t.WriteString("(" + exprList(groups) + ")")
	}
	return t.String()
}

// describeWindow shows the calls and their window.
func describeWindow(n *plan.Window) Description {
	calls := make([]string, len(n.Calls))
	for i, c := range n.Calls {
		calls[i] = c.Text
	}
	d := Description{Name: "Window", Attrs: attrs("compute", strings.Join(calls, ", "),
		"partition by", exprList(n.Partition), "order by", sortText(n.Order))}
	if n.Sorted {
		note(d.Attrs, "in key order")
	}
	return d
}
