package pgcatalog

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/ctid"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	Source("pg_catalog.pg_class", pgClass, "oid", "relname")
	Source("pg_catalog.pg_attribute", pgAttribute, "attrelid")
	Source("pg_catalog.pg_attrdef", pgAttrdef, "adrelid")
	Source("pg_catalog.pg_namespace", pgNamespace)
}

// manyRows is from how many rows relpages is not 0: tools cut tables of many pages into ranges of ctid, each of
// which they read by itself, all by one snapshot, which not all stores have. Before the rows are known it is 0, as in PostgreSQL before VACUUM and ANALYZE.
const manyRows = 10_000

func pgClass(q *Query) error {
	return q.Classes("oid", "relname", func(c *Class) error {
		ns := SchemaOID(q.Snap, c.Schema)
		if !q.isOID("relnamespace", ns) {
			return nil
		}
		am, tuples, pages, checks := uint32(0), -1.0, int64(0), 0
		persistence, identity, hasIndex := byte('p'), byte('n'), false
		if catalog.IsTempSchema(c.Schema) {
			persistence = 't'
		}
		options, keyed := null, false
		switch {
		case c.Table != nil:
			am, identity, hasIndex, checks = heapAM, 'd', len(IndexesOf(c.Table)) > 0, len(c.Table.Checks)
			if tuples = q.EstimatedRows(c.Table); tuples >= manyRows && q.Snapshots() {
				pages = ctid.Pages(c.Table)
			}
			// PostgreSQL has triggers for foreign keys; psql looks for these.
			keyed = len(c.Table.ForeignKeys) > 0 || q.Snap.Referenced(c.OID)
			if o := c.Table.RelOptions(); len(o) > 0 && q.ShowsOptions() {
				options = array(types.Text, text, o)
			}
		case c.Index != nil:
			am, tuples = btreeAM, q.EstimatedRows(c.Index.Table)
			if o := c.Index.options(); len(o) > 0 && q.ShowsOptions() {
				options = array(types.Text, text, o)
			}
		case c.seq != nil:
			tuples, pages = 1, 1
		case c.View != nil:
			tuples = 0
			if c.View.Check != "" {
				options = array(types.Text, text, []string{"check_option=" + c.View.Check})
			}
		case c.virtual != nil && c.Kind == 'r':
			am = heapAM
		case c.virtual != nil:
			tuples = 0
		}
		owner, rights := c.Ownership()
		row, _ := c.rowTypes()
		return q.Row(oid(c.OID), text(c.Name), oid(ns), oid(row), oid(0), oid(owner), oid(am), oid(c.fileNode()), oid(0),
			num(pages), float(tuples), num(0), oid(0), yes(hasIndex), yes(false), char(persistence), char(c.Kind), num(c.columns()),
			num(checks), yes(c.Kind == 'v' || c.Kind == 'm'), yes(keyed), yes(false), yes(false), yes(false), yes(c.populated()), char(identity), yes(false),
			oid(0), num(0), num(0), q.acl(rights), options, null)
	})
}

// populated is pg_class.relispopulated.
func (c *Class) populated() bool {
	return c.Kind != 'm' || c.Table.Materialized.Populated
}

// fileNode is pg_class.relfilenode: views have none.
func (c *Class) fileNode() uint32 {
	if c.Kind == 'v' {
		return 0
	}
	return c.OID
}

// Attribute is a column of a class.
type Attribute struct {
	Num       int
	Name      string
	Typ       types.T
	Declared  uint32 // the type's OID: a domain's, where it is one
	NotNull   bool
	HasDef    bool
	Generated bool // HasDef is then what it is computed by
	Identity  byte
	comment   string
	Rights    *acl.List
}

// hasAttrdef says that pg_attrdef has a row for a column.
func hasAttrdef(c *catalog.Column) bool {
	return c.Generated != "" || c.HasDefault() && c.Identity == 0
}

// Attributes lists the columns of a class.
func (c *Class) Attributes() []Attribute {
	var list []Attribute
	add := func(a Attribute) {
		if a.Num == 0 {
			a.Num = len(list) + 1
		}
		if a.Declared == 0 {
			a.Declared = a.Typ.DeclaredOID()
		}
		list = append(list, a)
	}
	switch {
	case c.Table != nil:
		for i := range c.Table.Visible() {
			col := &c.Table.Columns[i]
			add(Attribute{Num: col.ID, Name: col.Name, Typ: col.Type, NotNull: col.NotNull,
				HasDef: hasAttrdef(col), Identity: col.Identity, Generated: col.Generated != "", comment: col.Comment, Rights: col.Rights})
		}
	case c.View != nil:
		for _, col := range c.View.Columns {
			add(Attribute{Name: col.Name, Typ: col.Type, comment: col.Comment})
		}
	case c.seq != nil:
		add(Attribute{Name: "last_value", Typ: types.Of(types.Int8), NotNull: true})
		add(Attribute{Name: "log_cnt", Typ: types.Of(types.Int8), NotNull: true})
		add(Attribute{Name: "is_called", Typ: types.Of(types.Bool), NotNull: true})
	case c.virtual != nil:
		for i, col := range c.virtual.visible() {
			add(Attribute{Name: col.Name, Typ: col.Type, Declared: c.virtual.declared[i], NotNull: col.NotNull})
		}
	case c.Index != nil:
		for i := range c.Index.columns {
			add(Attribute{Name: c.Index.columns[i].name, Typ: c.Index.columns[i].typ})
		}
	}
	return list
}

// HasCollation says that a column has a collation that is not its type's.
func (c *Class) HasCollation(num int) bool {
	if c.virtual == nil {
		return false
	}
	n := c.virtual.collations[num-1]
	return n != 0 && n != defaultCollation
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

func pgAttribute(q *Query) error {
	return q.Classes("attrelid", "", func(c *Class) error {
		for _, a := range c.Attributes() {
			if !q.IsText("attname", a.Name) {
				continue
			}
			dims, mod := 0, a.Typ.Typmod()
			if a.Typ.Domain() != nil {
				mod = -1
			} else if a.Typ.Kind == types.Array && !a.Typ.IsVector() {
				dims = 1
			}
			generated := byte(0)
			if a.Generated {
				generated = 's'
			}
			f := storageOf(a.Typ)
			collation := f.collation
			if c.virtual != nil {
				collation = c.virtual.collations[a.Num-1]
			}
			err := q.Row(oid(c.OID), text(a.Name), oid(a.Declared), num(-1), num(f.len), num(a.Num), num(dims), num(-1),
				num(mod), yes(f.byVal), char(f.align), char(f.storage), char(0), yes(a.NotNull), yes(a.HasDef), yes(false),
				char(a.Identity), char(generated), yes(false), yes(true), num(0), oid(collation), q.acl(a.Rights), null, null, null)
			if err != nil {
				return err
			}
		}
		return c.eachDropped(func(id int) error {
			name := droppedName(id)
			if !q.IsText("attname", name) {
				return nil
			}
			return q.Row(oid(c.OID), text(name), oid(0), num(-1), num(-1), num(id), num(0), num(-1),
				num(-1), yes(false), char('i'), char('x'), char(0), yes(false), yes(false), yes(false),
				char(0), char(0), yes(true), yes(true), num(0), oid(0), null, null, null, null)
		})
	})
}

// droppedName is what PostgreSQL names a column that was dropped.
func droppedName(id int) string { return fmt.Sprintf("........pg.dropped.%d........", id) }

// eachDropped visits the numbers of columns that were dropped: clients take those of a table to
// have no gap.
func (c *Class) eachDropped(visit func(id int) error) error {
	if c.Table == nil {
		return nil
	}
	for id := 1; id < c.Table.NextColumnID; id++ {
		if c.Table.ColumnByID(id) == nil {
			if err := visit(id); err != nil {
				return err
			}
		}
	}
	return nil
}

func pgAttrdef(q *Query) error {
	return q.Classes("adrelid", "", func(c *Class) error {
		if c.Table == nil {
			return nil
		}
		for _, a := range c.Attributes() {
			id := partOID(c.OID, partDefault+a.Num)
			if !a.HasDef || !q.isOID("oid", id) {
				continue
			}
			if err := q.Row(oid(id), oid(c.OID), num(a.Num), text(defaultTree(c.OID, a.Num))); err != nil {
				return err
			}
		}
		return nil
	})
}

func pgNamespace(q *Query) error {
	return q.EachSchema(func(id uint32, name string, owner uint32, rights *acl.List) error {
		if !q.isOID("oid", id) || !q.IsText("nspname", name) {
			return nil
		}
		return q.Row(oid(id), text(name), oid(owner), q.acl(rights))
	})
}

// EachSchema visits the schemas: those that are there from the start, then those of users.
func (q *Query) EachSchema(visit func(id uint32, name string, owner uint32, rights *acl.List) error) error {
	for _, s := range systemSchemas {
		if err := visit(s.oid, s.name, superuserOID, s.rights()); err != nil {
			return err
		}
	}
	for _, s := range q.Snap.Schemas() {
		if err := visit(s.ID, s.Name, s.Owner, s.Rights); err != nil {
			return err
		}
	}
	return nil
}
