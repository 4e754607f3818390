package ddl

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// alterSystem changes the parameters that the store has for all of its servers: superusers may
// (42501), and of stores that servers do not share there are none (0A000). All others are flags of
// a server.
func (r *Runner) alterSystem(ctx context.Context, u *tree.AlterSystem) (catalog.Notices, error) {
	var names []string
	switch {
	case u.Set != nil:
		names = []string{u.Set.Name}
	case u.Reset.All:
		names = []string{settings.Lease, settings.CatalogRefresh}
	default:
		names = []string{u.Reset.Name}
	}
	if !r.Catalog.Seen().IsSuperuser(r.Host.Actor().Current) {
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set parameter %q", names[0])
	}
	_, _, shared := r.Catalog.Times()
	var lease, refresh time.Duration
	for _, name := range names {
		def := settings.Find(name)
		switch {
		case def == nil:
			return nil, settings.Unknown(name)
		case name != settings.Lease && name != settings.CatalogRefresh:
			return nil, sqlerr.Unsupported("ALTER SYSTEM SET "+def.Name+" is not supported",
				"The store has saltsql.lease and saltsql.catalog_refresh. Other settings of a server are its flags, or in its --config file; those of a role are ALTER ROLE … SET.")
		case !shared:
			return nil, sqlerr.Unsupported("ALTER SYSTEM SET "+def.Name+" is not supported on a store of one server", "It is for servers that share a Bigtable instance: nobody else has this store.")
		}
		d := versions.DefaultLease
		if name == settings.CatalogRefresh {
			d = versions.DefaultRefresh
		}
		if u.Set != nil && !u.Set.Default {
			if len(u.Set.Values) != 1 {
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, "SET %s takes only one argument", def.Name)
			}
			text, err := def.Check(def.Name, u.Set.Values[0].Text)
			if err != nil {
				return nil, err
			}
			if d, err = settings.ParseDuration(text); err != nil {
				return nil, err
			}
		}
		if name == settings.Lease {
			lease = d
		} else {
			refresh = d
		}
	}
	if err := r.Catalog.SetTimes(ctx, lease, refresh); err != nil {
		return nil, err
	}
	return catalog.Notices{sqlerr.Notice(sqlerr.SuccessfulCompletion, "each server of the store goes by it from its next start on")}, nil
}
