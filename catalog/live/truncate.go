package live

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// TruncateTable removes all rows of tables, one after the other. With
// restartIdentity owned sequences start again.
//
// No write of part of a row may come between its reading of the row and the removal:
//
//	transactions lock rows   it waits until none holds rows of the tables (OpenOptions.Alone),
//	                         and writes wait for it
//	several servers          writes to the table are frozen on all of them meanwhile
//	neither                  writes wait in memory, until those under way have ended
//
// In the last two cases a transaction that has not sent its rows yet does so afterwards,
// under the conditions that held when it made them.
func (c *Catalog) TruncateTable(ctx context.Context, names []catalog.Name, restartIdentity bool) error {
	if c.Options.Alone != nil {
		err := c.truncateAlone(ctx, nil, names, restartIdentity)
		if !errors.Is(err, errNeedsLease) {
			return err
		}
		return c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
			return c.truncateAlone(ctx, h, names, restartIdentity)
		})
	}
	return c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		s, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		tables, err := Truncated(ctx, c.Over(s), names, c.Options.Alone != nil)
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

// Truncated gives the tables of a TRUNCATE, each once: 42501 for one that the actor may not empty.
// One whose rows are being copied is 55006, unless logged: its change log is told of all its rows.
func Truncated(ctx context.Context, s *catalog.Snapshot, names []catalog.Name, logged bool) ([]*catalog.Table, error) {
	ch := change.New(ctx, s)
	var tables []*catalog.Table
	for _, n := range names {
		t, err := ch.FindQueried(n)
		if err != nil {
			return nil, err
		}
		if rights, _ := s.RelationRights(ch.By, t); rights&acl.Truncate == 0 {
			return nil, catalog.Denied("table", t.Name)
		}
		if err := refuseForeign(t, "TRUNCATE", n.Pos); err != nil {
			return nil, err
		}
		if t.Rewrite != nil && !logged {
			return nil, beingRewritten(t, "TRUNCATE")
		}
		if !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables, nil
}

// errNeedsLease says that a table has indexes, or is being rewritten, so that its TRUNCATE needs
// the lease.
var errNeedsLease = errors.New("catalog: a table to truncate has indexes or is being rewritten")

// truncateAlone needs no lease where no table has indexes or is being rewritten: what changes a
// table's descriptor meanwhile does not mind that its rows go. It may wait for a transaction as
// long as that is open.
func (c *Catalog) truncateAlone(ctx context.Context, h *versions.Held, names []catalog.Name, restartIdentity bool) error {
	s, tables, release, err := c.alone(ctx, h, names)
	if err != nil {
		return err
	}
	defer release()
	for _, t := range tables {
		err := c.truncateStorage(ctx, t)
		if storage.CodeOf(err) == storage.CodeNotFound {
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, t.Name) // dropped meanwhile
		}
		if err != nil {
			return catalog.FromStorage(err, "truncating table "+t.Name)
		}
		if err := c.restart(ctx, s, t, restartIdentity); err != nil {
			return err
		}
	}
	return nil
}

// alone resolves tables and waits until nobody holds rows of them or of their indexes, of
// which there may be others then.
func (c *Catalog) alone(ctx context.Context, h *versions.Held, names []catalog.Name) (*catalog.Snapshot, []*catalog.Table, func(), error) {
	storages := func() (s *catalog.Snapshot, tables []*catalog.Table, physical []string, err error) {
		s = c.Snapshot()
		tables, err = Truncated(ctx, c.Over(s), names, c.Options.Alone != nil)
		for _, t := range tables {
			for n := range t.NumIndexes() {
				physical = append(physical, t.Index(n).Physical)
			}
		}
		rewritten := slices.ContainsFunc(tables, func(t *catalog.Table) bool { return t.Rewrite != nil || t.Epochs != nil })
		if err == nil && h == nil && (len(physical) > len(tables) || rewritten) {
			err = errNeedsLease
		}
		return s, tables, physical, err
	}
	for {
		_, _, physical, err := storages()
		if err != nil {
			return nil, nil, nil, err
		}
		release, err := c.Options.Alone(ctx, physical...)
		if err != nil {
			return nil, nil, nil, err
		}
		c.reshaping.RLock()
		s, tables, now, err := storages()
		if err == nil && slices.Equal(now, physical) {
			return s, tables, func() { c.reshaping.RUnlock(); release() }, nil
		}
		c.reshaping.RUnlock()
		release()
		if err != nil {
			return nil, nil, nil, err
		}
	}
}

// truncateStorage removes the rows of a table and of its indexes: all, or, where this
// server dies, all as soon as the catalog is next opened. Nobody writes them meanwhile.
func (c *Catalog) truncateStorage(ctx context.Context, t *catalog.Table) error {
	ended, err := c.logAll(ctx, t)
	if err == nil {
		err = c.removeRows(ctx, t)
	}
	if err != nil {
		return err
	}
	return ended()
}

// logAll has the change log of a table, where its rows are being copied, name all rows that are
// there, before they are removed. ended says afterwards that they are; where that is never said,
// the job looks at them when nobody writes.
func (c *Catalog) logAll(ctx context.Context, t *catalog.Table) (ended func() error, err error) {
	name := c.Snapshot().ChangeLog(t.Physical)
	if name == "" {
		return func() error { return nil }, nil
	}
	log, now := c.Store.Table(name), time.Now().UnixMilli()*1000
	var written []storage.RowMutation // their keys: 16 bytes for each batch of rows
	req := &storage.ScanRequest{Spans: []storage.Span{{}}, KeysOnly: true}
	err = storage.EachBatch(ctx, c.Store.Table(t.Physical), req, func(b *storage.RowBatch) error {
		entries := changelog.Append(nil, b.Len(), b.Key, now, false)
		for i := range entries {
			written = append(written, storage.RowMutation{Key: entries[i].Key})
		}
		return log.Mutate(ctx, entries, storage.WriteOptions{})
	})
	return func() error { return log.Mutate(ctx, changelog.End(written, now), storage.WriteOptions{}) }, err
}

// removeRows is truncateStorage of rows that no job copies, or whose removal it is told of.
func (c *Catalog) removeRows(ctx context.Context, t *catalog.Table) error {
	// One storage table is emptied as one. A TRUNCATE that was broken off may have had an index too,
	// which has been dropped since: its end is still to be said.
	if len(t.Indexes) == 0 && t.Epochs == nil && !t.Truncating {
		return versions.RetryAdmin(ctx, func() error { return c.Store.Admin().Truncate(ctx, t.Physical) })
	}
	set := func(on bool) error {
		_, _, err := c.Change(ctx, func(ch *change.Change) error {
			now := ch.TableByID(t.ID)
			if now == nil {
				return storage.Errorf(storage.CodeNotFound, storage.OpTruncate, t.Physical, "table dropped")
			}
			t = now.Clone()
			t.Truncating = on
			ch.Set(t, catalog.StatePublic)
			return t.Finish()
		})
		return err
	}
	if err := set(true); err != nil {
		return err
	}
	for n := range t.NumIndexes() {
		ix := t.Index(n)
		if !ix.Primary && !ix.Kept() {
			continue
		}
		if err := versions.RetryAdmin(ctx, func() error { return c.Store.Admin().Truncate(ctx, ix.Physical) }); err != nil {
			return err
		}
	}
	return set(false)
}

// truncateHeld removes a table's rows while no write to it is under way.
func (c *Catalog) truncateHeld(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	st, err := h.Still(ctx, t.ID)
	if err != nil {
		return err
	}
	defer st.End(ctx)
	return catalog.FromStorage(c.truncateStill(ctx, h, t), "truncating table "+t.Name)
}

// truncateStill is truncateStorage while the lease says that nobody writes the table.
func (c *Catalog) truncateStill(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	return h.Admin(ctx, func(ctx context.Context) error { return c.truncateStorage(ctx, t) })
}

// restart has the sequences that a table owns start again.
func (c *Catalog) restart(ctx context.Context, s *catalog.Snapshot, t *catalog.Table, identity bool) error {
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
