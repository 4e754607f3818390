package catalog

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// CreateTable makes a table, pre-split at its salt buckets, and the sequences
// its columns own. With ifNotExists an existing relation of the name is a
// NOTICE and the table returned is nil if that relation is not a table.
//
// Three steps, so that a server's death leaves nothing that is not found
// again: the descriptor in state creating takes the name and the ID; the
// storage table is made; the descriptor becomes public.
func (c *Catalog) CreateTable(ctx context.Context, def *TableDef, ifNotExists bool) (*Table, Notices, error) {
	built, notices, err := buildTable(def)
	if err != nil {
		return nil, nil, err
	}
	notices = append(notices, advise(built, def)...)
	if r := c.existing(ctx, def.Name); r != nil && ifNotExists {
		t, _ := r.(*Table)
		return t, Notices{skipping(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, def.Name.Name)}, nil
	}
	var made *Table
	err = c.withLease(ctx, func(h *held) error {
		var id uint32
		s, ns, err := c.change(ctx, func(ch *change) error {
			id = 0
			t := *built
			t.WholeRows = t.Options.TTL > 0
			t.Columns = slices.Clone(built.Columns)
			schema, err := ch.CreationSchema(def.Name)
			if err != nil {
				return err
			}
			if ch.nameTaken(schema, t.Name) {
				if ifNotExists {
					ch.notices.add(skipping(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, t.Name))
					return errNoChange
				}
				return duplicateRelation(def.Name)
			}
			if id, err = ch.newID(); err != nil {
				return err
			}
			t.ID, t.Schema, t.Physical = id, schema, physicalName(ch.root.UID, schema, t.Name, id)
			for i := range def.Columns {
				c, cd := &t.Columns[i], &def.Columns[i]
				if cd.Identity == 0 {
					err = ch.setDefault(c, &cd.Default)
				} else {
					err = ch.ownSequence(&t, c, cd, creating)
				}
				if err != nil {
					return positioned(err, cd.Pos)
				}
			}
			if err := ch.addForeignKeys(&t, def.ForeignKeys); err != nil {
				return err
			}
			if err := t.Finish(); err != nil {
				return err
			}
			for i := range def.Uniques {
				u := &def.Uniques[i]
				if _, err := ch.addIndex(&t, u); err != nil {
					return err
				}
				t.Indexes[i].State = IndexPublic
			}
			if err := t.Finish(); err != nil {
				return err
			}
			ch.set(&t, creating)
			return nil
		})
		if err != nil {
			return err
		}
		if id == 0 { // IF NOT EXISTS, and it does
			notices = ns
			made, _ = s.lookupOwn(def.Name).(*Table)
			return nil
		}
		notices = append(notices, ns...)
		t := s.objects[id].desc.(*Table)
		err = h.admin(ctx, func(ctx context.Context) error {
			splits := rowcodec.SplitKeys(t.Options.SaltBuckets, t.Options.Splits)
			err := c.store.Admin().CreateTable(ctx, t.storageSpec(splits))
			if storage.CodeOf(err) == storage.CodeAlreadyExists {
				return nil // an attempt whose answer was lost: nobody else uses this name
			}
			return err
		})
		for i := range t.Indexes {
			if err == nil {
				err = c.createIndexStorage(ctx, h, &t.Indexes[i])
			}
		}
		if err == nil {
			made, err = c.becomePublic(ctx, id)
		}
		if err != nil {
			c.undoCreate(ctx, h, id)
			return fromStorage(err, "creating the table's storage")
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return made, notices, nil
}

// existing looks a name up in what this process knows, so that CREATE … IF NOT
// EXISTS of what is there costs nothing.
func (c *Catalog) existing(ctx context.Context, n Name) Relation {
	s := c.Snapshot()
	schema, err := s.CreationSchema(n)
	if err != nil {
		return nil
	}
	if s.Relation(schema, n.Name) == nil {
		return nil
	}
	// It may be gone on another server.
	if s, err = c.Refresh(ctx); err != nil {
		return nil
	}
	return s.Relation(schema, n.Name)
}

// becomePublic ends a creation: the table and its sequences become visible.
func (c *Catalog) becomePublic(ctx context.Context, id uint32) (*Table, error) {
	s, _, err := c.change(ctx, func(ch *change) error {
		o := ch.objects[id]
		t, ok := o.desc.(*Table)
		if !ok || o.state != creating {
			return sqlerr.New(sqlerr.SerializationFailure, "the creation of the table was undone by another server, which took this one for dead").
				WithHint("Repeat the statement.")
		}
		cp := *t
		ch.set(&cp, public)
		for _, q := range ch.objects {
			if seq, ok := q.desc.(*Sequence); ok && seq.OwnerTable == id && q.state == creating {
				scp := *seq
				ch.set(&scp, public)
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
func (c *Catalog) undoCreate(ctx context.Context, h *held, id uint32) {
	ctx, cancel := detached(ctx, c.opts.Lease/2)
	defer cancel()
	s, _, err := c.change(ctx, func(ch *change) error {
		o, ok := ch.objects[id]
		if !ok || o.state != creating {
			return errNoChange
		}
		ch.abandon(id, o)
		for qid, q := range ch.objects {
			if seq, ok := q.desc.(*Sequence); ok && seq.OwnerTable == id && q.state == creating {
				ch.remove(qid)
			}
		}
		return nil
	})
	if err == nil {
		err = c.finishDropping(ctx, h, s)
	}
	if err != nil {
		c.opts.Logger.Warn("catalog: a failed CREATE TABLE is undone later", "table", id, "err", err)
	}
}

func skipping(code sqlerr.Code, format string, args ...any) *sqlerr.Error {
	return sqlerr.Notice(code, format, args...)
}
