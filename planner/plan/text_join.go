package plan

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
)

// keyText prints the keys of a match: "a.x = b.y, a.z is not distinct from b.z".
func (m *Match) keyText() string {
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

func (m *Match) attrs(k JoinKind) []Attr {
	out := attrs("", k.String(), "on", m.keyText(), "filter", exprText(m.Filter), "condition", exprText(m.Cond))
	for _, key := range m.Keys {
		if key.Unknown {
			return append(out, Attr{Value: "NULL matches unknown"})
		}
	}
	return out
}

// Describe shows kind, keys and the side that is kept.
func (n *HashJoin) Describe() Description {
	d := Description{Name: "Hash Join", Attrs: n.Match.attrs(n.Kind)}
	side := "right"
	if n.BuildLeft {
		side = "left"
	}
	d.Attrs = append(d.Attrs, Attr{Key: "build", Value: side})
	if len(n.Reduce) > 0 {
		d.Attrs = append(d.Attrs, Attr{Value: "keys narrow the other side"})
	}
	return d
}

// Describe shows kind and keys.
func (n *MergeJoin) Describe() Description {
	return Description{Name: "Merge Join", Attrs: n.Match.attrs(n.Kind)}
}

// Describe shows kind and condition.
func (n *NestedLoop) Describe() Description {
	return Description{Name: "Nested Loop", Attrs: n.Match.attrs(n.Kind)}
}

// Describe shows kind, table, key, and what is read of it.
func (n *LookupJoin) Describe() Description {
	d := n.Right.named("Lookup Join")
	index := d.Attrs
	if n.Index != "" {
		d.Name = "Index Lookup"
		d.Attrs = append(attrs("index", n.Index, "filter", exprText(n.Filter), "row filter", exprText(n.Right.Filter)),
			attrs("columns", tableColumns(n.Right.Table, n.Right.read()))...)
		if n.Right.ForUpdate {
			d.Attrs = append(d.Attrs, Attr{Value: "for update"})
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
	d.Attrs = append(index, attrs("", n.Kind.String(), what, key, "filter", exprText(n.Filter), "row filter", exprText(n.Right.Filter))...)
	d.Attrs = append(d.Attrs, attrs("columns", tableColumns(n.Right.Table, n.Right.read()))...)
	return d
}

// Describe shows kind, what is passed and the condition.
func (n *Apply) Describe() Description {
	texts := make([]string, len(n.Params))
	for i, p := range n.Params {
		texts[i] = bare(expr.ToText(p.Value))
	}
	d := Description{Name: "Apply", Attrs: n.Match.attrs(n.Kind)}
	d.Attrs = append(d.Attrs, attrs("for each", strings.Join(texts, ", "))...)
	return d
}
