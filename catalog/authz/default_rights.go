package authz

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// defaultKinds are the objects that have default rights, as messages call them.
var defaultKinds = map[acl.Kind]string{acl.Table: "relations", acl.Sequence: "sequences", acl.Schema: "schemas", acl.Type: "types"}

// AlterDefaultRights is ALTER DEFAULT PRIVILEGES: what roles' new objects of a kind have, in
// schemas or, where there are none, everywhere.
func (a Authority) AlterDefaultRights(ctx context.Context, g Grant, kind acl.Kind, roles []uint32, schemas []string) error {
	_, err := a.change(ctx, func(ch *change.Change) error {
		if g.All {
			g.Rights = kind.All()
		}
		for _, role := range roles {
			if err := ch.MayBecome(role); err != nil {
				return err
			}
			ids := []uint32{0}
			if len(schemas) > 0 {
				ids = ids[:0]
			}
			for _, name := range schemas {
				sc := ch.Schema(name)
				if sc == nil {
					return catalog.UndefinedSchema(name)
				}
				ids = append(ids, sc.ID)
			}
			for _, schema := range ids {
				if err := alterDefaults(ch, &g, kind, role, schema); err != nil {
					return err
				}
			}
		}
		return ch.UnlessEmpty()
	})
	return err
}

func alterDefaults(ch *change.Change, g *Grant, kind acl.Kind, role, schema uint32) error {
	r := *ch.RoleByID(role)
	r.Defaults = slices.Clone(r.Defaults)
	i := slices.IndexFunc(r.Defaults, func(d catalog.DefaultRights) bool { return d.Schema == schema && d.Kind == kind })
	base := &acl.List{}
	if schema == 0 {
		base = acl.Default(kind, role)
	}
	if i < 0 {
		i = len(r.Defaults)
		r.Defaults = append(r.Defaults, catalog.DefaultRights{Schema: schema, Kind: kind, List: base})
	}
	list := r.Defaults[i].List
	for _, to := range g.Grantees {
		if !g.Revoke && g.Option && to == acl.Public {
			return sqlerr.New(sqlerr.InvalidGrantOperation, "grant options can only be granted to roles")
		}
		it := acl.Item{Grantee: to, Grantor: role}
		if !g.Revoke || !g.Option {
			it.Rights = g.Rights
		}
		if g.Revoke || g.Option {
			it.Options = g.Rights
		}
		var err error
		if g.Revoke {
			list, err = list.Revoke(ch, it, role, g.Cascade)
		} else {
			list, err = list.Grant(ch, it, role)
		}
		if err != nil {
			return err
		}
	}
	r.Defaults[i].List = list
	if list.Equal(base) {
		r.Defaults = slices.Delete(r.Defaults, i, i+1)
	}
	setRole(ch, &r)
	return nil
}
