package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// ChangeOwner is ALTER … OWNER TO of a relation of a kind; ALTER TABLE takes views and
// sequences too. The sequences that a table's columns own go with it, and what the old owner
// granted, the new one does.
func (c *Catalog) ChangeOwner(ctx context.Context, kind string, n catalog.Name, ifExists bool, owner uint32) (catalog.Notices, error) {
	_, notices, err := c.change(ctx, func(ch *change) error {
		if r := ch.Lookup(n); r != nil && kind == "table" {
			kind = r.RelKind()
		}
		r, err := ch.findAs("relation", n, kind, ifExists, ch.mustOwn)
		if err != nil || r == nil {
			return either(err, errNoChange)
		}
		if q, ok := r.(*catalog.Sequence); ok && q.OwnerTable != 0 {
			t := ch.TableByID(q.OwnerTable)
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot change owner of sequence "%s"`, q.Name).
				WithDetail(`Sequence "%s" is linked to table "%s".`, q.Name, t.Name)
		}
		return ch.giveTo(r, owner)
	})
	return notices, err
}

func either(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// giveTo makes owner the owner of a relation.
func (ch *change) giveTo(r catalog.Relation, owner uint32) error {
	from := r.(catalog.Ownable).Ownership().Owner
	if from == owner {
		return errNoChange
	}
	if err := ch.mayBecome(owner); err != nil {
		return err
	}
	if !ch.IsSuperuser(ch.By) {
		if sc := ch.Schema(r.RelSchema()); sc != nil && !ch.mayCreate(owner, sc.Name) {
			return catalog.Denied("schema", sc.Name)
		}
	}
	return ch.handOver(r, owner)
}

func (ch *change) mayCreate(role uint32, schema string) bool {
	as := *ch
	as.By = role
	return as.mayCreateIn(schema) == nil
}

// handOver is giveTo without asking.
func (ch *change) handOver(r catalog.Relation, owner uint32) error {
	o := r.(catalog.Ownable).Ownership()
	err := ch.editRelation(r, func(cp *catalog.Owned) { *cp = catalog.Owned{Owner: owner, Rights: o.Rights.NewOwner(o.Owner, owner)} })
	if t, ok := r.(*catalog.Table); ok && err == nil {
		for _, q := range ch.OwnedSequences(t.ID) {
			if err := ch.handOver(q, owner); err != nil {
				return err
			}
		}
	}
	return err
}

// editRelation changes a copy of a relation's ownership.
func (ch *change) editRelation(r catalog.Relation, edit func(*catalog.Owned)) error {
	if o, ok := ch.get(r.RelID()); ok {
		r = o.Desc.(catalog.Relation)
	}
	switch r := r.(type) {
	case *catalog.Table:
		cp := r.Clone()
		from := cp.Owner
		edit(&cp.Owned)
		for i := range cp.Columns {
			if from != cp.Owner {
				cp.Columns[i].Rights = cp.Columns[i].Rights.NewOwner(from, cp.Owner)
			}
		}
		if err := cp.Finish(); err != nil {
			return err
		}
		ch.set(cp, catalog.StatePublic)
	case *catalog.View:
		cp := *r
		edit(&cp.Owned)
		ch.set(&cp, catalog.StatePublic)
	case *catalog.Sequence:
		cp := *r
		edit(&cp.Owned)
		ch.set(&cp, catalog.StatePublic)
	case *catalog.Type:
		cp := *r
		edit(&cp.Owned)
		ch.set(&cp, catalog.StatePublic)
	}
	return nil
}

// ChangeSchemaOwner is ALTER SCHEMA … OWNER TO.
func (c *Catalog) ChangeSchemaOwner(ctx context.Context, name string, owner uint32) error {
	_, _, err := c.change(ctx, func(ch *change) error {
		sc := ch.Schema(name)
		switch {
		case sc == nil:
			return catalog.UndefinedSchema(name)
		case sc.Owner == owner:
			return errNoChange
		case !ch.owns(&sc.Owned):
			return catalog.NotOwner("schema", name)
		}
		if err := ch.mayBecome(owner); err != nil {
			return err
		}
		if err := ch.mayCreateInDatabase(); err != nil {
			return err
		}
		cp := *sc
		cp.Owned = catalog.Owned{Owner: owner, Rights: sc.Rights.NewOwner(sc.Owner, owner)}
		ch.set(&cp, catalog.StatePublic)
		return nil
	})
	return err
}

// ReassignOwned is REASSIGN OWNED: what some roles own becomes another's.
func (c *Catalog) ReassignOwned(ctx context.Context, from []uint32, to uint32) error {
	_, _, err := c.change(ctx, func(ch *change) error {
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
					if err := ch.handOver(r, to); err != nil {
						return err
					}
				}
			}
			for _, sc := range ch.Schemas() {
				if sc.Owner == role {
					cp := *sc
					cp.Owned = catalog.Owned{Owner: to, Rights: sc.Rights.NewOwner(role, to)}
					ch.set(&cp, catalog.StatePublic)
				}
			}
		}
		return ch.unlessEmpty()
	})
	return err
}
