package authz

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// RevokeAll is what DROP OWNED BY does to rights: the roles lose what they were granted, with
// what they granted on, and what their own new objects would begin with. database is the name
// that the store goes by. 42501 for who has not the rights of the roles, 2BP01 for roles of the
// system.
func RevokeAll(ch *change.Change, roles []uint32, database string) error {
	for _, role := range roles {
		if !ch.HasPrivsOf(ch.By, role) {
			return noRight("permission denied to drop objects")
		}
	}
	for _, role := range roles {
		if role == catalog.BootstrapRole || isPredefined(ch.Snapshot, role) {
			return sqlerr.New(sqlerr.DependentObjectsStillExist,
				"cannot drop objects owned by role %s because they are required by the database system", ch.RoleName(role))
		}
		if err := revokeObjects(ch, role, database); err != nil {
			return err
		}
		if err := revokeDefaults(ch, role); err != nil {
			return err
		}
	}
	return nil
}

// revokeObjects revokes what a role has on objects of others. As in PostgreSQL each list of
// rights that names it, of columns too, is a REVOKE by who asks, with its warning where that may
// not.
func revokeObjects(ch *change.Change, role uint32, database string) error {
	g := &Grant{Revoke: true, All: true, Cascade: true, Grantees: []uint32{role}}
	has := func(o *catalog.Owned) bool { return o.Owner != role && o.Rights.Names(role) }
	for _, sc := range ch.Schemas() {
		if has(&sc.Owned) {
			if err := grantSchema(ch, g, sc); err != nil {
				return err
			}
		}
	}
	for _, r := range ch.Members() {
		o, ok := r.(catalog.Ownable)
		if !ok {
			continue
		}
		if t, ok := r.(*catalog.Type); ok {
			if has(&t.Owned) {
				if err := grantType(ch, g, t); err != nil {
					return err
				}
			}
			continue
		}
		lists := 0
		if has(o.Ownership()) {
			lists++
		}
		if t, ok := r.(*catalog.Table); ok && t.Owner != role {
			for i := range t.Columns {
				if t.Columns[i].Rights.Names(role) {
					lists++
				}
			}
		}
		for range lists {
			if err := grantRelation(ch, g, r); err != nil {
				return err
			}
		}
	}
	if has(&ch.Database().Owned) {
		return grantDatabase(ch, g, database)
	}
	return nil
}

// revokeDefaults revokes what a role would have on new objects of others, and forgets what others
// would have on those of its own.
func revokeDefaults(ch *change.Change, role uint32) error {
	for _, owner := range ch.Roles() {
		if owner.ID == role && len(owner.Defaults) > 0 {
			cp := *owner
			cp.Defaults = nil
			setRole(ch, &cp)
			continue
		}
		for _, d := range slices.Clone(owner.Defaults) {
			if !d.List.Names(role) {
				continue
			}
			g := &Grant{Revoke: true, Rights: d.Kind.All(), Cascade: true, Grantees: []uint32{role}}
			if err := alterDefaults(ch, g, d.Kind, owner.ID, d.Schema); err != nil {
				return err
			}
		}
	}
	return nil
}
