package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// CreateTable makes a table, pre-split at its salt buckets, and the sequences
// its columns own. With ifNotExists an existing relation of the name is a
// NOTICE and the table returned is nil if that relation is not a table.
//
// Three steps, so that a server's death leaves nothing that is not found
// again: the descriptor in state creating takes the name and the ID; the
// storage table is made; the descriptor becomes public.
func (c *Catalog) CreateTable(ctx context.Context, def *catalog.TableDef, ifNotExists bool) (*catalog.Table, catalog.Notices, error) {
	built, notices, err := catalog.BuildTable(def)
	if err != nil {
		return nil, nil, err
	}
	if !catalog.IsTempSchema(def.Name.Schema) && def.Materialized == nil {
		notices = append(notices, advise(built, def)...)
	}
	if ifNotExists {
		if r, skipped := c.Existing(ctx, def.Name); r != nil {
			t, _ := r.(*catalog.Table)
			return t, skipped, nil
		}
	}
	var made *catalog.Table
	lease := c.WithLease
	if c.Drafts() { // nobody else knows of the table, so that nobody is kept out
		lease = func(ctx context.Context, stmt func(context.Context, *versions.Held) error) error {
			return stmt(ctx, nil)
		}
	}
	err = lease(ctx, func(ctx context.Context, h *versions.Held) error {
		var id uint32
		s, ns, err := c.Change(ctx, func(ch *change.Change) error {
			id = 0
			t := *built
			t.WholeRows = t.Options.TTL > 0
			t.Columns = slices.Clone(built.Columns)
			schema, err := ch.CreationSchema(def.Name)
			if err != nil {
				return err
			}
			if ch.NameTaken(schema, t.Name) {
				if ifNotExists && !ch.IsType(schema, t.Name) {
					ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, t.Name))
					return change.ErrNothing
				}
				return ch.Duplicate(schema, def.Name)
			}
			if id, err = ch.NewID(); err != nil {
				return err
			}
			t.ID, t.Schema, t.Physical = id, schema, catalog.PhysicalName(ch.Root.UID, schema, t.Name, id, t.Options.Transactional && c.Store.Caps().Transactional)
			if t.Distributed() && t.Materialized != nil {
				return sqlerr.Unsupported("TRANSACTIONAL for a materialized view is not supported on this store",
					"Leave it out: REFRESH changes what is read in one step.")
			}
			for i := range def.Columns {
				c, cd := &t.Columns[i], &def.Columns[i]
				if cd.Identity == 0 {
					err = ch.SetDefault(c, &cd.Default)
				} else {
					err = ownSequence(ch, &t, c, cd, catalog.StateCreating)
				}
				if err != nil {
					return catalog.Positioned(err, cd.Pos)
				}
			}
			if err := t.Finish(); err != nil {
				return err
			}
			if err := nameNewKey(ch, &t, def); err != nil {
				return err
			}
			for i := range def.Uniques {
				u := &def.Uniques[i]
				if _, err := addIndex(ch, &t, u); err != nil {
					return err
				}
				t.Indexes[i].State = catalog.IndexPublic
			}
			if err := addForeignKeys(ch, &t, def.ForeignKeys); err != nil {
				return err
			}
			if err := t.Finish(); err != nil {
				return err
			}
			if err := mayMaterialize(ch, &t); err != nil {
				return err
			}
			ch.Set(&t, catalog.StateCreating)
			return nil
		})
		if err != nil {
			return err
		}
		if id == 0 { // IF NOT EXISTS, and it does
			notices = ns
			made, _ = s.LookupOwn(def.Name).(*catalog.Table)
			return nil
		}
		notices = append(notices, ns...)
		t := s.Descriptor(id).(*catalog.Table)
		err = c.createStorage(ctx, h, t)
		if err == nil {
			made, err = c.becomePublic(ctx, id)
		}
		if err != nil && h != nil { // a draft goes back to what it was
			c.undoCreate(ctx, h, id)
		}
		if err != nil {
			return catalog.FromStorage(err, "creating the table's storage")
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return made, notices, nil
}

// MayCreate refuses a name in a schema that the actor of ctx may not create in: 42501. Of a schema
// that is not there it says nothing.
func (c *Catalog) MayCreate(ctx context.Context, n catalog.Name) error {
	_, err := change.New(ctx, c.Seen()).CreationSchema(n)
	if sqlerr.CodeOf(err) != sqlerr.InsufficientPrivilege {
		return nil
	}
	return err
}

// nameNewKey gives the primary key of a table that is being made its name, which no other
// relation of the schema has: 42P07. In Phoenix's texts, which ATTACH TABLE takes, and CREATE
// TABLE under its search path, the name is the table's own: a notice tells of another.
func nameNewKey(ch *change.Change, t *catalog.Table, def *catalog.TableDef) error {
	taken := func(name string) bool { return name == t.Name || ch.NameTaken(t.Schema, name) }
	switch {
	case t.PrimaryKeyName == "" || !taken(t.PrimaryKeyName):
	case def.PrimaryKeyName != "" && !t.Adopted && !def.Name.OfPhoenix():
		return catalog.DuplicateKey(t.PrimaryKeyName)
	default:
		t.PrimaryKeyName = t.ChooseKeyName(taken)
		if def.PrimaryKeyName != "" {
			ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, the primary key is named "%s"`, def.PrimaryKeyName, t.PrimaryKeyName))
		}
	}
	return nil
}

// Existing finds the relation that has the name of one to be made, with the NOTICE of
// IF NOT EXISTS; nil if there is none.
func (c *Catalog) Existing(ctx context.Context, n catalog.Name) (catalog.Relation, catalog.Notices) {
	s := c.Snapshot()
	schema, err := s.CreationSchema(n)
	if err != nil || s.Relation(schema, n.Name) == nil {
		return nil, nil
	}
	// It may be gone on another server.
	if s, err = c.Refresh(ctx); err != nil {
		return nil, nil
	}
	r := s.Relation(schema, n.Name)
	if r == nil {
		return nil, nil
	}
	return r, catalog.Notices{sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, n.Name)}
}

// createStorage makes the storage tables of a table and of its indexes.
func (c *Catalog) createStorage(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	create := c.draftStorage
	if h != nil {
		create = h.CreateStorage
	}
	err := create(ctx, t.StorageSpec(rowcodec.SplitKeys(t.Options.SaltBuckets, t.Options.Splits)))
	for i := range t.Indexes {
		if err == nil {
			err = create(ctx, c.indexSpec(&t.Indexes[i]))
		}
	}
	return err
}

// becomePublic ends a creation: the table and its sequences become visible.
func (c *Catalog) becomePublic(ctx context.Context, id uint32) (*catalog.Table, error) {
	s, _, err := c.Change(ctx, func(ch *change.Change) error {
		o, _ := ch.Object(id)
		t, ok := o.Desc.(*catalog.Table)
		if !ok || o.State != catalog.StateCreating {
			return sqlerr.New(sqlerr.SerializationFailure, "the creation of the table was undone by another server, which took this one for dead").
				WithHint("Repeat the statement.")
		}
		cp := *t
		ch.Set(&cp, catalog.StatePublic)
		for i := range t.Columns {
			q, _ := ch.Object(t.Columns[i].Sequence)
			if seq, ok := q.Desc.(*catalog.Sequence); ok && seq.OwnerTable == id && q.State == catalog.StateCreating {
				scp := *seq
				ch.Set(&scp, catalog.StatePublic)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.TableByID(id), nil
}

// undoCreate removes what a failed CREATE TABLE has made, though the statement
// may have been canceled. What it cannot remove, repair does later.
func (c *Catalog) undoCreate(ctx context.Context, h *versions.Held, id uint32) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease/2)
	defer cancel()
	s, _, err := c.Change(ctx, func(ch *change.Change) error {
		o, ok := ch.Object(id)
		if !ok || o.State != catalog.StateCreating {
			return change.ErrNothing
		}
		abandon(ch, id, o)
		for qid, q := range ch.Objects() {
			if seq, ok := q.Desc.(*catalog.Sequence); ok && seq.OwnerTable == id && q.State == catalog.StateCreating {
				ch.Remove(qid)
			}
		}
		return nil
	})
	if err == nil {
		err = c.finishDropping(ctx, h, s)
	}
	if err != nil {
		c.Options.Logger.Warn("catalog: a failed CREATE TABLE is undone later", "table", id, "err", err)
	}
}
