package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
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

// index is an index of a table: its primary key's.
type index struct {
	oid, constraint uint32
	name            string
	table           *catalog.Table
	key             []int // columns, as places in table.Columns
	primary, unique bool
}

// indexesOf lists a table's indexes.
func indexesOf(t *catalog.Table) []*index {
	if t.HiddenKey() != nil {
		return nil
	}
	return []*index{{
		oid: partOID(t.ID, partKeyIndex), constraint: partOID(t.ID, partKeyConstraint), name: t.PrimaryKeyName,
		table: t, key: t.PrimaryKey, primary: true, unique: true,
	}}
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
		for _, v := range relations {
			if v.ID == oid {
				return virtualClass(v)
			}
		}
	default:
		return classOf(r)
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
	for _, r := range relations {
		if is(r.Name) {
			if err := visit(virtualClass(r)); err != nil {
				return err
			}
		}
	}
	for _, r := range s.Relations() {
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
	return len(c.index.key)
}

func (c *class) comment() string {
	switch {
	case c.table != nil:
		return c.table.Comment
	case c.view != nil:
		return c.view.Comment
	case c.seq != nil:
		return c.seq.Comment
	}
	return ""
}

// visible says that a name without its schema finds the class.
func (c *class) visible(s *catalog.Snapshot, path []string) bool {
	if c.index == nil {
		found := s.Lookup(catalog.Name{Name: c.name, Path: notNil(path)})
		return found != nil && found.RelID() == c.oid
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
	names := make([]string, len(x.key))
	for i, k := range x.key {
		names[i] = x.table.Columns[k].Name
	}
	return names
}
