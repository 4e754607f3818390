package pgcatalog

import (
	"hash/fnv"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/types"
)

// Roles: those of the catalog and, as superusers, the users of this server that no role is
// named after.

func init() {
	Source("pg_catalog.pg_authid", pgAuthid)
	Source("pg_catalog.pg_roles", pgRoles)
	Source("pg_catalog.pg_user", pgUser)
	Source("pg_catalog.pg_shadow", pgUser)
	Source("pg_catalog.pg_group", pgGroup)
	Source("pg_catalog.pg_auth_members", pgAuthMembers)
	Source("pg_catalog.pg_db_role_setting", pgRoleSettings)
	Source("pg_catalog.pg_default_acl", pgDefaultACL)
	Source("pg_catalog.pg_shdescription", pgSharedDescription)
}

// closed are those that PostgreSQL lets nobody read but who has the right to everything.
var closed = []string{"authid", "shadow", "statistic", "user_mapping", "largeobject", "statistic_ext_data", "hba_file_rules",
	"ident_file_mappings", "file_settings", "config", "backend_memory_contexts", "shmem_allocations", "replication_origin_status"}

// unlistedOID gives the OID of a user that no role is named after: it follows from the name.
func unlistedOID(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return 1<<30 | h.Sum32()>>2
}

// rolesOf lists the roles by name.
func rolesOf(w World, snap *catalog.Snapshot) []*catalog.Role {
	list := snap.Roles()
	everything := catalog.RoleAttributes{Superuser: true, Inherit: true, Login: true, CreateRole: true, CreateDB: true, Replication: true, BypassRLS: true}
	names := w.Users()
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		list = append(list, &catalog.Role{ID: unlistedOID(name), Name: name, ConnLimit: -1, RoleAttributes: everything})
	}
	return list
}

// roleNamed gives a role's OID; ok is false if there is none.
func roleNamed(w World, snap *catalog.Snapshot, name string) (uint32, bool) {
	if r := snap.Role(name); r != nil {
		return r.ID, true
	}
	if slices.Contains(w.Users(), name) {
		return unlistedOID(name), true
	}
	return 0, false
}

// roleName gives a role's name.
func roleName(w World, snap *catalog.Snapshot, id uint32) (string, bool) {
	if r := snap.RoleByID(id); r != nil {
		return r.Name, true
	}
	for _, name := range w.Users() {
		if unlistedOID(name) == id {
			return name, true
		}
	}
	return "", false
}

// RoleName is the name of a role; "" for none.
func (q *Query) RoleName(id uint32) string {
	name, _ := roleName(q, q.Snap, id)
	return name
}

// actsAs is the role whose rights a role has: a user without one has those of the bootstrap role.
func actsAs(w World, snap *catalog.Snapshot, id uint32) uint32 {
	if snap.RoleByID(id) == nil {
		if _, ok := roleName(w, snap, id); ok {
			return catalog.BootstrapRole
		}
	}
	return id
}

func (q *Query) EachRole(oidColumn, nameColumn string, visit func(r *catalog.Role) error) error {
	for _, r := range rolesOf(q, q.Snap) {
		if !q.isOID(oidColumn, r.ID) || !q.IsText(nameColumn, r.Name) {
			continue
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func validUntil(r *catalog.Role) types.Datum {
	if r.ValidUntil == nil {
		return null
	}
	return num(*r.ValidUntil)
}

func roleConfig(r *catalog.Role) types.Datum {
	if len(r.Settings) == 0 {
		return null
	}
	return array(types.Text, func(x catalog.RoleSetting) types.Datum { return text(x.Name + "=" + x.Value) }, r.Settings)
}

func pgAuthid(q *Query) error {
	return q.EachRole("oid", "rolname", func(r *catalog.Role) error {
		return q.Row(oid(r.ID), text(r.Name), yes(r.Superuser), yes(r.Inherit), yes(r.CreateRole), yes(r.CreateDB), yes(r.Login),
			yes(r.Replication), yes(r.BypassRLS), num(r.ConnLimit), optional(r.Verifier), validUntil(r))
	})
}

func pgRoles(q *Query) error {
	return q.EachRole("oid", "rolname", func(r *catalog.Role) error {
		return q.Row(text(r.Name), yes(r.Superuser), yes(r.Inherit), yes(r.CreateRole), yes(r.CreateDB), yes(r.Login), yes(r.Replication),
			num(r.ConnLimit), text("********"), validUntil(r), yes(r.BypassRLS), roleConfig(r), oid(r.ID))
	})
}

// pgUser is pg_user, and pg_shadow with the passwords' verifiers.
func pgUser(q *Query) error {
	return q.EachRole("usesysid", "usename", func(r *catalog.Role) error {
		if !r.Login {
			return nil
		}
		secret := text("********")
		if q.rel.Name == "pg_shadow" {
			secret = optional(r.Verifier)
		}
		return q.Row(text(r.Name), oid(r.ID), yes(r.CreateDB), yes(r.Superuser), yes(r.Replication), yes(r.BypassRLS), secret,
			validUntil(r), roleConfig(r))
	})
}

func pgGroup(q *Query) error {
	return q.EachRole("grosysid", "groname", func(r *catalog.Role) error {
		if r.Login {
			return nil
		}
		var members []uint32
		for _, m := range rolesOf(q, q.Snap) {
			if slices.ContainsFunc(m.MemberOf, func(x catalog.Membership) bool { return x.Role == r.ID }) {
				members = append(members, m.ID)
			}
		}
		return q.Row(text(r.Name), oid(r.ID), array(types.OID, oid, members))
	})
}

func pgAuthMembers(q *Query) error {
	return q.EachRole("member", "", func(r *catalog.Role) error {
		for _, m := range r.MemberOf {
			if !q.isOID("roleid", m.Role) {
				continue
			}
			if err := q.Row(oid(m.Role), oid(r.ID), oid(m.Grantor), yes(m.Admin)); err != nil {
				return err
			}
		}
		return nil
	})
}

func pgRoleSettings(q *Query) error {
	return q.EachRole("setrole", "", func(r *catalog.Role) error {
		if len(r.Settings) == 0 {
			return nil
		}
		return q.Row(oid(0), oid(r.ID), roleConfig(r))
	})
}

func pgDefaultACL(q *Query) error {
	return q.EachRole("defaclrole", "", func(r *catalog.Role) error {
		for i, d := range r.Defaults {
			kind := byte(d.Kind)
			if d.Kind == acl.Sequence {
				kind = 'S' // the one letter that differs from acldefault's
			}
			if err := q.Row(oid(partOID(r.ID, i)), oid(r.ID), oid(d.Schema), char(kind), q.acl(d.List)); err != nil {
				return err
			}
		}
		return nil
	})
}

func pgSharedDescription(q *Query) error {
	return q.EachRole("objoid", "", func(r *catalog.Role) error {
		if r.Comment == "" {
			return nil
		}
		return q.Row(oid(r.ID), oid(classAuthid), text(r.Comment))
	})
}

// acl prints a list of rights; NULL for what is built in.
func (q *Query) acl(l *acl.List) types.Datum { return aclOf(q, q.Snap, l) }

func aclOf(w World, snap *catalog.Snapshot, l *acl.List) types.Datum {
	if l == nil {
		return null
	}
	items := make([]types.Datum, len(l.Items))
	for i, it := range l.Items {
		items[i] = text(it.Text(func(id uint32) (string, bool) { return roleName(w, snap, id) }))
	}
	return types.NewArray(types.Of(types.ACLItem), items)
}

// Ownership gives a class's owner and its rights: those of an index are its table's.
func (c *Class) Ownership() (owner uint32, rights *acl.List) {
	var r catalog.Relation
	switch {
	case c.Table != nil:
		r = c.Table
	case c.View != nil:
		r = c.View
	case c.seq != nil:
		r = c.seq
	case c.Index != nil:
		return c.Index.Table.Owner, nil
	case c.virtual != nil:
		return catalog.OwnedBy(&c.virtual.Virtual)
	}
	if r == nil {
		return superuserOID, nil
	}
	o := r.(catalog.Ownable).Ownership()
	return o.Owner, o.Rights
}

// owner is the name of a class's owner.
func (c *Class) owner(q *Query) types.Datum {
	id, _ := c.Ownership()
	name, _ := roleName(q, q.Snap, id)
	return optional(name)
}

// Relation gives what a class is, as rights go: an index is its table.
func (c *Class) Relation() catalog.Relation {
	switch {
	case c.Table != nil:
		return c.Table
	case c.View != nil:
		return c.View
	case c.seq != nil:
		return c.seq
	case c.Index != nil:
		return c.Index.Table
	}
	return &c.virtual.Virtual
}
