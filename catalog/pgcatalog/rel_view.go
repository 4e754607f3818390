package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	Source("pg_catalog.pg_tables", pgTables, "tablename")
	Source("pg_catalog.pg_views", pgViews, "viewname")
	Source("pg_catalog.pg_matviews", pgMatviews, "matviewname")
	Source("pg_catalog.pg_indexes", pgIndexes, "indexname", "tablename")
	Source("pg_catalog.pg_sequences", pgSequences)
	Source("pg_catalog.pg_rewrite", pgRewrite)
	Source("pg_catalog.pg_description", pgDescription)
}

func pgTables(q *Query) error {
	return q.Classes("", "tablename", func(c *Class) error {
		if c.Kind != 'r' || !q.IsText("schemaname", c.Schema) {
			return nil
		}
		return q.Row(text(c.Schema), text(c.Name), c.owner(q), null, yes(c.Table != nil && len(IndexesOf(c.Table)) > 0), yes(false), yes(false), yes(false))
	})
}

func pgViews(q *Query) error {
	return q.Classes("", "viewname", func(c *Class) error {
		if c.Kind != 'v' || !q.IsText("schemaname", c.Schema) {
			return nil
		}
		def := null // the system's are not queries
		if c.View != nil {
			def = text(q.Snap.In(q.SearchPath()).ViewText(c.View))
		}
		return q.Row(text(c.Schema), text(c.Name), c.owner(q), def)
	})
}

func pgMatviews(q *Query) error {
	return q.Classes("", "matviewname", func(c *Class) error {
		if c.Kind != 'm' || !q.IsText("schemaname", c.Schema) {
			return nil
		}
		def := text(q.Snap.In(q.SearchPath()).ViewText(c.Table.AsView()))
		return q.Row(text(c.Schema), text(c.Name), c.owner(q), null, yes(len(IndexesOf(c.Table)) > 0), yes(c.populated()), def)
	})
}

func pgIndexes(q *Query) error {
	name := "indexname"
	if _, ok := q.wantText(name); !ok {
		name = "tablename"
	}
	return q.relationsOf(name, func(r catalog.Relation) error {
		t, ok := r.(*catalog.Table)
		if !ok || !q.IsText("schemaname", t.Schema) || !q.IsText("tablename", t.Name) {
			return nil
		}
		for _, x := range IndexesOf(t) {
			if !q.IsText("indexname", x.Name) {
				continue
			}
			err := q.Row(text(t.Schema), text(t.Name), text(x.Name), null, text(x.definition(q.Snap.In(q.SearchPath()), q.ShowsOptions())))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// options are those of an index beside the primary key's.
func (x *Index) options() []string {
	if x.def == nil {
		return nil
	}
	return x.def.RelOptions(x.Table)
}

// optionText is the WITH clause of options.
func optionText(options []string) string {
	if len(options) == 0 {
		return ""
	}
	parts := make([]string, len(options))
	for i, o := range options {
		name, value, _ := strings.Cut(o, "=")
		if ident.Quote(value) != value {
			value = ident.Literal(value)
		}
		parts[i] = name + "=" + value
	}
	return " WITH (" + strings.Join(parts, ", ") + ")"
}

// definition is CREATE INDEX as pg_get_indexdef gives it, with its options or without.
func (x *Index) definition(print catalog.Printer, options bool) string {
	return x.definitionOn(classOf(x.Table).qualified(), print, options)
}

// definitionOn is definition with the table's name as it is to be written.
func (x *Index) definitionOn(table string, print catalog.Printer, options bool) string {
	unique := ""
	if x.unique {
		unique = "UNIQUE "
	}
	text := "CREATE " + unique + "INDEX " + ident.Quote(x.Name) + " ON " + table + " USING btree (" + x.keyText(print) + ")" + x.includeText()
	if x.def == nil {
		return text
	}
	if x.def.NullsNotDistinct {
		text += " NULLS NOT DISTINCT"
	}
	if options {
		text += optionText(x.options())
	}
	if w := print.WhereText(x.Table, x.def); w != "" {
		text += " WHERE " + w
	}
	return text
}

func (x *Index) includeText() string {
	var names []string
	for i := range x.columns[x.keys:] {
		names = append(names, ident.Quote(x.columns[x.keys+i].name))
	}
	if names == nil {
		return ""
	}
	return " INCLUDE (" + strings.Join(names, ", ") + ")"
}

// columnText is a column's name, or its expression.
func (x *Index) columnText(print catalog.Printer, i int) string {
	if c := &x.columns[i]; c.part != nil {
		return print.PartText(x.Table, c.part)
	}
	return ident.Quote(x.columns[i].name)
}

// keyText lists the key's columns with their order.
func (x *Index) keyText(print catalog.Printer) string {
	parts := make([]string, x.keys)
	for i := range parts {
		c := &x.columns[i]
		parts[i] = x.columnText(print, i)
		if c.opclass != "" {
			parts[i] += " " + c.opclass
		}
		switch {
		case c.desc && c.nullsFirst:
			parts[i] += " DESC"
		case c.desc:
			parts[i] += " DESC NULLS LAST"
		case c.nullsFirst:
			parts[i] += " NULLS FIRST"
		}
	}
	return strings.Join(parts, ", ")
}

func pgSequences(q *Query) error {
	for _, s := range q.Snap.Sequences() {
		if !q.IsText("schemaname", s.Schema) || !q.IsText("sequencename", s.Name) {
			continue
		}
		last, called, err := q.SequenceState(q.Context(), s.ID)
		if err != nil {
			return err
		}
		value := null
		if rights, _ := q.Snap.RelationRights(q.Role(), s); called && rights&(acl.Usage|acl.Select) != 0 {
			value = num(last)
		}
		err = q.Row(text(s.Schema), text(s.Name), classOf(s).owner(q), oid(types.Of(s.Type).OID()), num(s.Start), num(s.Min), num(s.Max),
			num(s.Increment), yes(s.Cycle), num(s.Cache), value)
		if err != nil {
			return err
		}
	}
	return nil
}

// partRule is the number of a view's rule among its parts.
const partRule = 0

func pgRewrite(q *Query) error {
	for _, v := range q.Snap.Queries() {
		id := partOID(v.ID, partRule)
		if !q.isOID("ev_class", v.ID) || !q.isOID("oid", id) {
			continue
		}
		if err := q.Row(oid(id), text("_RETURN"), oid(v.ID), char('1'), char('O'), yes(true), text("<>"), text("<>")); err != nil {
			return err
		}
	}
	return nil
}

const classRewrite = 2618

func pgDescription(q *Query) error {
	add := func(id, class uint32, sub int, comment string) error {
		if comment == "" || !q.isOID("objoid", id) || !q.isOID("classoid", class) {
			return nil
		}
		return q.Row(oid(id), oid(class), num(sub), text(comment))
	}
	err := eachExtension(func(e *catalog.Extension, id, _ uint32) error { return add(id, classExtension, 0, e.Comment) })
	if err != nil {
		return err
	}
	for _, s := range q.Snap.Schemas() {
		if err := add(s.ID, classNamespace, 0, s.Comment); err != nil {
			return err
		}
	}
	for _, t := range q.Snap.Types() {
		if err := add(t.ID, classType, 0, t.Comment); err != nil {
			return err
		}
		if t.Domain == nil {
			continue
		}
		for i := range t.Domain.Checks {
			if err := add(t.Domain.Checks[i].ID, classConstraint, 0, t.Domain.Checks[i].Comment); err != nil {
				return err
			}
		}
	}
	if err := constraintComments(q, add); err != nil {
		return err
	}
	return q.Classes("objoid", "", func(c *Class) error {
		if err := add(c.OID, classClass, 0, c.comment()); err != nil {
			return err
		}
		for _, a := range c.Attributes() {
			if err := add(c.OID, classClass, a.Num, a.comment); err != nil {
				return err
			}
		}
		return nil
	})
}

// constraintComments adds those on constraints of tables.
func constraintComments(q *Query, add func(id, class uint32, sub int, comment string) error) error {
	if !q.isOID("classoid", classConstraint) {
		return nil
	}
	visit := func(k *Constraint) error { return add(k.oid, classConstraint, 0, k.comment()) }
	if id, ok := q.wantOID("objoid"); ok {
		if k := constraintByOID(q.Snap, id); k != nil {
			return visit(k)
		}
		return nil
	}
	return q.tables("", "", func(t *catalog.Table) error {
		for _, k := range ConstraintsOf(t) {
			if err := visit(k); err != nil {
				return err
			}
		}
		return nil
	})
}
