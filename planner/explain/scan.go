package explain

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// describeScan shows the span, what is filtered, what is read and how far.
func describeScan(n *plan.Scan) Description {
	d := named(n, n.Access.String())
	if n.Key != nil {
		key := "span"
		if n.Access == plan.PointRead || n.Access == plan.MultiPointRead {
			key = "key"
		}
		d.Attrs = append(d.Attrs, attrs(key, n.Key.Span)...)
		if n.Key.MaxSpans == 1 {
			note(d.Attrs, "read as one range")
		}
	}
	if n.PointsOnly() && n.Table.Buckets() > 0 {
		d.Attrs = append(d.Attrs, saltAttrs(n)...)
	}
	d.Attrs = append(d.Attrs, attrs("seeks", seekText(n), "filter", exprText(n.Filter))...)
	switch {
	case n.KeysOnly(), len(n.Read()) == 0:
		d.Attrs = append(d.Attrs, attrs("columns", "keys only")...)
	default:
		d.Attrs = append(d.Attrs, listAttr("columns", tableColumns(n.Table, n.Read()))...)
	}
	if n.Order == plan.Reverse {
		d.Attrs = append(d.Attrs, attrs("direction", "backward")...)
	}
	d.Attrs = append(d.Attrs, limitAttrs(n)...)
	if n.ForUpdate {
		d.Attrs = append(d.Attrs, attrs("lock", "for update")...)
	}
	return d
}

// named begins a description: the table, what the statement calls it, and the index.
func named(n *plan.Scan, node string) Description {
	of := n.Table
	if n.Of != nil {
		of = n.Of
	}
	d := Description{Name: node, Object: tableName(of)}
	if n.Alias != "" && n.Alias != of.Name {
		d.Alias = n.Alias
	}
	if n.Of != nil {
		what := "index"
		if catalog.Hypothetical(n.Table.ID) {
			what = "hypothetical index"
		}
		d.Attrs = attrs(what, n.Table.Name)
		if n.Covered {
			note(d.Attrs, "covered")
		}
	}
	return d
}

// seekText says what rows are sought by.
func seekText(n *plan.Scan) string {
	switch {
	case n.Distinct > 0:
		return "the first row of each " + keyNames(n.Table, plan.AllColumns(n.Distinct))
	case n.Skip != nil:
		return n.Skip.Span + " for each " + keyNames(n.Table, plan.AllColumns(n.SkipFrom))
	}
	return ""
}

func tableColumns(t *catalog.Table, cols []int) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = t.Columns[c].Name
	}
	return strings.Join(names, ", ")
}

// describeVirtualScan shows what narrows the rows.
func describeVirtualScan(n *plan.VirtualScan) Description {
	d := Description{Name: "Virtual Scan", Object: n.Relation.Schema + "." + n.Relation.Name}
	if n.Alias != "" && n.Alias != n.Relation.Name {
		d.Alias = n.Alias
	}
	texts := make([]string, len(n.Equal))
	for i, e := range n.Equal {
		op := " = "
		if e.Regex {
			op = " ~ "
		}
		texts[i] = n.Relation.Columns[e.Column].Name + op + bare(expr.ToText(e.Value))
	}
	d.Attrs = attrs("lookup", strings.Join(texts, ", "), "filter", exprText(n.Filter))
	return d
}

// limitAttrs shows what the limit means for the scan.
func limitAttrs(n *plan.Scan) []Attr {
	if n.Limit == nil {
		return nil
	}
	buckets := n.Table.Buckets()
	switch {
	case n.Loose:
		return attrs("first", limitText(n.Limit)+" rows")
	case buckets == 0 || n.Access == plan.PointRead || n.Of != nil:
		return attrs("limit", limitText(n.Limit))
	}
	if c, ok := n.Limit.(*expr.Const); ok && !c.Value.Null && n.Order != plan.Unordered && n.Access != plan.MultiPointRead {
		return attrs("first page", fmt.Sprintf("%d rows per bucket", plan.FirstPage(c.Value.Int, buckets)))
	}
	return attrs("limit per bucket", limitText(n.Limit))
}

// limitText prints a limit. The sum of a count and an offset is guarded against
// overflow by a CASE, of which only the sum tells the reader something.
func limitText(e expr.Expr) string {
	if c, ok := e.(*expr.Case); ok && c.Else != nil {
		e = c.Else
	}
	return exprText(e)
}
