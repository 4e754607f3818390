package bind

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

// scope is what column names mean at one place of one level.
type scope struct {
	rels []*relation // whose columns may be named as relation.column
	cols []column    // those that may be named alone, in the order of *

	// next is more of the same: to an item of FROM, what stands to its left is in as many
	// scopes as there are joins around it.
	next *scope
	// used says that a column of rels has been named from there: the item is lateral to them.
	used bool
	// barred may be seen and not named: the item is the right side of a RIGHT or FULL join.
	barred bool
	// unseen are relations that stand in the same FROM and cannot be named here.
	unseen []*relation

	first [1]*relation // where rels are kept if there is but one
}

// relation is one named set of columns.
type relation struct {
	name   string // the alias, or the relation's own name; empty for none
	schema string // where the name is the relation's own
	real   string // the relation's own name where an alias hides it
	table  *catalog.Table
	cols   []column // a table's: those of Table.Visible, one by one
	right  *plan.Privilege
	// system are columns that * does not list and another column of the name hides: a
	// table's hidden key.
	system []column
}

// column is a name and what it stands for.
type column struct {
	name string
	t    types.T
	id   logical.ColumnID
	// of stands before the name in EXPLAIN where two relations have the same names.
	of string
	// merged is the value of a column that USING has made of two, if it is neither of them.
	merged expr.Expr
	// right notes that the column is read, by its number; nil where that needs no right.
	right  *plan.Privilege
	number int
}

// one is a scope of one relation.
func one(r *relation) *scope {
	s := &scope{cols: r.cols, first: [1]*relation{r}}
	s.rels = s.first[:]
	return s
}

// tableRelation gives all columns of a table.
func (b *binder) tableRelation(t *catalog.Table, alias string) *relation {
	r := &relation{name: t.Name, schema: t.Schema, table: t}
	if alias != "" {
		r.name, r.schema, r.real = alias, "", t.Name
	}
	b.meta.Reserve(len(t.Columns))
	b.meta.AddRelation()
	all := make([]column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		id := b.meta.Add(logical.Column{Name: c.Name, Type: c.Type, Relation: r.name, Table: t.ID, ColumnID: c.ID, NotNull: c.NotNull})
		all[i] = column{name: c.Name, t: c.Type, id: id}
	}
	r.cols = all
	r.readable(b.right(t, acl.None))
	n := len(t.Visible())
	r.cols, r.system = all[:n:n], all[n:]
	return r
}

// ids are the relation's columns, those of the system last.
func (r *relation) ids() []logical.ColumnID {
	out := make([]logical.ColumnID, 0, len(r.cols)+len(r.system))
	for c := range r.all {
		out = append(out, c.id)
	}
	return out
}

// all yields the columns, those of the system last: a table's are those of Table.Columns.
func (r *relation) all(yield func(*column) bool) {
	for i := range r.cols {
		if !yield(&r.cols[i]) {
			return
		}
	}
	for i := range r.system {
		if !yield(&r.system[i]) {
			return
		}
	}
}

// rename applies the column list of an alias: 42P10 if it is too long.
func (r *relation) rename(names []string, pos int) error {
	return r.renameAs("table", names, pos)
}

// renameAs is rename for what an error calls by another word than table.
func (r *relation) renameAs(what string, names []string, pos int) error {
	if len(names) > len(r.cols) {
		return sqlerr.New(sqlerr.InvalidColumnReference, what+` "%s" has %d columns available but %d columns specified`,
			r.name, len(r.cols), len(names)).At(pos)
	}
	for i, name := range names {
		r.cols[i].name = name
	}
	return nil
}

// ref is a reference to the column.
func (c *column) ref(pos int) expr.Expr {
	if c.right != nil {
		c.right.Select(c.number)
	}
	if c.merged != nil {
		return c.merged
	}
	return &expr.Col{Index: c.id, T: c.t, Name: c.of + c.name, At: pos}
}

// matches says whether a qualifier written as [schema.]name means r.
func (r *relation) matches(schema, name string) bool {
	return r.name == name && (schema == "" || schema == r.schema)
}

// column resolves a column reference: 42703, 42702, 42P01.
func (b *binder) column(p *place, n *tree.ColumnRef) (expr.Expr, error) {
	pos := b.pos(n)
	if n.Table != "" {
		return b.qualified(p, n, pos)
	}
	for l := p.level; l != nil; l = l.parent {
		c, err := p.local(l, n.Name, pos)
		if c != nil || err != nil {
			return c, err
		}
	}
	for l := p.level; l != nil; l = l.parent {
		if r, _ := l.scope.relation("", n.Name); r != nil {
			return nil, wholeRow(n.Name, pos)
		}
	}
	return nil, p.undefined("", n.Name, pos)
}

// local finds a column in the scope of l: nil if it has none of the name.
func (p *place) local(l *level, name string, pos int) (expr.Expr, error) {
	var found *column
	var in *scope
	for s := l.scope; s != nil; s = s.next {
		c, err := find(s.cols, name, pos)
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
		if found, in, err = l.scope.systemColumn(name, pos); found == nil || err != nil {
			return nil, err
		}
	}
	return p.named(l, in, found, pos)
}

// systemColumn finds a system column of s and the scopes that follow.
func (s *scope) systemColumn(name string, pos int) (found *column, in *scope, err error) {
	for ; s != nil; s = s.next {
		for _, r := range s.rels {
			c, _ := find(r.system, name, pos)
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
func (p *place) named(l *level, in *scope, c *column, pos int) (expr.Expr, error) {
	if in.barred {
		return nil, barred(in.relationOf(c), pos)
	}
	if in != noColumns {
		in.used = true
	}
	p.level.names(l)
	return c.ref(pos), nil
}

// find gives the column of a name; nil if there is none, 42702 if there are two.
func find(cols []column, name string, pos int) (*column, error) {
	var found *column
	for i := range cols {
		if cols[i].name != name {
			continue
		}
		if found != nil {
			return nil, sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos)
		}
		found = &cols[i]
	}
	return found, nil
}

func (b *binder) qualified(p *place, n *tree.ColumnRef, pos int) (expr.Expr, error) {
	for l := p.level; l != nil; l = l.parent {
		r, in := l.scope.relation(n.Schema, n.Table)
		if r == nil {
			continue
		}
		c, err := find(r.cols, n.Name, pos)
		if err != nil {
			return nil, err
		}
		if c == nil {
			c, _ = find(r.system, n.Name, pos) // their names differ
		}
		if c == nil {
			return nil, p.undefined(n.Table, n.Name, pos)
		}
		return p.named(l, in, c, pos)
	}
	if n.Schema == "" {
		for l := p.level; l != nil; l = l.parent {
			if c, in := l.scope.inFamily(n.Table, n.Name); c != nil {
				return p.named(l, in, c, pos)
			}
		}
	}
	return nil, p.missingRelation(n.Schema, n.Table, pos)
}

// inFamily finds the column of Phoenix's family.column; nil if no relation has it.
func (s *scope) inFamily(family, name string) (*column, *scope) {
	for ; s != nil; s = s.next {
		for _, r := range s.rels {
			if r.table == nil {
				continue
			}
			for i := range r.cols {
				if r.table.Columns[i].Family == family && r.cols[i].name == name {
					return &r.cols[i], s
				}
			}
		}
	}
	return nil, nil
}

// relation finds a relation by what stands before a column's name.
func (s *scope) relation(schema, name string) (*relation, *scope) {
	for ; s != nil; s = s.next {
		for _, r := range s.rels {
			if r.matches(schema, name) {
				return r, s
			}
		}
	}
	return nil, nil
}

// relationOf gives the name of the relation that a column is of.
func (s *scope) relationOf(c *column) string {
	for _, r := range s.rels {
		for i := range r.cols {
			if c.merged == nil && r.cols[i].id == c.id {
				return r.name
			}
		}
	}
	return c.name
}
