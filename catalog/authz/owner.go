package authz

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// ChangeOwner is ALTER … OWNER TO of a relation of a kind; ALTER TABLE takes views and
// sequences too. The sequences that a table's columns own go with it, and what the old owner
// granted, the new one does.
func (a Authority) ChangeOwner(ctx context.Context, kind string, n catalog.Name, ifExists bool, owner uint32) (catalog.Notices, error) {
	notices, err := a.change(ctx, func(ch *change.Change) error {
		if r := ch.Lookup(n); r != nil && kind == "table" {
			kind = r.RelKind()
		}
		r, err := ch.FindAs("relation", n, kind, ifExists, ch.MustOwn)
		if err != nil || r == nil {
			return either(err, change.ErrNothing)
		}
		if q, ok := r.(*catalog.Sequence); ok && q.OwnerTable != 0 {
			t := ch.TableByID(q.OwnerTable)
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot change owner of sequence "%s"`, q.Name).
				WithDetail(`Sequence "%s" is linked to table "%s".`, q.Name, t.Name)
		}
		return ch.GiveTo(r, owner)
	})
	return notices, err
}

func either(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// ChangeSchemaOwner is ALTER SCHEMA … OWNER TO.
func (a Authority) ChangeSchemaOwner(ctx context.Context, name string, owner uint32) error {
	_, err := a.change(ctx, func(ch *change.Change) error {
		sc := ch.Schema(name)
		switch {
		case sc == nil:
			return catalog.UndefinedSchema(name)
		case sc.Owner == owner:
			return change.ErrNothing
		case !ch.Owns(&sc.Owned):
			return catalog.NotOwner("schema", name)
		}
		if err := ch.MayBecome(owner); err != nil {
			return err
		}
		if err := ch.MayCreateInDatabase(); err != nil {
			return err
		}
		cp := *sc
		cp.Owned = catalog.Owned{Owner: owner, Rights: sc.Rights.NewOwner(sc.Owner, owner)}
		ch.Set(&cp, catalog.StatePublic)
		return nil
	})
	return err
}

// ReassignOwned is REASSIGN OWNED: what some roles own becomes another's.
func (a Authority) ReassignOwned(ctx context.Context, from []uint32, to uint32) error {
	_, err := a.change(ctx, func(ch *change.Change) error {
		for _, role := range append(append([]uint32{}, from...), to) {
			if !ch.HasPrivsOf(ch.By, role) {
				return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to reassign objects")
			}
		}
		for _, role := range from {
			if role == catalog.BootstrapRole || isPredefined(ch.Snapshot, role) {
				return sqlerr.New(sqlerr.DependentObjectsStillExist,
					"cannot reassign ownership of objects owned by role %s because they are required by the database system", ch.RoleName(role))
			}
			for _, r := range ch.Members() {
				if o, ok := r.(catalog.Ownable); ok && o.Ownership().Owner == role {
					if err := ch.HandOver(r, to); err != nil {
						return err
					}
				}
			}
			for _, sc := range ch.Schemas() {
				if sc.Owner == role {
					cp := *sc
					cp.Owned = catalog.Owned{Owner: to, Rights: sc.Rights.NewOwner(role, to)}
					ch.Set(&cp, catalog.StatePublic)
				}
			}
		}
		return ch.UnlessEmpty()
	})
	return err
}
