package plan

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
)

// Describe shows the condition.
func (n *Filter) Describe() Description {
	return Description{Name: "Filter", Attrs: attrs("", exprText(n.Cond))}
}

// Describe shows what is computed.
func (n *Project) Describe() Description {
	return Description{Name: "Project", Attrs: attrs("", exprList(n.Exprs))}
}

// Describe shows both numbers.
func (n *Limit) Describe() Description {
	return Description{Name: "Limit", Attrs: attrs("rows", exprText(n.Count), "offset", exprText(n.Offset), "with ties by", sortText(n.Ties))}
}

// Describe shows the keys.
func (n *Sort) Describe() Description {
	return Description{Name: "Sort", Attrs: attrs("key", sortText(n.Keys))}
}

// Describe shows the number of rows and the order.
func (n *TopN) Describe() Description {
	return Description{Name: "Top N", Attrs: attrs(
		"rows", exprText(n.Count), "offset", exprText(n.Offset), "key", sortText(n.Keys))}
}

// Describe shows what makes a run.
func (n *DistinctOn) Describe() Description {
	return Description{Name: "Distinct On", Attrs: attrs("", exprList(n.Exprs))}
}

// Describe shows the phase, the groups and the aggregates.
func (n *Aggregate) Describe() Description {
	name := "Aggregate"
	switch {
	case n.Phase == Partial:
		name = "Partial Aggregate"
	case n.Phase == Final:
		name = "Final Aggregate"
	case len(n.Aggs) == 0:
		name = "Distinct"
	}
	var calls []string
	for _, a := range n.Aggs {
		calls = append(calls, a.Text)
	}
	d := Description{Name: name, Attrs: attrs("", strings.Join(calls, ", "), "by", exprList(n.Groups), "sets", n.setText())}
	if n.Ordered && len(n.Groups) > 0 {
		d.Attrs = append(d.Attrs, Attr{Value: "in key order"})
	}
	return d
}

// setText prints the grouping sets.
func (n *Aggregate) setText() string {
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

// Describe shows the calls and their window.
func (n *Window) Describe() Description {
	calls := make([]string, len(n.Calls))
	for i, c := range n.Calls {
		calls[i] = c.Text
	}
	d := Description{Name: "Window", Attrs: attrs("", strings.Join(calls, ", "),
		"partition by", exprList(n.Partition), "order by", sortText(n.Order))}
	if n.Sorted {
		d.Attrs = append(d.Attrs, Attr{Value: "in key order"})
	}
	return d
}
