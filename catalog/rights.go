package catalog

import (
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// What roles may do with objects, by PostgreSQL's rules (aclchk.c). A superuser may do
// everything, the owner of an object everything with it.

// KindOf says which rights there are on a relation or a type.
func KindOf(r Relation) acl.Kind {
	switch r.(type) {
	case *Sequence:
		return acl.Sequence
	case *Type:
		return acl.Type
	}
	return acl.Table
}

// OwnedBy gives who owns a relation, and its rights.
func OwnedBy(r Relation) (owner uint32, rights *acl.List) {
	switch r := r.(type) {
	case Ownable:
		o := r.Ownership()
		return o.Owner, o.Rights.Or(KindOf(r.(Relation)), o.Owner)
	case *Virtual:
		l := acl.Default(acl.Table, BootstrapRole)
		if !r.Closed {
			l.Items = append(l.Items, acl.Item{Grantee: acl.Public, Grantor: BootstrapRole, Rights: acl.Select})
		}
		return BootstrapRole, l
	}
	return BootstrapRole, acl.Default(acl.Table, BootstrapRole)
}

// RelationRights gives the rights that a role has on all of a relation, and which of them it
// may grant.
func (s *Snapshot) RelationRights(role uint32, r Relation) (rights, options acl.Right) {
	if s.IsSuperuser(role) {
		return ^acl.None, ^acl.None
	}
	owner, list := OwnedBy(r)
	rights, options = list.Held(s, role, owner)
	if rights&acl.Select == 0 && s.HasPrivsOf(role, RoleReadAllData) {
		rights |= acl.Select
	}
	const write = acl.Insert | acl.Update | acl.Delete
	if rights&write != write && s.HasPrivsOf(role, RoleWriteAllData) {
		rights |= write
	}
	return rights, options
}

// ColumnRights gives the rights on a column, by its ID, that a role has beside those on the
// whole relation.
func (s *Snapshot) ColumnRights(role uint32, r Relation, column int) (rights, options acl.Right) {
	t, ok := r.(*Table)
	if !ok {
		return acl.None, acl.None
	}
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == column })
	if i < 0 || t.Columns[i].Rights == nil {
		return acl.None, acl.None
	}
	return t.Columns[i].Rights.Held(s, role, t.Owner)
}

// AnyColumn says whether a role has a right on the relation or one of its columns.
func (s *Snapshot) AnyColumn(role uint32, r Relation, want acl.Right) bool {
	if rights, _ := s.RelationRights(role, r); rights&want != 0 {
		return true
	}
	t, ok := r.(*Table)
	if !ok {
		return false
	}
	for i := range t.Columns {
		if rights, _ := s.ColumnRights(role, r, t.Columns[i].ID); rights&want != 0 {
			return true
		}
	}
	return false
}

// SchemaRights gives the rights of a role on a schema, by its name; those of the system may be
// used by all.
func (s *Snapshot) SchemaRights(role uint32, name string) (rights, options acl.Right) {
	if s.IsSuperuser(role) {
		return ^acl.None, ^acl.None
	}
	if IsSystemSchema(name) && name != "pg_toast" {
		return acl.Usage, acl.None
	}
	if name = s.SchemaNamed(name); name == s.temp && name != "" {
		return acl.Usage | acl.Create, acl.None
	}
	sc := s.schemas[name]
	if sc == nil {
		return acl.None, acl.None
	}
	rights, options = sc.Rights.Or(acl.Schema, sc.Owner).Held(s, role, sc.Owner)
	if s.HasPrivsOf(role, RoleReadAllData) || s.HasPrivsOf(role, RoleWriteAllData) {
		rights |= acl.Usage
	}
	return rights, options
}

// MayUse says whether a role may look into a schema.
func (s *Snapshot) MayUse(role uint32, schema string) bool {
	rights, _ := s.SchemaRights(role, schema)
	return rights&acl.Usage != 0
}

// MayLookInto refuses a schema that is there and that a role may not look into: 42501. "" is none.
func (s *Snapshot) MayLookInto(role uint32, schema string) error {
	if schema != "" && (s.Schema(schema) != nil || IsSystemSchema(schema)) && !s.MayUse(role, schema) {
		return Denied("schema", schema)
	}
	return nil
}

// DatabaseRights gives the rights of a role on the whole store.
func (s *Snapshot) DatabaseRights(role uint32) (rights, options acl.Right) {
	if s.IsSuperuser(role) {
		return ^acl.None, ^acl.None
	}
	d := s.Database()
	return d.Rights.Or(acl.Database, d.Owner).Held(s, role, d.Owner)
}

// TypeRights gives the rights of a role on a type of users.
func (s *Snapshot) TypeRights(role uint32, t *Type) (rights, options acl.Right) {
	if s.IsSuperuser(role) {
		return ^acl.None, ^acl.None
	}
	return t.Rights.Or(acl.Type, t.Owner).Held(s, role, t.Owner)
}

// Denied is 42501 for who has not the right to what is called so: kind is "table", "schema" ….
func Denied(kind, name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", kind, name)
}

// NotOwner is 42501 for what only the owner may do.
func NotOwner(kind, name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, "must be owner of %s %s", kind, name)
}

// DefaultRights is what ALTER DEFAULT PRIVILEGES comes to for an object of a role: those for
// all schemas in the place of the built-in ones, and those of the schema added. nil is as built in.
func (s *Snapshot) DefaultRights(owner, schema uint32, k acl.Kind) *acl.List {
	r := s.roles.byID[owner]
	if r == nil || len(r.Defaults) == 0 {
		return nil
	}
	builtin := acl.Default(k, owner)
	list := builtin
	for _, d := range r.Defaults {
		if d.Kind == k && d.Schema == 0 {
			list = d.List
		}
	}
	for _, d := range r.Defaults {
		if d.Kind != k || d.Schema == 0 || d.Schema != schema {
			continue
		}
		for _, it := range d.List.Items {
			list, _ = list.Grant(s, acl.Item{Grantee: it.Grantee, Grantor: owner, Rights: it.Rights, Options: it.Options}, owner)
		}
	}
	if list.Equal(builtin) {
		return nil
	}
	return list
}

// RoleName gives the name of a role, or its number where it has none.
func (s *Snapshot) RoleName(id uint32) string {
	if r := s.roles.byID[id]; r != nil {
		return r.Name
	}
	return strconv.FormatUint(uint64(id), 10)
}
