package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// class is a row of pg_class in the making: one of the pointers says what it is.
type class struct {
	oid    uint32
	schema string
	name   string
	kind   byte // relkind

	table   *catalog.Table
	view    *catalog.View
	seq     *catalog.Sequence
	virtual *relation
	index   *index
}

// index is an index of a table: its primary key's, or one beside it.
type index struct {
	oid, constraint uint32 // constraint is 0 where it is none's
	name            string
	table           *catalog.Table
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

// indexesOf lists a table's indexes.
func indexesOf(t *catalog.Table) []*index {
	var list []*index
	if t.HiddenKey() == nil {
		x := &index{
			oid: partOID(t.ID, partKeyIndex), constraint: partOID(t.ID, partKeyConstraint), name: t.PrimaryKeyName,
			table: t, keys: len(t.PrimaryKey), primary: true, unique: true, comment: t.KeyIndexComment, ofConstraint: t.KeyComment,
		}
		if t.Materialized != nil { // which has unique indexes, and no constraints
			x.constraint, x.primary = 0, false
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

func indexOf(t *catalog.Table, ix *catalog.Index) *index {
	x := &index{oid: ix.ID, name: ix.Name, table: t, keys: len(ix.Parts), unique: ix.Unique, def: ix, comment: ix.Comment, ofConstraint: ix.ConstraintComment}
	if ix.Constraint {
		x.constraint = partOID(ix.ID, partKeyConstraint)
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

func (x *index) class() *class {
	return &class{oid: x.oid, schema: x.table.Schema, name: x.name, kind: 'i', index: x}
}

func virtualClass(r *relation) *class {
	c := &class{oid: r.ID, schema: r.Schema, name: r.Name, kind: 'r', virtual: r}
	if r.Kind == "view" {
		c.kind = 'v'
	}
	return c
}

// classOf makes the class of a relation of users.
func classOf(r catalog.Relation) *class {
	c := &class{oid: r.RelID(), schema: r.RelSchema(), name: r.RelName()}
	switch r := r.(type) {
	case *catalog.Table:
		c.kind, c.table = 'r', r
		if r.Materialized != nil {
			c.kind = 'm'
		}
	case *catalog.View:
		c.kind, c.view = 'v', r
	case *catalog.Sequence:
		c.kind, c.seq = 'S', r
	}
	return c
}

// classByOID finds one; nil if there is none.
func classByOID(s *catalog.Snapshot, oid uint32) *class {
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
	var found *index
	findPart(s, oid, func(t *catalog.Table) bool {
		for _, x := range indexesOf(t) {
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
func eachClass(s *catalog.Snapshot, oid *uint32, name *string, visit func(c *class) error) error {
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
		for _, x := range indexesOf(t) {
			if !is(x.name) {
				continue
			}
			if err := visit(x.class()); err != nil {
				return err
			}
		}
	}
	return nil
}

// classes is eachClass for what a query wants of the columns named.
func (q *query) classes(oidColumn, nameColumn string, visit func(c *class) error) error {
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
	return eachClass(q.snap, o, n, visit)
}

// columns is how many a class has.
func (c *class) columns() int {
	switch {
	case c.table != nil:
		return c.table.NextColumnID - 1
	case c.view != nil:
		return len(c.view.Columns)
	case c.seq != nil:
		return 3
	case c.virtual != nil:
		return len(c.virtual.visible())
	}
	return len(c.index.columns)
}

func (c *class) comment() string {
	switch {
	case c.table != nil:
		return c.table.Comment
	case c.view != nil:
		return c.view.Comment
	case c.seq != nil:
		return c.seq.Comment
	case c.index != nil:
		return c.index.comment
	}
	return ""
}

// visible says that a name without its schema finds the class.
func (c *class) visible(s *catalog.Snapshot, path []string) bool {
	if c.index == nil {
		found := s.Lookup(catalog.Name{Name: c.name, Path: notNil(path)})
		return found != nil && found.RelID() == c.oid
	}
	if temp := s.TempSchema(); temp != "" {
		path = append([]string{temp}, path...)
	}
	for _, schema := range path {
		if schema == c.schema {
			return true
		}
		if s.Relation(schema, c.name) != nil {
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
func (c *class) shown(s *catalog.Snapshot, path []string) string {
	if c.visible(s, path) {
		return ident.Quote(c.name)
	}
	return c.qualified()
}

func (c *class) qualified() string { return ident.Quote(c.schema) + "." + ident.Quote(c.name) }

// columnNames are those of the key, in its order.
func (x *index) columnNames() []string {
	names := make([]string, x.keys)
	for i := range names {
		names[i] = x.columns[i].name
	}
	return names
}
