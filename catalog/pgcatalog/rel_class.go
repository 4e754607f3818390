package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	source("pg_catalog.pg_class", pgClass, "oid", "relname")
	source("pg_catalog.pg_attribute", pgAttribute, "attrelid")
	source("pg_catalog.pg_attrdef", pgAttrdef, "adrelid")
	source("pg_catalog.pg_namespace", pgNamespace)
}

func pgClass(q *query) error {
	return q.classes("oid", "relname", func(c *class) error {
		ns := schemaOID(q.snap, c.schema)
		if !q.isOID("relnamespace", ns) {
			return nil
		}
		am, tuples, pages, checks := uint32(0), -1.0, int64(0), 0
		persistence, identity, hasIndex := byte('p'), byte('n'), false
		if catalog.IsTempSchema(c.schema) {
			persistence = 't'
		}
		options, keyed := null, false
		switch {
		case c.table != nil:
			am, identity, hasIndex, checks = heapAM, 'd', len(indexesOf(c.table)) > 0, len(c.table.Checks)
			tuples = q.EstimatedRows(c.table)
			// PostgreSQL has triggers for foreign keys; psql looks for these.
			keyed = len(c.table.ForeignKeys) > 0 || q.snap.Referenced(c.oid)
			if o := c.table.RelOptions(); len(o) > 0 && q.ShowsOptions() {
				options = array(types.Text, text, o)
			}
		case c.index != nil:
			am, tuples = btreeAM, q.EstimatedRows(c.index.table)
			if o := c.index.options(); len(o) > 0 && q.ShowsOptions() {
				options = array(types.Text, text, o)
			}
		case c.seq != nil:
			tuples, pages = 1, 1
		case c.view != nil:
			tuples = 0
			if c.view.Check != "" {
				options = array(types.Text, text, []string{"check_option=" + c.view.Check})
			}
		case c.virtual != nil && c.kind == 'r':
			am = heapAM
		case c.virtual != nil:
			tuples = 0
		}
		owner, rights := c.ownership()
		return q.row(oid(c.oid), text(c.name), oid(ns), oid(0), oid(0), oid(owner), oid(am), oid(c.fileNode()), oid(0),
			num(pages), float(tuples), num(0), oid(0), yes(hasIndex), yes(false), char(persistence), char(c.kind), num(c.columns()),
			num(checks), yes(c.kind == 'v' || c.kind == 'm'), yes(keyed), yes(false), yes(false), yes(false), yes(c.populated()), char(identity), yes(false),
			oid(0), num(0), num(0), q.acl(rights), options, null)
	})
}

// populated is pg_class.relispopulated.
func (c *class) populated() bool {
	return c.kind != 'm' || c.table.Materialized.Populated
}

// fileNode is pg_class.relfilenode: views have none.
func (c *class) fileNode() uint32 {
	if c.kind == 'v' {
		return 0
	}
	return c.oid
}

// attribute is a column of a class.
type attribute struct {
	num       int
	name      string
	typ       types.T
	declared  uint32 // the type's OID: a domain's, where it is one
	notNull   bool
	hasDef    bool
	generated bool // hasDef is then what it is computed by
	identity  byte
	comment   string
	rights    *acl.List
}

// hasAttrdef says that pg_attrdef has a row for a column.
func hasAttrdef(c *catalog.Column) bool {
	return c.Generated != "" || c.HasDefault() && c.Identity == 0
}

// attributes lists the columns of a class.
func (c *class) attributes() []attribute {
	var list []attribute
	add := func(a attribute) {
		if a.num == 0 {
			a.num = len(list) + 1
		}
		if a.declared == 0 {
			a.declared = a.typ.DeclaredOID()
		}
		list = append(list, a)
	}
	switch {
	case c.table != nil:
		for i := range c.table.Visible() {
			col := &c.table.Columns[i]
			add(attribute{num: col.ID, name: col.Name, typ: col.Type, notNull: col.NotNull,
				hasDef: hasAttrdef(col), identity: col.Identity, generated: col.Generated != "", comment: col.Comment, rights: col.Rights})
		}
	case c.view != nil:
		for _, col := range c.view.Columns {
			add(attribute{name: col.Name, typ: col.Type, comment: col.Comment})
		}
	case c.seq != nil:
		add(attribute{name: "last_value", typ: types.Of(types.Int8), notNull: true})
		add(attribute{name: "log_cnt", typ: types.Of(types.Int8), notNull: true})
		add(attribute{name: "is_called", typ: types.Of(types.Bool), notNull: true})
	case c.virtual != nil:
		for i, col := range c.virtual.visible() {
			add(attribute{name: col.Name, typ: col.Type, declared: c.virtual.declared[i], notNull: col.NotNull})
		}
	case c.index != nil:
		for i := range c.index.columns {
			add(attribute{name: c.index.columns[i].name, typ: c.index.columns[i].typ})
		}
	}
	return list
}

// storageOf gives what pg_type says of how a type's values lie in memory.
func storageOf(t types.T) *typeFact {
	if t.User() != nil { // an enum takes as much as an integer, arrays are all alike
		elem := types.Of(types.Int4)
		if t.Kind == types.Array {
			t = types.ArrayOf(elem)
		} else {
			t = elem
		}
	}
	if f := typeByOID()[t.OID()]; f != nil {
		return f
	}
	return typeByOID()[types.Of(types.Text).OID()]
}

func pgAttribute(q *query) error {
	return q.classes("attrelid", "", func(c *class) error {
		for _, a := range c.attributes() {
			if !q.isText("attname", a.name) {
				continue
			}
			dims, mod := 0, a.typ.Typmod()
			if a.typ.Domain() != nil {
				mod = -1
			} else if a.typ.Kind == types.Array && !a.typ.IsVector() {
				dims = 1
			}
			generated := byte(0)
			if a.generated {
				generated = 's'
			}
			f := storageOf(a.typ)
			collation := f.collation
			if c.virtual != nil {
				collation = c.virtual.collations[a.num-1]
			}
			err := q.row(oid(c.oid), text(a.name), oid(a.declared), num(-1), num(f.len), num(a.num), num(dims), num(-1),
				num(mod), yes(f.byVal), char(f.align), char(f.storage), char(0), yes(a.notNull), yes(a.hasDef), yes(false),
				char(a.identity), char(generated), yes(false), yes(true), num(0), oid(collation), q.acl(a.rights), null, null, null)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func pgAttrdef(q *query) error {
	return q.classes("adrelid", "", func(c *class) error {
		if c.table == nil {
			return nil
		}
		for _, a := range c.attributes() {
			id := partOID(c.oid, partDefault+a.num)
			if !a.hasDef || !q.isOID("oid", id) {
				continue
			}
			if err := q.row(oid(id), oid(c.oid), num(a.num), text(defaultTree(c.oid, a.num))); err != nil {
				return err
			}
		}
		return nil
	})
}

func pgNamespace(q *query) error {
	add := func(id uint32, name string, owner uint32, rights *acl.List) error {
		if !q.isOID("oid", id) || !q.isText("nspname", name) {
			return nil
		}
		return q.row(oid(id), text(name), oid(owner), q.acl(rights))
	}
	for _, s := range systemSchemas {
		if err := add(s.oid, s.name, superuserOID, s.rights()); err != nil {
			return err
		}
	}
	for _, s := range q.snap.Schemas() {
		if err := add(s.ID, s.Name, s.Owner, s.Rights); err != nil {
			return err
		}
	}
	return nil
}
