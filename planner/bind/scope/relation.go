package scope

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Relation is one named set of columns.
type Relation struct {
	Name    string // the alias, or the relation's own name; empty for none
	Schema  string // where the name is the relation's own
	OwnName string // the relation's own name where an alias hides it
	Table   *catalog.Table
	// Get reads the table, where cells of its maps may be named, unless noCells says with
	// what they cannot.
	Get     *logical.Get
	noCells string
	Cols    []Column // a table's: those of Table.Visible, one by one
	Right   *plan.Privilege
	// System are columns that * does not list and another column of the name hides: a
	// table's hidden key.
	System []Column

	Node     logical.Node  // as it was bound; nil of a join
	OwnNames []string      // the columns' own names, where an alias hides some
	Join     bool          // a join's: its row is of its columns, never missing
	Scalar   bool          // a function's that gives values: the row is the value
	Nullable bool          // an outer join gives NULLs in the place of missing rows
	Slot     *logical.Node // where a join holds the node that gives the rows
	Row      *expr.Col     // the whole row, where that node gives it
}

// Column is a name and what it stands for.
type Column struct {
	Name string
	T    types.T
	ID   logical.ColumnID
	// Of stands before the name in EXPLAIN where two relations have the same names.
	Of string
	// Merged is the value of a column that USING has made of two, if it is neither of them.
	Merged expr.Expr
	// Right notes that the column is read, by its ID in the catalog; nil where that needs no right.
	Right    *plan.Privilege
	ColumnID int
}

// IDs are the relation's columns, those of the system last.
func (r *Relation) IDs() []logical.ColumnID {
	out := make([]logical.ColumnID, 0, len(r.Cols)+len(r.System))
	for c := range r.All {
		out = append(out, c.ID)
	}
	return out
}

// All yields the columns, those of the system last: a table's are those of Table.Columns.
func (r *Relation) All(yield func(*Column) bool) {
	for i := range r.Cols {
		if !yield(&r.Cols[i]) {
			return
		}
	}
	for i := range r.System {
		if !yield(&r.System[i]) {
			return
		}
	}
}

// Rename applies the column list of an alias: 42P10 if it is too long.
func (r *Relation) Rename(names []string, pos int) {
	r.RenameAs("table", names, pos)
}

// RenameAs is Rename for what an error calls by another word than table.
func (r *Relation) RenameAs(what string, names []string, pos int) {
	if len(names) > len(r.Cols) {
		panic(sqlerr.New(sqlerr.InvalidColumnReference, what+` "%s" has %d columns available but %d columns specified`,
			r.Name, len(r.Cols), len(names)).At(pos))
	}
	if len(names) > 0 {
		r.OwnNames = make([]string, len(r.Cols))
		for i := range r.Cols {
			r.OwnNames[i] = r.Cols[i].Name
		}
	}
	for i, name := range names {
		r.Cols[i].Name = name
	}
}

// Ref is a reference to the column.
func (c *Column) Ref(pos int) expr.Expr {
	if c.Right != nil {
		c.Right.Select(c.ColumnID)
	}
	if c.Merged != nil {
		return c.Merged
	}
	return &expr.Col{Index: c.ID, T: c.T, Name: c.Of + c.Name, At: pos}
}

// matches says whether a qualifier written as [schema.]name means r.
func (r *Relation) matches(schema, name string) bool {
	return r.Name == name && (schema == "" || schema == r.Schema)
}

// Readable notes which of a relation's columns are read, as they are named.
func (r *Relation) Readable(right *plan.Privilege) {
	r.Right = right
	for i := range r.Cols {
		r.Cols[i].Right = right
		if r.Table != nil {
			r.Cols[i].ColumnID = r.Table.Columns[i].ID
		}
	}
}

// ReadBy says what reads the relation's table, by which cells of its maps can be named.
func (r *Relation) ReadBy(get *logical.Get) { r.Get = get }

// NoCells refuses cells of the relation's maps: they do not go with what words say.
func (r *Relation) NoCells(words string) { r.noCells = words }

// CellsHere refuses a cell of one of the relation's maps where NoCells has been called.
func (r *Relation) CellsHere(pos int) {
	if r.noCells == "" {
		return
	}
	panic(sqlerr.Unsupported("a cell of a map with "+r.noCells+" is not supported", "Read the cells by a query of its own; UPDATE and DELETE take them.").At(pos))
}

// HasMap says that family is a map whose cells can be named.
func (r *Relation) HasMap(family string) bool {
	return r.Get != nil && r.Table != nil && r.Table.Map(family) != nil
}

// RowType is the type of the relation's whole row.
func (r *Relation) RowType() types.T { return types.RecordOf(r.Shape()) }

// IsRow says that a column is the relation's whole row, where a node below makes it.
func (r *Relation) IsRow(id logical.ColumnID) bool { return r.Row != nil && r.Row.Index == id }

// Shape is that of the relation's rows: of a table or a view it has the columns' own names.
func (r *Relation) Shape() *types.Shape {
	name := r.OwnName
	if name == "" && r.Schema != "" {
		name = r.Name
	}
	fields := make([]types.Field, len(r.Cols))
	for i := range r.Cols {
		fields[i] = types.Field{Name: r.Cols[i].Name, T: r.Cols[i].T}
		if name != "" && i < len(r.OwnNames) {
			fields[i].Name = r.OwnNames[i]
		}
	}
	return types.ShapeOf(name, fields)
}
