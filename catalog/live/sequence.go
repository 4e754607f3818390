package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ownSequence makes the sequence that an identity or serial column owns, under
// the name Postgres would give it.
func (ch *change) ownSequence(t *catalog.Table, col *catalog.Column, def *catalog.ColumnDef, st catalog.State) error {
	name := catalog.UniqueName(
		func(n int) string { return catalog.Numbered(catalog.MakeObjectName(t.Name, col.Name, "seq"), n) },
		func(s string) bool { return s == t.Name || ch.nameTaken(t.Schema, s) })
	opts := def.Sequence
	if n := opts.Name; n.Name != "" {
		if n.Schema != "" && n.Schema != t.Schema {
			return sqlerr.Unsupported("an identity column's sequence in another schema than its table's is not supported",
				"Leave the schema out of SEQUENCE NAME.").At(n.Pos)
		}
		if name = n.Name; name == t.Name || ch.nameTaken(t.Schema, name) {
			return catalog.DuplicateRelation(n)
		}
	}
	if opts.Type == types.Unknown {
		opts.Type = col.Type.Kind
	}
	q, err := catalog.NewSequence(name, &opts, def.Pos)
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
func (c *Catalog) CreateSequence(ctx context.Context, def *catalog.SequenceDef, ifNotExists bool) (*catalog.Sequence, catalog.Notices, error) {
	q, err := catalog.NewSequence(def.Name.Name, &def.Options, def.Name.Pos)
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
				ch.notices.Add(skipping(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, q.Name))
				return errNoChange
			}
			return catalog.DuplicateRelation(def.Name)
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
		ch.set(&cp, catalog.StatePublic)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	made, _ := s.LookupOwn(def.Name).(*catalog.Sequence)
	return made, notices, nil
}
