package viewtext

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
)

// rowType is the cast of a whole row in a select list or ROW(…), where item.* alone would be its
// columns; "" of everything else.
func (p *viewPrinter) rowType(e expr.Expr, l *printedLevel) string {
	var it *printedItem
	switch e := e.(type) {
	case *expr.Col:
		for at := l; at != nil && it == nil; at = at.parent {
			it = at.rowColumn(e.Index)
		}
	case *expr.Call:
		if fields, ok := builtin.RowFields(e); ok {
			it = l.wholeRow(e, fields)
		}
	}
	switch {
	case it == nil:
		return ""
	case it.read == nil:
		return "::record"
	}
	return "::" + catalog.MarkRelation(it.read.RelID())
}

// rowColumn gives the item of which a column is the whole row, made below an outer join.
func (l *printedLevel) rowColumn(id logical.ColumnID) *printedItem {
	for i := range l.items {
		if l.items[i].rel.IsRow(id) {
			return &l.items[i]
		}
	}
	return nil
}

// record gives what prints a call that makes a row, or takes a field of one; nil for others.
func (p *viewPrinter) record(x *expr.Call, l *printedLevel) func() string {
	if fields, ok := builtin.RowFields(x); ok {
		if it := l.wholeRow(x, fields); it != nil {
			return func() string { return catalog.MarkItem(it.n) + ".*" }
		}
		if x.T.Shape().Table() {
			p.fail(sqlerr.Unsupported("a row that is cast to the type of a table's in a view is not supported", "Write it in the query that reads the view."))
		}
		return func() string {
			text := "ROW("
			for i, f := range fields {
				if i > 0 {
					text += ", "
				}
				text = joined(text, p.expr(f, l)+p.rowType(f, l))
			}
			return text + ")"
		}
	}
	if of, name, ok := builtin.FieldOf(x); ok {
		return func() string { return "(" + p.expr(of, l) + ")." + ident.Quote(name) }
	}
	return nil
}

// wholeRow gives the item, of l or a level around it, whose columns are a row's fields, by
// their names; nil for none.
func (l *printedLevel) wholeRow(x *expr.Call, fields []expr.Expr) *printedItem {
	for ; l != nil; l = l.parent {
		for i := range l.items {
			rel := l.items[i].rel
			if len(rel.Cols) != len(fields) || len(fields) == 0 {
				continue
			}
			same := true
			for c := range fields {
				col, ok := fields[c].(*expr.Col)
				same = same && ok && rel.Cols[c].ID == col.Index
			}
			if same && rel.RowType() == x.T {
				return &l.items[i]
			}
		}
	}
	return nil
}
