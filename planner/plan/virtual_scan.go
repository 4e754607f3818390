package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// VirtualScan reads a virtual relation: one whose rows are computed, as those of the
// system catalogs are.
type VirtualScan struct {
	Relation *catalog.Virtual
	Alias    string
	// Cols are the columns given, as indexes into Relation.Columns.
	Cols []int
	// Equal narrows what is computed: only rows that satisfy all of it are needed.
	// It may be ignored: Filter says it again.
	Equal []VirtualEqual
	// Filter is over Cols; nil is true.
	Filter expr.Expr
}

// VirtualEqual is column = Value, which is free of columns and of the column's type, or
// column ~ Value.
type VirtualEqual struct {
	Column int // of Relation.Columns
	Value  expr.Expr
	// Regex says that Value is a regular expression: it narrows where one text alone matches.
	Regex bool
}

func (n *VirtualScan) Inputs() []Node { return nil }

func (n *VirtualScan) EachExpr(x *Exprs) {
	x.One(&n.Filter)
	for i := range places(x, &n.Equal) {
		x.One(&n.Equal[i].Value)
	}
}

// Columns are Cols.
func (n *VirtualScan) Columns() []Column {
	cols := make([]Column, len(n.Cols))
	for i, c := range n.Cols {
		col := &n.Relation.Columns[c]
		cols[i] = Column{Name: col.Name, Type: col.Type, Table: n.Relation.ID, ColumnID: c + 1}
	}
	return cols
}
