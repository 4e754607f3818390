package explain

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// keyText prints the keys of a match: "a.x = b.y, a.z is not distinct from b.z".
func keyText(m *plan.Match) string {
	texts := make([]string, len(m.Keys))
	for i, k := range m.Keys {
		op := " = "
		if k.NullsEqual {
			op = " is not distinct from "
		}
		texts[i] = bare(expr.ToText(k.Left)) + op + bare(expr.ToText(k.Right))
	}
	return strings.Join(texts, ", ")
}

func matchAttrs(m *plan.Match, k plan.JoinKind) []Attr {
	out := attrs("join type", k.String(), "on", keyText(m))
	if slices.ContainsFunc(m.Keys, func(key plan.JoinKey) bool { return key.Unknown }) {
		note(out, "NULL matches unknown")
	}
	return append(out, attrs("filter", exprText(m.Filter), "condition", exprText(m.Cond))...)
}

// builtOnce is said of a join that is run again and again, and keeps one side's rows.
const builtOnce = "built once"

// describeHashJoin shows kind, keys and the side that is kept.
func describeHashJoin(n *plan.HashJoin) Description {
	d := Description{Name: "Hash Join", Attrs: matchAttrs(&n.Match, n.Kind)}
	side := "right"
	if n.BuildLeft {
		side = "left"
	}
	d.Attrs = append(d.Attrs, attrs("build", side)...)
	if n.KeptBy > 0 {
		note(d.Attrs, builtOnce)
	}
	if len(n.Reduce) > 0 {
		note(d.Attrs, "its keys narrow the other side")
	}
	return d
}

// describeMergeJoin shows kind and keys.
func describeMergeJoin(n *plan.MergeJoin) Description {
	return Description{Name: "Merge Join", Attrs: matchAttrs(&n.Match, n.Kind)}
}

// describeNestedLoop shows kind and condition.
func describeNestedLoop(n *plan.NestedLoop) Description {
	d := Description{Name: "Nested Loop", Attrs: matchAttrs(&n.Match, n.Kind)}
	if n.KeptBy > 0 {
		d.Attrs = append(d.Attrs, attrs("build", "right")...)
		note(d.Attrs, builtOnce)
	}
	return d
}

// describeLookupJoin shows kind, table, key, and what is read of it.
func describeLookupJoin(n *plan.LookupJoin) Description {
	d := named(n.Right, "Lookup Join")
	index := d.Attrs
	if n.Index != "" {
		d.Name = "Index Lookup"
		d.Attrs = append(attrs("index", n.Index, "filter", exprText(n.Filter), "row filter", exprText(n.Right.Filter)),
			listAttr("columns", tableColumns(n.Right.Table, n.Right.Read()))...)
		if n.Right.ForUpdate {
			d.Attrs = append(d.Attrs, attrs("lock", "for update")...)
		}
		return d
	}
	key := ""
	for i, v := range n.Values {
		if i > 0 {
			key += ", "
		}
		key += n.Right.Table.Columns[n.Right.Table.PrimaryKey[i]].Name + " = " + bare(expr.ToText(v))
	}
	what := "span"
	if n.FullKey() {
		what = "key"
	}
	d.Attrs = append(index, attrs("join type", n.Kind.String(), what, key, "filter", exprText(n.Filter), "row filter", exprText(n.Right.Filter))...)
	d.Attrs = append(d.Attrs, listAttr("columns", tableColumns(n.Right.Table, n.Right.Read()))...)
	return d
}

// describeApply shows kind, what is passed and the condition.
func describeApply(n *plan.Apply) Description {
	texts := make([]string, len(n.Params))
	for i, p := range n.Params {
		texts[i] = bare(expr.ToText(p.Value))
	}
	d := Description{Name: "Apply", Attrs: matchAttrs(&n.Match, n.Kind)}
	d.Attrs = append(d.Attrs, attrs("for each", strings.Join(texts, ", "))...)
	return d
}
