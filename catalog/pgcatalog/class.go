package pgcatalog

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Class is a row of pg_class in the making: one of the pointers says what it is.
type Class struct {
	OID    uint32
	Schema string
	Name   string
	Kind   byte // relkind

	Table   *catalog.Table
	View    *catalog.View
	seq     *catalog.Sequence
	virtual *relation
	Index   *Index
}

// Index is an index of a table: its primary key's, or one beside it.
type Index struct {
	oid, Constraint uint32 // Constraint is 0 where it is none's
	Name            string
	Table           *catalog.Table
	columns         []indexColumn
	keys            int // of columns: those that follow are included
	primary, unique bool
	def             *catalog.Index // nil: the primary key's
	comment         string
	ofConstraint    string // the constraint's comment
}

// indexColumn is a column of an index.
type indexColumn struct {
	id               int // attnum of the table's column, 0 for an expression
	name             string
	typ              types.T
	desc, nullsFirst bool
	part             *catalog.IndexPart // an expression
	opclass          string             // "" is the type's
}

// IndexesOf lists a table's indexes.
func IndexesOf(t *catalog.Table) []*Index {
	var list []*Index
	if t.HiddenKey() == nil {
		x := &Index{
			oid: partOID(t.ID, partKeyIndex), Constraint: partOID(t.ID, partKeyConstraint), Name: t.PrimaryKeyName,
			Table: t, keys: len(t.PrimaryKey), primary: true, unique: true, comment: t.KeyIndexComment, ofConstraint: t.KeyComment,
		}
		if t.Materialized != nil { // which has unique indexes, and no constraints
			x.Constraint, x.primary = 0, false
		}
		for _, k := range t.PrimaryKey {
			c := &t.Columns[k]
			x.columns = append(x.columns, indexColumn{id: c.ID, name: c.Name, typ: c.Type, desc: c.Desc, nullsFirst: c.Desc})
		}
		list = append(list, x)
	}
	for i := range t.Indexes {
		if ix := &t.Indexes[i]; ix.Kept() {
			list = append(list, indexOf(t, ix))
		}
	}
	return list
}

func indexOf(t *catalog.Table, ix *catalog.Index) *Index {
	x := &Index{oid: ix.ID, Name: ix.Name, Table: t, keys: len(ix.Parts), unique: ix.Unique, def: ix, comment: ix.Comment, ofConstraint: ix.ConstraintComment}
	if ix.Constraint {
		x.Constraint = partOID(ix.ID, partKeyConstraint)
	}
	for i := range ix.Parts {
		p := &ix.Parts[i]
		c := indexColumn{id: p.Column, name: p.Label(t), typ: p.Type, desc: p.Desc, nullsFirst: p.NullsFirst, opclass: p.OpClass}
		if p.Column == 0 {
			c.part = p
		}
		x.columns = append(x.columns, c)
	}
	for _, id := range ix.Include {
		if c := t.ColumnByID(id); c != nil {
			x.columns = append(x.columns, indexColumn{id: id, name: c.Name, typ: c.Type})
		}
	}
	return x
}

func (x *Index) class() *Class {
	return &Class{OID: x.oid, Schema: x.Table.Schema, Name: x.Name, Kind: 'i', Index: x}
}

func virtualClass(r *relation) *Class {
	c := &Class{OID: r.ID, Schema: r.Schema, Name: r.Name, Kind: 'r', virtual: r}
	if r.Kind == "view" {
		c.Kind = 'v'
	}
	return c
}

// classOf makes the class of a relation of users.
func classOf(r catalog.Relation) *Class {
	c := &Class{OID: r.RelID(), Schema: r.RelSchema(), Name: r.RelName()}
	switch r := r.(type) {
	case *catalog.Table:
		c.Kind, c.Table = 'r', r
		if r.Materialized != nil {
			c.Kind = 'm'
		}
	case *catalog.View:
		c.Kind, c.View = 'v', r
	case *catalog.Sequence:
		c.Kind, c.seq = 'S', r
	}
	return c
}

// classByOID finds one; nil if there is none.
func classByOID(s *catalog.Snapshot, oid uint32) *Class {
	switch r := s.ByID(oid).(type) {
	case nil:
	case *catalog.Virtual:
		return virtualClass(relationByOID[oid])
	default:
		return classOf(r)
	}
	if t, ix := s.IndexByID(oid); ix != nil && ix.Kept() {
		return indexOf(t, ix).class()
	}
	var found *Index
	findPart(s, oid, func(t *catalog.Table) bool {
		for _, x := range IndexesOf(t) {
			if x.oid == oid {
				found = x
				return true
			}
		}
		return false
	})
	if found == nil {
		return nil
	}
	return found.class()
}

// eachClass visits the classes that may have this OID and this name; nil is any.
func eachClass(s *catalog.Snapshot, oid *uint32, name *string, visit func(c *Class) error) error {
	if oid != nil {
		if c := classByOID(s, *oid); c != nil {
			return visit(c)
		}
		return nil
	}
	is := func(n string) bool { return name == nil || *name == n }
	system, users := relations, s.Relations()
	if name != nil {
		system, users = relationsNamed[*name], s.Named(*name)
	}
	for _, r := range system {
		if err := visit(virtualClass(r)); err != nil {
			return err
		}
	}
	for _, r := range users {
		if is(r.RelName()) {
			if err := visit(classOf(r)); err != nil {
				return err
			}
		}
		t, ok := r.(*catalog.Table)
		if !ok {
			continue
		}
		for _, x := range IndexesOf(t) {
			if !is(x.Name) {
				continue
			}
			if err := visit(x.class()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Classes visits the classes that a query may want by the values of the columns named.
func (q *Query) Classes(oidColumn, nameColumn string, visit func(c *Class) error) error {
	var o *uint32
	var n *string
	if oidColumn != "" {
		if v, ok := q.wantOID(oidColumn); ok {
			o = &v
		}
	}
	if nameColumn != "" {
		if v, ok := q.wantText(nameColumn); ok {
			n = &v
		}
	}
	return eachClass(q.Snap, o, n, visit)
}

// columns is how many a class has.
func (c *Class) columns() int {
	switch {
	case c.Table != nil:
		return c.Table.NextColumnID - 1
	case c.View != nil:
		return len(c.View.Columns)
	case c.seq != nil:
		return 3
	case c.virtual != nil:
		return len(c.virtual.visible())
	}
	return len(c.Index.columns)
}

func (c *Class) comment() string {
	switch {
	case c.Table != nil:
		return c.Table.Comment
	case c.View != nil:
		return c.View.Comment
	case c.seq != nil:
		return c.seq.Comment
	case c.Index != nil:
		return c.Index.comment
	}
	return ""
}

// visible says that a name without its schema finds the class.
func (c *Class) visible(s *catalog.Snapshot, path []string) bool {
	if c.Index == nil {
		found := s.Lookup(catalog.Name{Name: c.Name, Path: notNil(path)})
		return found != nil && found.RelID() == c.OID
	}
	if temp := s.TempSchema(); temp != "" {
		path = append([]string{temp}, path...)
	}
	for _, schema := range path {
		if schema == c.Schema {
			return true
		}
		if s.Relation(schema, c.Name) != nil {
			return false
		}
	}
	return false
}

// notNil makes a path that finds nothing of none: a nil one means the default.
func notNil(path []string) []string {
	if path == nil {
		return []string{}
	}
	return path
}

// shown is the name as a regclass prints it.
func (c *Class) shown(s *catalog.Snapshot, path []string) string {
	if c.visible(s, path) {
		return ident.Quote(c.Name)
	}
	return c.qualified()
}

func (c *Class) qualified() string { return ident.Quote(c.Schema) + "." + ident.Quote(c.Name) }

// ColumnNames are those of the key, in its order.
func (x *Index) ColumnNames() []string {
	names := make([]string, x.keys)
	for i := range names {
		names[i] = x.columns[i].name
	}
	return names
}

// Position is the place of a table's column in the key, from 1; 0 where it is not of it.
func (x *Index) Position(column int) int {
	return slices.IndexFunc(x.columns[:x.keys], func(c indexColumn) bool { return c.id == column }) + 1
}
