package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ownSequence makes the sequence that an identity or serial column owns, under
// the name Postgres would give it.
func ownSequence(ch *change.Change, t *catalog.Table, col *catalog.Column, def *catalog.ColumnDef, st catalog.State) error {
	name := catalog.UniqueName(
		func(n int) string { return catalog.Numbered(catalog.MakeObjectName(t.Name, col.Name, "seq"), n) },
		func(s string) bool { return s == t.Name || ch.NameTaken(t.Schema, s) })
	opts := def.Sequence
	if n := opts.Name; n.Name != "" {
		if n.Schema != "" && n.Schema != t.Schema {
			return sqlerr.Unsupported("an identity column's sequence in another schema than its table's is not supported",
				"Leave the schema out of SEQUENCE NAME.").At(n.Pos)
		}
		if name = n.Name; name == t.Name || ch.NameTaken(t.Schema, name) {
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
	if q.ID, err = ch.NewID(); err != nil {
		return err
	}
	q.Schema, q.OwnerTable, q.OwnerColumn = t.Schema, t.ID, col.ID
	col.Sequence = q.ID
	ch.Set(q, st)
	return nil
}

// CreateSequence makes a sequence.
func (c *Catalog) CreateSequence(ctx context.Context, def *catalog.SequenceDef, ifNotExists bool) (*catalog.Sequence, catalog.Notices, error) {
	q, err := catalog.NewSequence(def.Name.Name, &def.Options, def.Name.Pos)
	if err != nil {
		return nil, nil, err
	}
	s, notices, err := c.Change(ctx, func(ch *change.Change) error {
		schema, err := ch.CreationSchema(def.Name)
		if err != nil {
			return err
		}
		if ch.NameTaken(schema, q.Name) {
			if ifNotExists {
				ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, q.Name))
				return change.ErrNothing
			}
			return catalog.DuplicateRelation(def.Name)
		}
		cp := *q
		if cp.ID, err = ch.NewID(); err != nil {
			return err
		}
		cp.Schema = schema
		if def.Options.Owner != nil {
			if err := own(ch, &cp, def.Options.Owner, false); err != nil {
				return err
			}
		}
		ch.Set(&cp, catalog.StatePublic)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	made, _ := s.LookupOwn(def.Name).(*catalog.Sequence)
	return made, notices, nil
}
