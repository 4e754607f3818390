package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// grantKinds are the objects that rights are granted on, with what messages call them.
var grantKinds = map[string]struct {
	kind acl.Kind
	word string
	all  acl.Right // that the statement may name
}{
	"table":                   {acl.Table, "relation", acl.Table.All() | acl.Sequence.All()},
	"sequence":                {acl.Sequence, "sequence", acl.Sequence.All()},
	"all tables in schema":    {acl.Table, "relation", acl.Table.All()},
	"all sequences in schema": {acl.Sequence, "sequence", acl.Sequence.All()},
	"schema":                  {acl.Schema, "schema", acl.Schema.All()},
	"database":                {acl.Database, "database", acl.Database.All()},
	"tables":                  {acl.Table, "relation", acl.Table.All()},
	"sequences":               {acl.Sequence, "sequence", acl.Sequence.All()},
	"schemas":                 {acl.Schema, "schema", acl.Schema.All()},
	"type":                    {acl.Type, "type", acl.Type.All()},
	"domain":                  {acl.Type, "domain", acl.Type.All()},
	"types":                   {acl.Type, "type", acl.Type.All()},
}

// grantOf turns what a statement grants into the catalog's terms.
func (r *Runner) grantOf(u *tree.Grant) (g authz.Grant, kind acl.Kind, err error) {
	k, ok := grantKinds[u.Object]
	if !ok {
		return g, 0, sqlerr.Unsupported("rights on a "+u.Object+" are not supported",
			"Rights are kept on tables, views, columns, sequences, types, schemas and the database.")
	}
	g = authz.Grant{Revoke: u.Revoke, Option: u.Option, Cascade: u.Cascade}
	if u.GrantedBy != nil {
		by, err := r.Role(*u.GrantedBy)
		if err != nil {
			return g, 0, err
		}
		if by != r.Host.Actor().Current {
			return g, 0, sqlerr.New(sqlerr.FeatureNotSupported, "grantor must be current user")
		}
	}
	for _, s := range u.Grantees {
		id := acl.Public
		if s.Keyword != "public" {
			if id, err = r.Role(s); err != nil {
				return g, 0, err
			}
		}
		g.Grantees = append(g.Grantees, id)
	}
	for i := range u.Privileges {
		p := &u.Privileges[i]
		all := p.Name == "all"
		var right acl.Right
		if !all {
			if right, err = rightNamed(p); err != nil {
				return g, 0, err
			}
		}
		switch {
		case len(p.Columns) > 0 && k.word != "relation":
			return g, 0, sqlerr.New(sqlerr.InvalidGrantOperation, "column privileges are only valid for relations")
		case len(p.Columns) > 0:
			if right&^acl.Column.All() != 0 {
				return g, 0, sqlerr.New(sqlerr.InvalidGrantOperation, "invalid privilege type %s for column", right.Word())
			}
			g.Columns = append(g.Columns, authz.ColumnGrant{Rights: right, All: all, Columns: p.Columns})
		case all:
			g.All = true
		case right&^k.all != 0:
			return g, 0, sqlerr.New(sqlerr.InvalidGrantOperation, "invalid privilege type %s for %s", right.Word(), k.word)
		}
		if len(p.Columns) == 0 {
			g.Rights |= right
		}
	}
	return g, k.kind, nil
}

func (r *Runner) grant(ctx context.Context, u *tree.Grant) (catalog.Notices, error) {
	g, kind, err := r.grantOf(u)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, n := range u.Names {
		names = append(names, n.Name)
	}
	switch u.Object {
	case "schema":
		return r.Catalog.GrantOnSchemas(ctx, g, names)
	case "type", "domain":
		return r.Catalog.GrantOnTypes(ctx, g, u.Object == "domain", r.catalogNames(u.Names))
	case "all tables in schema", "all sequences in schema":
		return r.Catalog.GrantInSchemas(ctx, g, kind, names)
	case "database":
		for _, name := range names {
			if name != r.Host.Actor().Database {
				return nil, sqlerr.New(sqlerr.InvalidCatalogName, `database "%s" does not exist`, name)
			}
		}
		return r.Catalog.GrantOnDatabase(ctx, g, names[0])
	}
	return r.Catalog.GrantOn(ctx, g, kind, r.catalogNames(u.Names))
}

func (r *Runner) defaultPrivileges(ctx context.Context, u *tree.AlterDefaultPrivileges) error {
	g, kind, err := r.grantOf(u.Grant)
	if err != nil {
		return err
	}
	if kind == acl.Schema && len(u.Schemas) > 0 {
		return sqlerr.New(sqlerr.InvalidGrantOperation, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
	}
	roles := []uint32{r.Host.Actor().Current}
	if len(u.Roles) > 0 {
		if roles, err = r.roles(u.Roles); err != nil {
			return err
		}
	}
	var schemas []string
	for _, n := range u.Schemas {
		schemas = append(schemas, n.Name)
	}
	return r.Catalog.AlterDefaultRights(ctx, g, kind, roles, schemas)
}
