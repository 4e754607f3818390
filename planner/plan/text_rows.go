package plan

import (
	"fmt"
)

// Describe shows the number of rows.
func (n *Values) Describe() Description {
	if len(n.Rows) == 0 {
		return Description{Name: "Result", Attrs: attrs("", "no rows")}
	}
	return Description{Name: "Values", Attrs: attrs("rows", fmt.Sprint(len(n.Rows)))}
}

// Describe gives the name alone.
func (n *OneRow) Describe() Description { return Description{Name: "One Row"} }

// Describe shows the call.
func (n *TableFunc) Describe() Description {
	d := Description{Name: "Function Scan", Object: n.Name, Attrs: attrs("", n.Name+"("+exprList(n.Args)+")")}
	if n.Ordinality {
		d.Attrs = append(d.Attrs, Attr{Value: "with ordinality"})
	}
	return d
}

// Describe shows the calls.
func (n *ProjectSet) Describe() Description {
	text := ""
	for i, s := range n.Sets {
		if i > 0 {
			text += ", "
		}
		text += s.Name + "(" + exprList(s.Args) + ")"
	}
	return Description{Name: "Project Set", Attrs: attrs("", text)}
}

// Describe names the source.
func (n *External) Describe() Description {
	return Description{Name: "External Rows", Attrs: attrs("from", n.Name)}
}

// Describe names the query.
func (n *With) Describe() Description { return Description{Name: "With", Object: n.Name} }

// Describe names the query.
func (n *WithScan) Describe() Description { return Description{Name: "With Scan", Object: n.Name} }

// Describe names the query.
func (n *RecursiveUnion) Describe() Description {
	d := Description{Name: "Recursive Union", Object: n.Name}
	if !n.All {
		d.Attrs = append(d.Attrs, Attr{Value: "distinct"})
	}
	return d
}

// Describe gives the name alone.
func (n *Append) Describe() Description { return Description{Name: "Append"} }

// Describe names the operation.
func (n *SetOp) Describe() Description {
	name := "Intersect"
	if n.Except {
		name = "Except"
	}
	if n.All {
		name += " All"
	}
	return Description{Name: name}
}
