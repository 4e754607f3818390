package pgcatalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Sections of Definition.
const (
	sectionSchema = "schema" // what can be made before there are rows
	sectionAfter  = "after"  // what rows come before: foreign keys, values of sequences, REFRESH
	sectionRights = "rights" // owners and grants, of roles that are there
)

// Definition is a statement that makes a thing of users, or says something of it.
type Definition struct {
	section, kind, schema, name string
	of                          uint32   // the relation or the type; 0 for a schema
	needs                       []uint32 // other relations and types that are to be there
	before, text                string   // before stands in front of each text
}

// definer writes what users have made as statements: run section by section, in the order in which
// they are listed, they make it again.
type definer struct {
	w     World
	snap  *catalog.Snapshot
	path  []string // whose names stand without their schema: none, or public
	print catalog.Printer
	plain bool // without what PostgreSQL does not know
	list  []Definition
	done  map[uint32]bool // types and views
}

func newDefiner(snap *catalog.Snapshot, path []string) *definer {
	return &definer{snap: snap, path: path, print: snap.In(path), done: map[uint32]bool{}}
}

// definitions lists the statements that make all that users have made.
func definitions(q *Query) ([]Definition, error) {
	d := newDefiner(q.Snap, []string{})
	d.w, d.plain = q, !q.ShowsOptions()
	for _, sc := range d.snap.Schemas() {
		name := ident.Quote(sc.Name)
		if sc.Name != catalog.PublicSchema {
			d.add(Definition{section: sectionSchema, kind: "schema", schema: sc.Name, name: sc.Name, text: "CREATE SCHEMA IF NOT EXISTS " + name})
		}
		d.comment(Definition{schema: sc.Name, name: sc.Name}, "SCHEMA "+name, sc.Comment)
		d.rights(Definition{schema: sc.Name, name: sc.Name}, "SCHEMA", name, acl.Schema, sc.ID, &sc.Owned)
	}
	for _, t := range d.snap.Types() {
		d.typ(t)
	}
	sequences := byID(d.snap.Sequences())
	for _, s := range sequences {
		d.sequence(s)
	}
	tables := slices.DeleteFunc(byID(d.snap.Tables()), func(t *catalog.Table) bool { return t.Materialized != nil })
	for _, t := range tables {
		d.table(t)
	}
	for _, s := range sequences {
		d.owned(s)
	}
	for _, v := range byID(d.snap.Queries()) {
		d.view(v)
	}
	for _, t := range tables {
		d.foreignKeys(t)
	}
	for _, s := range sequences {
		if err := d.value(q, s); err != nil {
			return nil, err
		}
	}
	d.defaults()
	return d.list, nil
}

// byID gives relations of the database as they were made.
func byID[R catalog.Relation](list []R) []R {
	list = slices.DeleteFunc(slices.Clone(list), func(r R) bool { return catalog.IsTempSchema(r.RelSchema()) })
	slices.SortFunc(list, func(a, b R) int { return cmp.Compare(a.RelID(), b.RelID()) })
	return list
}

func (d *definer) add(def Definition) { d.list = append(d.list, def) }

// of begins the definition of a relation or a type.
func (d *definer) of(r catalog.Relation) Definition {
	kind := r.RelKind()
	if t, ok := r.(*catalog.Type); ok && t.Domain != nil {
		kind = "domain"
	}
	return Definition{section: sectionSchema, kind: kind, schema: r.RelSchema(), name: r.RelName(), of: r.RelID()}
}

// name is a relation's name: in public without its schema, where d shows one table.
func (d *definer) name(r catalog.Relation) string { return d.in(r.RelSchema(), r.RelName()) }

func (d *definer) in(schema, name string) string {
	if len(d.path) > 0 {
		return catalog.QualifiedName(schema, name)
	}
	return ident.Quote(schema) + "." + ident.Quote(name)
}

// with gives a definition another text.
func (def Definition) with(section, text string, needs ...uint32) Definition {
	def.section, def.text, def.needs = section, def.before+text, needs
	return def
}

// comment says COMMENT ON, of what is called so and made in def's section, where there is one.
func (d *definer) comment(def Definition, what, comment string) {
	if comment != "" {
		def.kind = "comment"
		d.add(def.with(cmp.Or(def.section, sectionSchema), "COMMENT ON "+what+" IS "+ident.Literal(comment)))
	}
}

// typ writes a type, after those that it needs.
func (d *definer) typ(t *catalog.Type) {
	if d.done[t.ID] {
		return
	}
	d.done[t.ID] = true
	def, name := d.of(t), d.name(t)
	word := strings.ToUpper(def.kind)
	if t.Domain == nil {
		var labels []string
		for i := range t.Labels {
			if !t.Labels[i].Pending {
				labels = append(labels, ident.Literal(t.Labels[i].Text))
			}
		}
		d.add(def.with(sectionSchema, "CREATE TYPE "+name+" AS ENUM ("+strings.Join(labels, ", ")+")"))
	} else {
		for _, o := range d.snap.Types() {
			if o.ID != t.ID && (o.MadeOf(t.Domain.Base) || namesType(t.Domain, o.ID)) {
				d.typ(o)
			}
		}
		d.domain(def, t, name)
	}
	d.comment(def, word+" "+name, t.Comment)
	d.rights(def, word, name, acl.Type, t.ID, &t.Owned)
}

// namesType says that an expression of a domain names a type.
func namesType(of *types.Domain, id uint32) bool {
	return expr.Stored(of.Default).NamesType(id) ||
		slices.ContainsFunc(of.Checks, func(k types.DomainCheck) bool { return expr.Stored(k.Cond).NamesType(id) })
}

func (d *definer) domain(def Definition, t *catalog.Type, name string) {
	text := "CREATE DOMAIN " + name + " AS " + d.print.TypeName(t.Domain.Base)
	if t.Domain.Default != "" {
		text += " DEFAULT " + d.print.DomainText(t.Domain.Default)
	}
	if t.Domain.NotNull {
		text += " NOT NULL"
	}
	var later []Definition
	for i := range t.Domain.Checks {
		k := &t.Domain.Checks[i]
		check := " CONSTRAINT " + ident.Quote(k.Name) + " " + domainCheckDef(d.print, k)
		if k.NotValid {
			later = append(later, def.with(sectionAfter, "ALTER DOMAIN "+name+" ADD"+check))
			continue
		}
		text += check
	}
	d.add(def.with(sectionSchema, text))
	d.list = append(d.list, later...)
	for i := range t.Domain.Checks {
		k, of := &t.Domain.Checks[i], def
		if k.NotValid {
			of.section = sectionAfter
		}
		d.comment(of, "CONSTRAINT "+ident.Quote(k.Name)+" ON DOMAIN "+name, k.Comment)
	}
}

// identity is the table whose identity column a sequence is of; nil for others.
func (d *definer) identity(s *catalog.Sequence) *catalog.Table {
	if t := d.snap.TableByID(s.OwnerTable); t != nil {
		if c := t.ColumnByID(s.OwnerColumn); c != nil && c.Identity != 0 {
			return t
		}
	}
	return nil
}

func (d *definer) sequence(s *catalog.Sequence) {
	if d.identity(s) != nil {
		return // the table's definition makes it
	}
	text := fmt.Sprintf("CREATE SEQUENCE %s AS %s INCREMENT BY %d MINVALUE %d MAXVALUE %d START WITH %d CACHE %d",
		d.name(s), types.Of(s.Type), s.Increment, s.Min, s.Max, s.Start, s.Cache)
	if s.Cycle {
		text += " CYCLE"
	}
	d.add(d.of(s).with(sectionSchema, text))
}

// owned says what table a sequence is of, who owns it and what it has a comment for.
func (d *definer) owned(s *catalog.Sequence) {
	def, of := d.of(s), d.identity(s)
	if t := d.snap.TableByID(s.OwnerTable); t != nil && of == nil {
		if c := t.ColumnByID(s.OwnerColumn); c != nil {
			d.add(d.of(t).with(sectionSchema, "ALTER SEQUENCE "+d.name(s)+" OWNED BY "+d.name(t)+"."+ident.Quote(c.Name), s.ID))
		}
	} else if of != nil {
		def.of = of.ID
	}
	d.comment(def, "SEQUENCE "+d.name(s), s.Comment)
	own := s.Owned
	if t := d.snap.TableByID(s.OwnerTable); t != nil {
		own.Owner = t.Owner
		d.grants(def, "SEQUENCE", d.name(s), acl.Sequence, &own)
		return
	}
	d.rights(def, "SEQUENCE", d.name(s), acl.Sequence, s.ID, &own)
}

// value sets a sequence to where it is, for who may see that.
func (d *definer) value(q *Query, s *catalog.Sequence) error {
	if rights, _ := d.snap.RelationRights(q.Role(), s); rights&(acl.Usage|acl.Select) == 0 {
		return nil
	}
	last, called, err := d.w.SequenceState(q.Context(), s.ID)
	if err != nil {
		return err
	}
	def := d.of(s)
	if t := d.identity(s); t != nil {
		def.of = t.ID
	}
	d.add(def.with(sectionAfter, fmt.Sprintf("SELECT pg_catalog.setval(%s, %d, %t)", ident.Literal(d.name(s)), last, called)))
	return nil
}

func (d *definer) table(t *catalog.Table) {
	def, name := d.of(t), d.name(t)
	var needs []uint32
	for i := range t.Columns {
		if s, ok := d.snap.Descriptor(t.Columns[i].Sequence).(*catalog.Sequence); ok && d.identity(s) == nil {
			needs = append(needs, s.ID)
		}
		needs = append(needs, t.Columns[i].DefaultUses...)
	}
	d.add(def.with(sectionSchema, d.snap.CreateTableText(t, d.plain), needs...))
	d.besideColumns(t)
	d.rights(def, "TABLE", name, acl.Table, t.ID, &t.Owned)
	d.columnRights(def, t)
}

// besideColumns writes what a table has that CREATE TABLE does not say: indexes with their
// constraints, CHECKs to be added to its rows, comments.
func (d *definer) besideColumns(t *catalog.Table) {
	def, name := d.of(t), d.name(t)
	d.indexes(t)
	for i := range t.Checks {
		k, of := &t.Checks[i], def
		if k.NotValid || t.Adopted {
			of = def.with(sectionAfter, "ALTER TABLE "+name+" ADD CONSTRAINT "+ident.Quote(k.Name)+" "+d.constraint(t, k.Name))
			d.add(of)
		}
		d.comment(of, "CONSTRAINT "+ident.Quote(k.Name)+" ON "+name, k.Comment)
	}
	if t.HiddenKey() == nil {
		d.comment(def, "CONSTRAINT "+ident.Quote(t.PrimaryKeyName)+" ON "+name, t.KeyComment)
		d.comment(def, "INDEX "+d.in(t.Schema, t.PrimaryKeyName), t.KeyIndexComment)
	}
	d.columnComments(def, t)
	d.comment(def, "TABLE "+name, t.Comment)
}

func (d *definer) columnComments(def Definition, t *catalog.Table) {
	for i := range t.Visible() {
		d.comment(def, "COLUMN "+d.name(t)+"."+ident.Quote(t.Columns[i].Name), t.Columns[i].Comment)
	}
}

// constraint is what a constraint of a table is declared as.
func (d *definer) constraint(t *catalog.Table, name string) string {
	for _, k := range ConstraintsOf(t) {
		if k.Name == name {
			return k.definition(d.snap, d.path, false)
		}
	}
	return ""
}

// indexes writes those beside the primary key, with the constraints that they are of.
func (d *definer) indexes(t *catalog.Table) {
	def := d.of(t)
	for _, x := range IndexesOf(t) {
		if x.def == nil || !x.def.Readable() {
			continue
		}
		name := ident.Quote(x.Name)
		def.kind, def.name = "index", x.Name
		if x.Constraint == 0 {
			d.add(def.with(sectionSchema, x.definitionOn(d.name(t), d.print, !d.plain)))
		} else {
			def.kind = "constraint"
			text := "ALTER TABLE " + d.name(t) + " ADD CONSTRAINT " + name + " " + d.constraint(t, x.Name)
			if !d.plain {
				text += optionText(x.options())
			}
			d.add(def.with(sectionSchema, text))
			d.comment(def, "CONSTRAINT "+name+" ON "+d.name(t), x.ofConstraint)
		}
		d.comment(def, "INDEX "+d.in(t.Schema, x.Name), x.comment)
	}
}

func (d *definer) foreignKeys(t *catalog.Table) {
	def := d.of(t)
	def.kind = "foreign key"
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		def.name = k.Name
		d.add(def.with(sectionAfter, "ALTER TABLE "+d.name(t)+" ADD CONSTRAINT "+ident.Quote(k.Name)+" "+d.constraint(t, k.Name), k.Table))
		d.foreignKeyComment(t, k)
	}
}

func (d *definer) foreignKeyComment(t *catalog.Table, k *catalog.ForeignKey) {
	if k.Comment != "" {
		def := d.of(t)
		def.kind, def.name = "foreign key", k.Name
		d.add(def.with(sectionAfter, "COMMENT ON CONSTRAINT "+ident.Quote(k.Name)+" ON "+d.name(t)+" IS "+ident.Literal(k.Comment), k.Table))
	}
}

// view writes a view, materialized or not, after those that it reads.
func (d *definer) view(v *catalog.View) {
	if d.done[v.ID] {
		return
	}
	d.done[v.ID] = true
	for _, id := range v.DependsOn {
		switch r := d.snap.ByID(id).(type) {
		case *catalog.View:
			d.view(r)
		case *catalog.Table:
			if of := r.AsView(); of != nil {
				d.view(of)
			}
		}
	}
	def, name, word := d.of(v), d.name(v), "VIEW"
	query := strings.TrimSuffix(d.print.ViewText(v), ";")
	if v.Table == nil {
		text := "CREATE VIEW " + name + " AS " + query
		if v.Check != "" {
			text += " WITH " + strings.ToUpper(v.Check) + " CHECK OPTION"
		}
		d.add(def.with(sectionSchema, text, v.DependsOn...))
		for _, c := range v.Columns {
			d.comment(def, "COLUMN "+name+"."+ident.Quote(c.Name), c.Comment)
		}
	} else {
		word, def.kind = "MATERIALIZED VIEW", v.Table.RelKind()
		text := "CREATE MATERIALIZED VIEW " + name
		if !d.plain {
			text += optionText(v.Table.RelOptions())
		}
		d.add(def.with(sectionSchema, text+" AS "+query+" WITH NO DATA", v.DependsOn...))
		d.indexes(v.Table)
		d.columnComments(def, v.Table)
		if v.Table.Materialized.Populated {
			d.add(def.with(sectionAfter, "REFRESH MATERIALIZED VIEW "+name, v.DependsOn...))
		}
	}
	d.comment(def, word+" "+name, v.Comment)
	d.rights(def, word, name, acl.Table, v.ID, &v.Owned)
}
