package query

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Scope is what column names mean at one place of one level.
type Scope struct {
	Rels []*Relation // whose columns may be named as relation.column
	Cols []Column    // those that may be named alone, in the order of *

	// next is more of the same: to an item of FROM, what stands to its left is in as many
	// scopes as there are joins around it.
	next *Scope
	// used says that a column of rels has been named from there: the item is lateral to them.
	used bool
	// barred may be seen and not named: the item is the right side of a RIGHT or FULL join.
	barred bool
	// Unseen are relations that stand in the same FROM and cannot be named here.
	Unseen []*Relation

	first [1]*Relation // where rels are kept if there is but one
}

// Relation is one named set of columns.
type Relation struct {
	Name   string // the alias, or the relation's own name; empty for none
	schema string // where the name is the relation's own
	real   string // the relation's own name where an alias hides it
	Table  *catalog.Table
	// get reads the table, where cells of its maps may be named, unless noCells says with
	// what they cannot.
	get     *logical.Get
	noCells string
	Cols    []Column // a table's: those of Table.Visible, one by one
	Right   *plan.Privilege
	// System are columns that * does not list and another column of the name hides: a
	// table's hidden key.
	System []Column

	node     logical.Node  // as it was bound; nil of a join
	hidden   []string      // the columns' own names, where an alias hides some
	join     bool          // a join's: its row is of its columns, never missing
	scalar   bool          // a function's that gives values: the row is the value
	nullable bool          // an outer join gives NULLs in the place of missing rows
	slot     *logical.Node // where a join holds the node that gives the rows
	row      *expr.Col     // the whole row, where that node gives it
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
	// right notes that the column is read, by its number; nil where that needs no right.
	right  *plan.Privilege
	number int
}

// ScopeOf is a scope of one relation.
func ScopeOf(r *Relation) *Scope {
	s := &Scope{Cols: r.Cols, first: [1]*Relation{r}}
	s.Rels = s.first[:]
	return s
}

// TableRelation gives all columns of a table.
func (b *Binder) TableRelation(t *catalog.Table, alias string) *Relation {
	r := &Relation{Name: t.Name, schema: t.Schema, Table: t}
	if alias != "" {
		r.Name, r.schema, r.real = alias, "", t.Name
	}
	b.Meta.Reserve(len(t.Columns))
	b.Meta.AddRelation()
	all := make([]Column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		id := b.Meta.Add(logical.Column{Name: c.Name, Type: c.Type, Relation: r.Name, Table: t.ID, ColumnID: c.ID, NotNull: c.NotNull})
		all[i] = Column{Name: c.Name, T: c.Type, ID: id}
	}
	r.Cols = all
	r.readable(b.Right(t, acl.None))
	n := len(t.Visible())
	r.Cols, r.System = all[:n:n], all[n:]
	return r
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

// rename applies the column list of an alias: 42P10 if it is too long.
func (r *Relation) rename(names []string, pos int) error {
	return r.renameAs("table", names, pos)
}

// renameAs is rename for what an error calls by another word than table.
func (r *Relation) renameAs(what string, names []string, pos int) error {
	if len(names) > len(r.Cols) {
		return sqlerr.New(sqlerr.InvalidColumnReference, what+` "%s" has %d columns available but %d columns specified`,
			r.Name, len(r.Cols), len(names)).At(pos)
	}
	if len(names) > 0 {
		r.hidden = make([]string, len(r.Cols))
		for i := range r.Cols {
			r.hidden[i] = r.Cols[i].Name
		}
	}
	for i, name := range names {
		r.Cols[i].Name = name
	}
	return nil
}

// Ref is a reference to the column.
func (c *Column) Ref(pos int) expr.Expr {
	if c.right != nil {
		c.right.Select(c.number)
	}
	if c.Merged != nil {
		return c.Merged
	}
	return &expr.Col{Index: c.ID, T: c.T, Name: c.Of + c.Name, At: pos}
}

// matches says whether a qualifier written as [schema.]name means r.
func (r *Relation) matches(schema, name string) bool {
	return r.Name == name && (schema == "" || schema == r.schema)
}

// column resolves a column reference: 42703, 42702, 42P01.
func (b *Binder) column(p *Place, n *tree.ColumnRef) (expr.Expr, error) {
	pos := b.Pos(n)
	if n.Table != "" {
		return b.qualified(p, n, pos)
	}
	for l := p.Level; l != nil; l = l.parent {
		c, err := p.local(l, n.Name, pos)
		if c != nil || err != nil {
			return c, err
		}
	}
	if r, _, _, _ := b.mapNamed(p, n); r != nil {
		return nil, wholeMap(n.Name, pos)
	}
	if row, err := b.rowOf(p, "", n.Name, pos); row != nil || err != nil {
		return row, err
	}
	return nil, p.undefined("", n.Name, pos)
}

// local finds a column in the scope of l: nil if it has none of the name.
func (p *Place) local(l *Level, name string, pos int) (expr.Expr, error) {
	var found *Column
	var in *Scope
	for s := l.Scope; s != nil; s = s.next {
		c, err := find(s.Cols, name, pos)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		if found != nil {
			return nil, sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos)
		}
		found, in = c, s
	}
	if found == nil {
		var err error
		if found, in, err = l.Scope.systemColumn(name, pos); found == nil || err != nil {
			return nil, err
		}
	}
	return p.named(l, in, found, pos)
}

// systemColumn finds a system column of s and the scopes that follow.
func (s *Scope) systemColumn(name string, pos int) (found *Column, in *Scope, err error) {
	for ; s != nil; s = s.next {
		for _, r := range s.Rels {
			c, _ := find(r.System, name, pos)
			switch {
			case c == nil:
			case found != nil:
				return nil, nil, sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos)
			default:
				found, in = c, s
			}
		}
	}
	return found, in, nil
}

// named is a reference to a column in a scope of l.
func (p *Place) named(l *Level, in *Scope, c *Column, pos int) (expr.Expr, error) {
	if in.barred {
		return nil, barred(in.relationOf(c), pos)
	}
	if in != noColumns {
		in.used = true
	}
	p.Level.names(l)
	return c.Ref(pos), nil
}

// find gives the column of a name; nil if there is none, 42702 if there are two.
func find(cols []Column, name string, pos int) (*Column, error) {
	var found *Column
	for i := range cols {
		if cols[i].Name != name {
			continue
		}
		if found != nil {
			return nil, sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos)
		}
		found = &cols[i]
	}
	return found, nil
}

func (b *Binder) qualified(p *Place, n *tree.ColumnRef, pos int) (expr.Expr, error) {
	for l := p.Level; l != nil; l = l.parent {
		r, in := l.Scope.relation(n.Schema, n.Table)
		if r == nil {
			continue
		}
		c, err := find(r.Cols, n.Name, pos)
		if err != nil {
			return nil, err
		}
		if c == nil {
			c, _ = find(r.System, n.Name, pos) // their names differ
		}
		if c == nil && r.hasMap(n.Name) {
			return nil, wholeMap(n.Name, pos)
		}
		if c == nil {
			return nil, p.undefined(n.Table, n.Name, pos)
		}
		return p.named(l, in, c, pos)
	}
	if n.Schema == "" {
		for l := p.Level; l != nil; l = l.parent {
			if c, in := l.Scope.inFamily(n.Table, n.Name); c != nil {
				return p.named(l, in, c, pos)
			}
		}
	}
	return nil, p.missingRelation(n.Schema, n.Table, pos)
}

// inFamily finds the column of Phoenix's family.column; nil if no relation has it.
func (s *Scope) inFamily(family, name string) (*Column, *Scope) {
	for ; s != nil; s = s.next {
		for _, r := range s.Rels {
			if r.Table == nil {
				continue
			}
			for i := range r.Cols {
				if r.Table.InFamily(i, family) && r.Cols[i].Name == name {
					return &r.Cols[i], s
				}
			}
		}
	}
	return nil, nil
}

// relation finds a relation by what stands before a column's name.
func (s *Scope) relation(schema, name string) (*Relation, *Scope) {
	for ; s != nil; s = s.next {
		for _, r := range s.Rels {
			if r.matches(schema, name) {
				return r, s
			}
		}
	}
	return nil, nil
}

// relationOf gives the name of the relation that a column is of.
func (s *Scope) relationOf(c *Column) string {
	for _, r := range s.Rels {
		for i := range r.Cols {
			if c.Merged == nil && r.Cols[i].ID == c.ID {
				return r.Name
			}
		}
	}
	return c.Name
}
