package plan

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// Describe shows the span, what is filtered, what is read and how far.
func (n *Scan) Describe() Description {
	d := n.named(n.Access.String())
	if n.Key != nil {
		key := "span"
		if n.Access == PointRead || n.Access == MultiPointRead {
			key = "key"
		}
		d.Attrs = append(d.Attrs, attrs(key, n.Key.Span)...)
		if n.Key.MaxSpans == 1 {
			d.Attrs = append(d.Attrs, Attr{Value: "read as one range"})
		}
	}
	if n.PointsOnly() && n.Table.Options.SaltBuckets > 0 {
		d.Attrs = append(d.Attrs, attrs("buckets", bucketText(n))...)
	}
	d.Attrs = append(d.Attrs, attrs("seeks", n.seekText(), "filter", exprText(n.Filter))...)
	switch {
	case n.KeysOnly(), len(n.read()) == 0:
		d.Attrs = append(d.Attrs, Attr{Value: "keys only"})
	default:
		d.Attrs = append(d.Attrs, attrs("columns", tableColumns(n.Table, n.read()))...)
	}
	if n.Order == Reverse {
		d.Attrs = append(d.Attrs, Attr{Value: "reverse"})
	}
	d.Attrs = append(d.Attrs, n.limitAttrs()...)
	if n.ForUpdate {
		d.Attrs = append(d.Attrs, Attr{Value: "for update"})
	}
	return d
}

// named begins a description: the table, what the statement calls it, and the index.
func (n *Scan) named(node string) Description {
	of := n.Table
	if n.Of != nil {
		of = n.Of
	}
	d := Description{Name: node, Object: tableName(of)}
	if n.Alias != "" && n.Alias != of.Name {
		d.Alias = n.Alias
	}
	if n.Of != nil {
		d.Attrs = attrs("index", n.Table.Name)
		if n.Covered {
			d.Attrs = append(d.Attrs, Attr{Value: "covered"})
		}
	}
	return d
}

// seekText says what rows are sought by.
func (n *Scan) seekText() string {
	switch {
	case n.Distinct > 0:
		return "the first row of each " + keyNames(n.Table, allColumns(n.Distinct))
	case n.Skip != nil:
		return n.Skip.Span + " for each " + keyNames(n.Table, allColumns(n.SkipFrom))
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

// Describe shows what narrows the rows.
func (n *VirtualScan) Describe() Description {
	d := Description{Name: "Virtual Scan", Object: n.Relation.Schema + "." + n.Relation.Name}
	if n.Alias != "" && n.Alias != n.Relation.Name {
		d.Alias = n.Alias
	}
	texts := make([]string, len(n.Equal))
	for i, e := range n.Equal {
		texts[i] = n.Relation.Columns[e.Column].Name + " = " + bare(expr.ToText(e.Value))
	}
	d.Attrs = attrs("lookup", strings.Join(texts, ", "), "filter", exprText(n.Filter))
	return d
}

// limitAttrs shows what the limit means for the scan.
func (n *Scan) limitAttrs() []Attr {
	if n.Limit == nil {
		return nil
	}
	buckets := n.Table.Options.SaltBuckets
	switch {
	case n.Loose:
		return attrs("first", limitText(n.Limit)+" rows")
	case buckets == 0 || n.Access == PointRead || n.Of != nil:
		return attrs("limit", limitText(n.Limit))
	}
	if c, ok := n.Limit.(*expr.Const); ok && !c.Value.Null && n.Order != Unordered && n.Access != MultiPointRead {
		return attrs("first page", fmt.Sprintf("%d rows per bucket", FirstPage(c.Value.Int, buckets)))
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
