package catalog

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// TruncateTable removes all rows of tables, one after the other. With
// restartIdentity owned sequences start again.
//
// No write of part of a row may come between its reading of the row and the removal:
//
//	transactions lock rows   it waits until none holds rows of the tables (OpenOptions.Alone),
//	                         and writes wait for it
//	several servers          writes to the table are frozen on all of them meanwhile
//	neither                  writes wait in memory, until those under way have ended (hold)
//
// In the last two cases a transaction that has not sent its rows yet does so afterwards,
// under the conditions that held when it made them.
func (c *Catalog) TruncateTable(ctx context.Context, names []Name, restartIdentity bool) error {
	if c.opts.Alone != nil {
		return c.truncateAlone(ctx, names, restartIdentity)
	}
	return c.withLease(ctx, func(h *held) error {
		s, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		tables, err := s.truncated(ctx, names)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := c.truncateHeld(ctx, h, t); err != nil {
				return err
			}
			if err := c.restart(ctx, s, t, restartIdentity); err != nil {
				return err
			}
		}
		return nil
	})
}

// truncated resolves the tables of a TRUNCATE.
func (s *Snapshot) truncated(ctx context.Context, names []Name) ([]*Table, error) {
	ch := newChange(ctx, s)
	var tables []*Table
	for _, n := range names {
		t, err := ch.findQueried(n)
		if err != nil {
			return nil, err
		}
		if rights, _ := s.RelationRights(ch.by, t); rights&acl.Truncate == 0 {
			return nil, Denied("table", t.Name)
		}
		if !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables, nil
}

// truncateAlone needs no lease: what changes a table's descriptor meanwhile does not
// mind that its rows go. It may wait for a transaction as long as that is open.
func (c *Catalog) truncateAlone(ctx context.Context, names []Name, restartIdentity bool) error {
	s := c.Snapshot()
	tables, err := s.truncated(ctx, names)
	if err != nil {
		return err
	}
	physical := make([]string, len(tables))
	for i, t := range tables {
		physical[i] = t.Physical
	}
	release, err := c.opts.Alone(ctx, physical...)
	if err != nil {
		return err
	}
	defer release()
	for _, t := range tables {
		err := retryAdmin(ctx, func() error { return c.store.Admin().Truncate(ctx, t.Physical) })
		if storage.CodeOf(err) == storage.CodeNotFound {
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, t.Name) // dropped meanwhile
		}
		if err != nil {
			return fromStorage(err, "truncating table "+t.Name)
		}
		if err := c.restart(ctx, s, t, restartIdentity); err != nil {
			return err
		}
	}
	return nil
}

// truncateHeld removes a table's rows while no write to it is under way.
func (c *Catalog) truncateHeld(ctx context.Context, h *held, t *Table) error {
	if c.shared() {
		defer c.thaw(ctx, t.ID)
		if err := c.freeze(ctx, h, t.ID); err != nil {
			return err
		}
	} else {
		stop := h.keep(ctx)
		release, err := c.gate.hold(ctx, t.ID)
		stop()
		if err != nil {
			return err
		}
		defer release()
	}
	err := h.admin(ctx, func(ctx context.Context) error { return c.store.Admin().Truncate(ctx, t.Physical) })
	return fromStorage(err, "truncating table "+t.Name)
}

// restart has the sequences that a table owns start again.
func (c *Catalog) restart(ctx context.Context, s *Snapshot, t *Table, identity bool) error {
	if !identity {
		return nil
	}
	for _, q := range s.OwnedSequences(t.ID) {
		if err := c.SetVal(ctx, q.ID, q.Start, false); err != nil {
			return err
		}
	}
	return nil
}
