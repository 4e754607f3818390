package infoschema

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/types"
)

// The views of information_schema over rights. They show what was granted to, or by, the
// session's role, and to everybody; the other views show what the role may use.

// mayKnow says whether information_schema shows a relation: it is the role's own, or the role has
// some right on it.
func mayKnow(q *pgcatalog.Query, c *pgcatalog.Class) bool {
	role, r := q.Role(), c.Relation()
	return q.Snap.IsSuperuser(role) || q.Snap.AnyColumn(role, r, acl.Table.All())
}

// mayChange is mayKnow of the views that do not count the right to read.
func mayChange(q *pgcatalog.Query, c *pgcatalog.Class) bool {
	return q.Snap.AnyColumn(q.Role(), c.Relation(), acl.Table.All()&^acl.Select)
}

// mayUse says whether information_schema shows a type of users.
func mayUse(q *pgcatalog.Query, t *catalog.Type) bool {
	rights, _ := q.Snap.TypeRights(q.Role(), t)
	return rights&acl.Usage != 0 || owns(q, t)
}

// owns says that the session's role has the rights of a relation's owner.
func owns(q *pgcatalog.Query, r catalog.Relation) bool {
	owner, _ := catalog.OwnedBy(r)
	return q.Snap.HasPrivsOf(q.Role(), owner)
}

// ownsType is owns of a type: those of the system are the superuser's.
func ownsType(q *pgcatalog.Query, t types.T) bool {
	u := t.Domain()
	if u == nil {
		u = t.User()
	}
	if u == nil {
		return q.Snap.IsSuperuser(q.Role())
	}
	of := q.Snap.TypeByID(u.ID)
	return of != nil && owns(q, of)
}

// mayKnowColumn is mayKnow of a column.
func mayKnowColumn(q *pgcatalog.Query, c *pgcatalog.Class, number int) bool {
	role, r := q.Role(), c.Relation()
	if rights, _ := q.Snap.RelationRights(role, r); rights&acl.Column.All() != 0 {
		return true
	}
	owner, _ := c.Ownership()
	rights, _ := q.Snap.ColumnRights(role, r, number)
	return rights != 0 || q.Snap.HasPrivsOf(role, owner)
}

// eachGrant visits the single rights of a list that the session's role may know of.
func eachGrant(q *pgcatalog.Query, l *acl.List, owner uint32, visit func(grantor, grantee, right string, option bool) error) error {
	for _, it := range l.Items {
		if it.Grantee != acl.Public && !q.Snap.HasPrivsOf(q.Role(), it.Grantee) && !q.Snap.HasPrivsOf(q.Role(), it.Grantor) {
			continue
		}
		to, option := "PUBLIC", acl.None
		if it.Grantee != acl.Public {
			to, option = q.RoleName(it.Grantee), it.Options
			if q.Snap.HasPrivsOf(it.Grantee, owner) {
				option = ^acl.None
			}
		}
		for _, right := range it.Rights.Each() {
			if err := visit(q.RoleName(it.Grantor), to, right.Word(), option&right != 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func infoTablePrivileges(q *pgcatalog.Query) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		owner, list := catalog.OwnedBy(c.Relation())
		return eachGrant(q, list, owner, func(by, to, right string, option bool) error {
			return q.Row(text(by), text(to), text(q.Database()), text(c.Schema), text(c.Name), text(right), yesNo(option), yesNo(right == "SELECT"))
		})
	})
}

func infoColumnPrivileges(q *pgcatalog.Query) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		owner, list := catalog.OwnedBy(c.Relation())
		for _, a := range c.Attributes() {
			row := func(by, to, right string, option bool) error {
				if acl.Column.All()&rightOf(right) == 0 {
					return nil
				}
				return q.Row(text(by), text(to), text(q.Database()), text(c.Schema), text(c.Name), text(a.Name), text(right), yesNo(option))
			}
			if err := eachGrant(q, list, owner, row); err != nil {
				return err
			}
			if a.Rights == nil {
				continue
			}
			if err := eachGrant(q, a.Rights, owner, row); err != nil {
				return err
			}
		}
		return nil
	})
}

func rightOf(word string) acl.Right {
	for _, r := range acl.Table.All().Each() {
		if r.Word() == word {
			return r
		}
	}
	return acl.None
}

func infoUsagePrivileges(q *pgcatalog.Query) error {
	err := q.EachDomain(func(t *catalog.Type) error {
		owner, list := catalog.OwnedBy(t)
		return eachGrant(q, list, owner, func(by, to, right string, option bool) error {
			return q.Row(text(by), text(to), text(q.Database()), text(t.Schema), text(t.Name), text("DOMAIN"), text("USAGE"), yesNo(option))
		})
	})
	if err != nil {
		return err
	}
	for _, s := range q.Snap.Sequences() {
		owner, list := catalog.OwnedBy(s)
		err := eachGrant(q, list, owner, func(by, to, right string, option bool) error {
			if right != "USAGE" {
				return nil
			}
			return q.Row(text(by), text(to), text(q.Database()), text(s.Schema), text(s.Name), text("SEQUENCE"), text("USAGE"), yesNo(option))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
