package infoschema

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
)

// The views of information_schema over memberships, and over generated columns.

func init() {
	pgcatalog.Source("information_schema.applicable_roles", func(q *pgcatalog.Query) error { return applicableRoles(q, false) })
	pgcatalog.Source("information_schema.administrable_role_authorizations", func(q *pgcatalog.Query) error { return applicableRoles(q, true) })
	pgcatalog.Source("information_schema.column_column_usage", infoColumnColumns)
}

// applicableRoles gives the memberships of the roles whose rights the user has; admin, only those
// that may be granted on.
func applicableRoles(q *pgcatalog.Query, admin bool) error {
	return q.EachRole("", "grantee", func(r *catalog.Role) error {
		if !q.Snap.HasPrivsOf(q.Role(), r.ID) {
			return nil
		}
		for _, m := range r.MemberOf {
			if admin && !m.Admin {
				continue
			}
			if err := q.Row(text(r.Name), text(q.RoleName(m.Role)), yesNo(m.Admin)); err != nil {
				return err
			}
		}
		return nil
	})
}

// infoColumnColumns gives the columns that generated ones are computed of.
func infoColumnColumns(q *pgcatalog.Query) error {
	return q.Classes("", "table_name", func(c *pgcatalog.Class) error {
		if c.Table == nil || !q.IsText("table_schema", c.Schema) {
			return nil
		}
		if owner, _ := catalog.OwnedBy(c.Table); !q.Snap.HasPrivsOf(q.Role(), owner) {
			return nil
		}
		for _, of := range c.Table.Columns {
			for i, id := range of.GeneratedFrom {
				if slices.Contains(of.GeneratedFrom[:i], id) {
					continue
				}
				err := q.Row(text(q.Database()), text(c.Schema), text(c.Name), text(catalog.ColumnName(c.Table, id)), text(of.Name))
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}
