package explain

import (
	"fmt"

	"github.com/saltsql/saltsql/planner/plan"
)

// describeValues shows the number of rows.
func describeValues(n *plan.Values) Description {
	if len(n.Rows) == 0 {
		return Description{Name: "Result", Attrs: attrs("rows", "0")}
	}
	return Description{Name: "Values", Attrs: attrs("rows", fmt.Sprint(len(n.Rows)))}
}

// describeOneRow gives the name alone.
func describeOneRow(n *plan.OneRow) Description { return Description{Name: "One Row"} }

// describeTableFunc shows the call.
func describeTableFunc(n *plan.TableFunc) Description {
	d := Description{Name: "Function Scan", Object: n.Name, Attrs: attrs("function call", n.Name+"("+exprList(n.Args)+")")}
	if n.Ordinality {
		note(d.Attrs, "with ordinality")
	}
	return d
}

// describeProjectSet shows the calls.
func describeProjectSet(n *plan.ProjectSet) Description {
	text := ""
	for i, s := range n.Sets {
		if i > 0 {
			text += ", "
		}
		text += s.Name + "(" + exprList(s.Args) + ")"
	}
	return Description{Name: "Project Set", Attrs: attrs("compute", text)}
}

// describeExternal names the source.
func describeExternal(n *plan.External) Description {
	return Description{Name: "External Rows", Attrs: attrs("from", n.Name)}
}

// describeWith names the query.
func describeWith(n *plan.With) Description { return Description{Name: "With", Object: n.Name} }

// describeWithScan names the query.
func describeWithScan(n *plan.WithScan) Description {
	return Description{Name: "With Scan", Object: n.Name}
}

// describeRecursiveUnion names the query.
func describeRecursiveUnion(n *plan.RecursiveUnion) Description {
	d := Description{Name: "Recursive Union", Object: n.Name}
	if !n.All {
		d.Attrs = attrs("rows", "distinct")
	}
	return d
}

// describeAppend gives the name alone.
func describeAppend(n *plan.Append) Description { return Description{Name: "Append"} }

// describeSetOp names the operation.
func describeSetOp(n *plan.SetOp) Description {
	name := "Intersect"
	if n.Except {
		name = "Except"
	}
	if n.All {
		name += " All"
	}
	return Description{Name: name}
}
