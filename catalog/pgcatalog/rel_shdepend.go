package pgcatalog

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

func init() { Source("pg_catalog.pg_shdepend", pgShdepend) }

const classDefaultACL = 826

// pgShdepend says which roles own what, and which have rights on it. Of roles that are there
// from the start nothing is said: they cannot be dropped.
func pgShdepend(q *Query) error {
	of := func(class, id uint32, sub int, owner uint32, list *acl.List, owned bool) error {
		database := uint32(databaseOID)
		if class == classDatabase {
			database = 0
		}
		add := func(role uint32, kind byte) error {
			if role < catalog.FirstNormalOID || !q.isOID("classid", class) || !q.isOID("objid", id) || !q.isOID("refobjid", role) {
				return nil
			}
			return q.Row(oid(database), oid(class), oid(id), num(sub), oid(classAuthid), oid(role), char(kind))
		}
		if owned {
			if err := add(owner, 'o'); err != nil {
				return err
			}
		}
		if list == nil {
			return nil
		}
		var roles []uint32
		for _, it := range list.Items {
			roles = append(roles, it.Grantee, it.Grantor)
		}
		slices.Sort(roles)
		for _, role := range slices.Compact(roles) {
			if role != owner {
				if err := add(role, 'a'); err != nil {
					return err
				}
			}
		}
		return nil
	}
	d := q.Snap.Database()
	if err := of(classDatabase, databaseOID, 0, d.Owner, d.Rights, true); err != nil {
		return err
	}
	for _, s := range q.Snap.Schemas() {
		if err := of(classNamespace, s.ID, 0, s.Owner, s.Rights, true); err != nil {
			return err
		}
	}
	for _, t := range q.Snap.Types() {
		if err := of(classType, t.ID, 0, t.Owner, t.Rights, true); err != nil {
			return err
		}
	}
	for _, r := range q.Snap.Relations() {
		o := r.(catalog.Ownable).Ownership()
		if err := of(classClass, r.RelID(), 0, o.Owner, o.Rights, true); err != nil {
			return err
		}
		t, ok := r.(*catalog.Table)
		if !ok {
			continue
		}
		for i := range t.Visible() {
			if err := of(classClass, t.ID, t.Columns[i].ID, o.Owner, t.Columns[i].Rights, false); err != nil {
				return err
			}
		}
	}
	return q.EachRole("", "", func(r *catalog.Role) error {
		for i, d := range r.Defaults {
			if err := of(classDefaultACL, partOID(r.ID, i), 0, r.ID, d.List, true); err != nil {
				return err
			}
		}
		return nil
	})
}
