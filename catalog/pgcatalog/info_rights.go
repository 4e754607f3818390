package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

// The views of information_schema over rights. They show what was granted to, or by, the
// session's role, and to everybody; the other views show what the role may use.

// mayKnow says whether information_schema shows a relation: it is the role's own, or the role has
// some right on it.
func (q *query) mayKnow(c *class) bool {
	role, r := q.Role(), c.relation()
	return q.snap.IsSuperuser(role) || q.snap.AnyColumn(role, r, acl.Table.All())
}

// mayKnowColumn is mayKnow of a column.
func (q *query) mayKnowColumn(c *class, number int) bool {
	role, r := q.Role(), c.relation()
	if rights, _ := q.snap.RelationRights(role, r); rights&acl.Column.All() != 0 {
		return true
	}
	owner, _ := c.ownership()
	rights, _ := q.snap.ColumnRights(role, r, number)
	return rights != 0 || q.snap.HasPrivsOf(role, owner)
}

// eachGrant visits the single rights of a list that the session's role may know of.
func (q *query) eachGrant(l *acl.List, owner uint32, visit func(grantor, grantee, right string, option bool) error) error {
	name := func(id uint32) string {
		n, _ := roleName(q, q.snap, id)
		return n
	}
	for _, it := range l.Items {
		if it.Grantee != acl.Public && !q.snap.HasPrivsOf(q.Role(), it.Grantee) && !q.snap.HasPrivsOf(q.Role(), it.Grantor) {
			continue
		}
		to, option := "PUBLIC", acl.None
		if it.Grantee != acl.Public {
			to, option = name(it.Grantee), it.Options
			if q.snap.HasPrivsOf(it.Grantee, owner) {
				option = ^acl.None
			}
		}
		for _, right := range it.Rights.Each() {
			if err := visit(name(it.Grantor), to, right.Word(), option&right != 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func infoTablePrivileges(q *query) error {
	return q.tablesAndViews(func(c *class) error {
		owner, list := catalog.OwnedBy(c.relation())
		return q.eachGrant(list, owner, func(by, to, right string, option bool) error {
			return q.row(text(by), text(to), text(q.Database()), text(c.schema), text(c.name), text(right), yesNo(option), yesNo(right == "SELECT"))
		})
	})
}

func infoColumnPrivileges(q *query) error {
	return q.tablesAndViews(func(c *class) error {
		owner, list := catalog.OwnedBy(c.relation())
		for _, a := range c.attributes() {
			row := func(by, to, right string, option bool) error {
				if acl.Column.All()&rightOf(right) == 0 {
					return nil
				}
				return q.row(text(by), text(to), text(q.Database()), text(c.schema), text(c.name), text(a.name), text(right), yesNo(option))
			}
			if err := q.eachGrant(list, owner, row); err != nil {
				return err
			}
			if a.rights == nil {
				continue
			}
			if err := q.eachGrant(a.rights, owner, row); err != nil {
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

func infoUsagePrivileges(q *query) error {
	err := q.eachDomain(func(t *catalog.Type) error {
		owner, list := catalog.OwnedBy(t)
		return q.eachGrant(list, owner, func(by, to, right string, option bool) error {
			return q.row(text(by), text(to), text(q.Database()), text(t.Schema), text(t.Name), text("DOMAIN"), text("USAGE"), yesNo(option))
		})
	})
	if err != nil {
		return err
	}
	for _, s := range q.snap.Sequences() {
		owner, list := catalog.OwnedBy(s)
		err := q.eachGrant(list, owner, func(by, to, right string, option bool) error {
			if right != "USAGE" {
				return nil
			}
			return q.row(text(by), text(to), text(q.Database()), text(s.Schema), text(s.Name), text("SEQUENCE"), text("USAGE"), yesNo(option))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
