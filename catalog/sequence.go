package catalog

import (
	"context"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ownSequence makes the sequence that an identity or serial column owns, under
// the name Postgres would give it.
func (ch *change) ownSequence(t *Table, col *Column, def *ColumnDef, st state) error {
	name := uniqueName(
		func(n int) string { return numbered(makeObjectName(t.Name, col.Name, "seq"), n) },
		func(s string) bool { return s == t.Name || ch.nameTaken(t.Schema, s) })
	opts := def.Sequence
	if opts.Type == types.Unknown {
		opts.Type = col.Type.Kind
	}
	q, err := newSequence(name, &opts, def.Pos)
	if err != nil {
		return err
	}
	if q.ID, err = ch.newID(); err != nil {
		return err
	}
	q.Schema, q.OwnerTable, q.OwnerColumn = t.Schema, t.ID, col.ID
	col.Sequence = q.ID
	ch.set(q, st)
	return nil
}

// CreateSequence makes a sequence.
func (c *Catalog) CreateSequence(ctx context.Context, def *SequenceDef, ifNotExists bool) (*Sequence, Notices, error) {
	q, err := newSequence(def.Name.Name, &def.Options, def.Name.Pos)
	if err != nil {
		return nil, nil, err
	}
	s, notices, err := c.change(ctx, func(ch *change) error {
		schema, err := ch.CreationSchema(def.Name)
		if err != nil {
			return err
		}
		if ch.nameTaken(schema, q.Name) {
			if ifNotExists {
				ch.notices.add(skipping(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, q.Name))
				return errNoChange
			}
			return duplicateRelation(def.Name)
		}
		cp := *q
		if cp.ID, err = ch.newID(); err != nil {
			return err
		}
		cp.Schema = schema
		if def.Options.Owner != nil {
			if err := ch.own(&cp, def.Options.Owner, false); err != nil {
				return err
			}
		}
		ch.set(&cp, public)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	made, _ := s.lookupOwn(def.Name).(*Sequence)
	return made, notices, nil
}
