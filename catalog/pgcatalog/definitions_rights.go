package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/ident"
)

// rights says who owns an object, and who else may use it.
func (d *definer) rights(def Definition, word, name string, kind acl.Kind, id uint32, own *catalog.Owned) {
	if own.IsOld(id) {
		return // as whoever restores it makes it
	}
	def.kind = "owner"
	if owner, ok := roleName(d.w, d.snap, own.Owner); ok && own.Owner != catalog.BootstrapRole {
		d.add(def.with(sectionRights, "ALTER "+word+" "+name+" OWNER TO "+ident.Quote(owner)))
	}
	d.grants(def, word, name, kind, own)
}

// grants says who may use an object beside its owner.
func (d *definer) grants(def Definition, word, name string, kind acl.Kind, own *catalog.Owned) {
	if own.Rights == nil || own.Rights.Equal(acl.Default(kind, own.Owner)) {
		return
	}
	on := " ON " + word + " " + name
	if word == "VIEW" || word == "MATERIALIZED VIEW" {
		on = " ON TABLE " + name
	}
	def.kind = "grant"
	d.add(def.with(sectionRights, "REVOKE ALL"+on+" FROM PUBLIC"))
	if owner, ok := roleName(d.w, d.snap, own.Owner); ok {
		d.add(def.with(sectionRights, "REVOKE ALL"+on+" FROM "+ident.Quote(owner)))
	}
	d.items(def, own.Rights, own.Owner, on, "")
}

func (d *definer) columnRights(def Definition, t *catalog.Table) {
	def.kind = "grant"
	for i := range t.Visible() {
		if c := &t.Columns[i]; c.Rights != nil {
			d.items(def, c.Rights, t.Owner, " ON TABLE "+d.name(t), " ("+ident.Quote(c.Name)+")")
		}
	}
}

// items writes GRANTs, each as of the role that made it.
func (d *definer) items(def Definition, list *acl.List, owner uint32, on, columns string) {
	for _, it := range list.Items {
		grantee := "PUBLIC"
		if it.Grantee != acl.Public {
			name, ok := roleName(d.w, d.snap, it.Grantee)
			if !ok {
				continue
			}
			grantee = ident.Quote(name)
		}
		grant := func(rights acl.Right, option string) {
			if rights == acl.None {
				return
			}
			var words []string
			for _, r := range rights.Each() {
				words = append(words, r.Word()+columns)
			}
			d.add(def.with(sectionRights, "GRANT "+strings.Join(words, ", ")+on+" TO "+grantee+option))
		}
		by, known := roleName(d.w, d.snap, it.Grantor)
		other := known && it.Grantor != owner
		if other {
			d.add(def.with(sectionRights, "SET SESSION AUTHORIZATION "+ident.Quote(by)))
		}
		grant(it.Rights&^it.Options, "")
		grant(it.Rights&it.Options, " WITH GRANT OPTION")
		if other {
			d.add(def.with(sectionRights, "RESET SESSION AUTHORIZATION"))
		}
	}
}

// defaults says what roles' new objects come with.
func (d *definer) defaults() {
	words := map[acl.Kind]string{acl.Table: "TABLES", acl.Sequence: "SEQUENCES", acl.Type: "TYPES", acl.Schema: "SCHEMAS"}
	for _, r := range d.snap.Roles() {
		for _, of := range r.Defaults {
			on, role := " ON "+words[of.Kind], ident.Quote(r.Name)
			def := Definition{kind: "default privileges", name: r.Name, before: "ALTER DEFAULT PRIVILEGES FOR ROLE " + role}
			if of.Schema != 0 {
				def.schema = schemaName(d.snap, of.Schema)
				def.before += " IN SCHEMA " + ident.Quote(def.schema)
			}
			def.before += " "
			if of.Schema == 0 { // the list is the whole of it
				if of.Kind == acl.Type {
					d.add(def.with(sectionRights, "REVOKE ALL"+on+" FROM PUBLIC"))
				}
				d.add(def.with(sectionRights, "REVOKE ALL"+on+" FROM "+role))
			}
			d.items(def, of.List, r.ID, on, "")
		}
	}
}
