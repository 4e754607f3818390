package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	source("pg_catalog.pg_tables", pgTables, "tablename")
	source("pg_catalog.pg_views", pgViews, "viewname")
	source("pg_catalog.pg_matviews", pgMatviews, "matviewname")
	source("pg_catalog.pg_indexes", pgIndexes, "indexname", "tablename")
	source("pg_catalog.pg_sequences", pgSequences)
	source("pg_catalog.pg_rewrite", pgRewrite)
	source("pg_catalog.pg_depend", pgDepend)
	source("pg_catalog.pg_description", pgDescription)
}

func pgTables(q *query) error {
	return q.classes("", "tablename", func(c *class) error {
		if c.kind != 'r' || !q.isText("schemaname", c.schema) {
			return nil
		}
		return q.row(text(c.schema), text(c.name), c.owner(q), null, yes(c.table != nil && len(indexesOf(c.table)) > 0), yes(false), yes(false), yes(false))
	})
}

func pgViews(q *query) error {
	return q.classes("", "viewname", func(c *class) error {
		if c.kind != 'v' || !q.isText("schemaname", c.schema) {
			return nil
		}
		def := null // the system's are not queries
		if c.view != nil {
			def = text(q.snap.In(q.SearchPath()).ViewText(c.view))
		}
		return q.row(text(c.schema), text(c.name), c.owner(q), def)
	})
}

func pgMatviews(q *query) error {
	return q.classes("", "matviewname", func(c *class) error {
		if c.kind != 'm' || !q.isText("schemaname", c.schema) {
			return nil
		}
		def := text(q.snap.In(q.SearchPath()).ViewText(c.table.AsView()))
		return q.row(text(c.schema), text(c.name), c.owner(q), null, yes(len(indexesOf(c.table)) > 0), yes(c.populated()), def)
	})
}

func pgIndexes(q *query) error {
	name := "indexname"
	if _, ok := q.wantText(name); !ok {
		name = "tablename"
	}
	return q.relationsOf(name, func(r catalog.Relation) error {
		t, ok := r.(*catalog.Table)
		if !ok || !q.isText("schemaname", t.Schema) || !q.isText("tablename", t.Name) {
			return nil
		}
		for _, x := range indexesOf(t) {
			if !q.isText("indexname", x.name) {
				continue
			}
			err := q.row(text(t.Schema), text(t.Name), text(x.name), null, text(x.definition(q.snap.In(q.SearchPath()), q.ShowsOptions())))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// options are those of an index beside the primary key's.
func (x *index) options() []string {
	if x.def == nil {
		return nil
	}
	return x.def.RelOptions(x.table)
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
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		parts[i] = name + "=" + value
	}
	return " WITH (" + strings.Join(parts, ", ") + ")"
}

// definition is CREATE INDEX as pg_get_indexdef gives it, with its options or without.
func (x *index) definition(print catalog.Printer, options bool) string {
	unique := ""
	if x.unique {
		unique = "UNIQUE "
	}
	text := "CREATE " + unique + "INDEX " + ident.Quote(x.name) + " ON " + ident.Quote(x.table.Schema) + "." + ident.Quote(x.table.Name) +
		" USING btree (" + x.keyText(print) + ")" + x.includeText()
	if x.def == nil {
		return text
	}
	if x.def.NullsNotDistinct {
		text += " NULLS NOT DISTINCT"
	}
	if options {
		text += optionText(x.options())
	}
	if w := print.WhereText(x.table, x.def); w != "" {
		text += " WHERE " + w
	}
	return text
}

func (x *index) includeText() string {
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
func (x *index) columnText(print catalog.Printer, i int) string {
	if c := &x.columns[i]; c.part != nil {
		return print.PartText(x.table, c.part)
	}
	return ident.Quote(x.columns[i].name)
}

// keyText lists the key's columns with their order.
func (x *index) keyText(print catalog.Printer) string {
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

func pgSequences(q *query) error {
	for _, s := range q.snap.Sequences() {
		if !q.isText("schemaname", s.Schema) || !q.isText("sequencename", s.Name) {
			continue
		}
		last, called, err := q.SequenceState(q.Context(), s.ID)
		if err != nil {
			return err
		}
		value := null
		if rights, _ := q.snap.RelationRights(q.Role(), s); called && rights&(acl.Usage|acl.Select) != 0 {
			value = num(last)
		}
		err = q.row(text(s.Schema), text(s.Name), classOf(s).owner(q), oid(types.Of(s.Type).OID()), num(s.Start), num(s.Min), num(s.Max),
			num(s.Increment), yes(s.Cycle), num(s.Cache), value)
		if err != nil {
			return err
		}
	}
	return nil
}

// partRule is the number of a view's rule among its parts.
const partRule = 0

func pgRewrite(q *query) error {
	for _, v := range q.snap.Queries() {
		id := partOID(v.ID, partRule)
		if !q.isOID("ev_class", v.ID) || !q.isOID("oid", id) {
			continue
		}
		if err := q.row(oid(id), text("_RETURN"), oid(v.ID), char('1'), char('O'), yes(true), text("<>"), text("<>")); err != nil {
			return err
		}
	}
	return nil
}

const classRewrite = 2618

// pgDepend says which objects need which.
func pgDepend(q *query) error {
	add := func(class, id uint32, sub int, refClass, refID uint32, refSub int, kind byte) error {
		if !q.isOID("classid", class) || !q.isOID("objid", id) || !q.isOID("refclassid", refClass) || !q.isOID("refobjid", refID) {
			return nil
		}
		return q.row(oid(class), oid(id), num(sub), oid(refClass), oid(refID), num(refSub), char(kind))
	}
	err := extensionMembers(func(class, id uint32) error { return add(class, id, 0, classExtension, extensionOID, 0, 'e') })
	if err != nil {
		return err
	}
	for _, t := range q.snap.Types() {
		if err := add(classType, t.ID, 0, classNamespace, schemaOID(q.snap, t.Schema), 0, 'n'); err != nil {
			return err
		}
		if err := add(classType, t.ArrayID, 0, classType, t.ID, 0, 'i'); err != nil {
			return err
		}
	}
	for _, r := range q.snap.Relations() {
		if err := add(classClass, r.RelID(), 0, classNamespace, schemaOID(q.snap, r.RelSchema()), 0, 'n'); err != nil {
			return err
		}
		var err error
		switch r := r.(type) {
		case *catalog.Table:
			err = tableDepends(r, add)
			if v := r.AsView(); v != nil && err == nil {
				err = viewDepends(q, v, add)
			}
		case *catalog.View:
			err = viewDepends(q, r, add)
		case *catalog.Sequence:
			if r.OwnerTable != 0 {
				kind := byte('a')
				if t := q.snap.TableByID(r.OwnerTable); t != nil {
					if c := t.ColumnByID(r.OwnerColumn); c != nil && c.Identity != 0 {
						kind = 'i'
					}
				}
				err = add(classClass, r.ID, 0, classClass, r.OwnerTable, r.OwnerColumn, kind)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// viewDepends is what a view's rule needs, and that the view needs it.
func viewDepends(q *query, v *catalog.View, add func(uint32, uint32, int, uint32, uint32, int, byte) error) error {
	rule := partOID(v.ID, partRule)
	err := add(classRewrite, rule, 0, classClass, v.ID, 0, 'i')
	for _, id := range v.DependsOn {
		if err == nil {
			class := uint32(classClass)
			if q.snap.TypeByID(id) != nil {
				class = classType
			}
			err = add(classRewrite, rule, 0, class, id, 0, 'n')
		}
	}
	return err
}

func tableDepends(t *catalog.Table, add func(uint32, uint32, int, uint32, uint32, int, byte) error) error {
	for i := range t.Visible() {
		c := &t.Columns[i]
		if c.Type.User() != nil || c.Type.Domain() != nil {
			if err := add(classClass, t.ID, c.ID, classType, c.Type.DeclaredOID(), 0, 'n'); err != nil {
				return err
			}
		}
		if !hasAttrdef(c) {
			continue
		}
		def := partOID(t.ID, partDefault+c.ID)
		if err := add(classAttrdef, def, 0, classClass, t.ID, c.ID, 'a'); err != nil {
			return err
		}
		used := c.DefaultUses
		if c.Sequence != 0 {
			used = []uint32{c.Sequence}
		}
		for _, id := range used {
			if err := add(classAttrdef, def, 0, classClass, id, 0, 'n'); err != nil {
				return err
			}
		}
	}
	for _, c := range constraintsOf(t) {
		for _, id := range c.column {
			if err := add(classConstraint, c.oid, 0, classClass, t.ID, int(id), 'a'); err != nil {
				return err
			}
		}
		if c.index != nil {
			if err := add(classClass, c.index.oid, 0, classConstraint, c.oid, 0, 'i'); err != nil {
				return err
			}
		}
	}
	return nil
}

func pgDescription(q *query) error {
	add := func(id, class uint32, sub int, comment string) error {
		if comment == "" || !q.isOID("objoid", id) || !q.isOID("classoid", class) {
			return nil
		}
		return q.row(oid(id), oid(class), num(sub), text(comment))
	}
	if err := add(extensionOID, classExtension, 0, extensionComment); err != nil {
		return err
	}
	for _, s := range q.snap.Schemas() {
		if err := add(s.ID, classNamespace, 0, s.Comment); err != nil {
			return err
		}
	}
	for _, t := range q.snap.Types() {
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
	return q.classes("objoid", "", func(c *class) error {
		if err := add(c.oid, classClass, 0, c.comment()); err != nil {
			return err
		}
		for _, a := range c.attributes() {
			if err := add(c.oid, classClass, a.num, a.comment); err != nil {
				return err
			}
		}
		return nil
	})
}

// constraintComments adds those on constraints of tables.
func constraintComments(q *query, add func(id, class uint32, sub int, comment string) error) error {
	if !q.isOID("classoid", classConstraint) {
		return nil
	}
	visit := func(k *constraint) error { return add(k.oid, classConstraint, 0, k.comment()) }
	if id, ok := q.wantOID("objoid"); ok {
		if k := constraintByOID(q.snap, id); k != nil {
			return visit(k)
		}
		return nil
	}
	return q.tables("", "", func(t *catalog.Table) error {
		for _, k := range constraintsOf(t) {
			if err := visit(k); err != nil {
				return err
			}
		}
		return nil
	})
}
