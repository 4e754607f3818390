package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
)

// dropTable starts a table's removal; its sequences go with it.
func dropTable(ch *change.Change, t *catalog.Table, cascade bool) ([]string, error) {
	if err := refuseForeign(t, "DROP TABLE", 0); err != nil {
		return nil, err
	}
	ch.DropDependents(t, cascade)
	if err := dropReferencing(ch, t, nil, ch.Called(t), ch.Called(t), cascade); err != nil {
		return nil, err
	}
	var values []string
	for _, q := range ch.OwnedSequences(t.ID) {
		ch.DropDependents(q, cascade)
		if err := ch.DropDefaults(q, t.ID, ch.Called(t), cascade); err != nil {
			return nil, err
		}
		ch.Remove(q.ID)
		values = append(values, string(versions.SeqKey(q.ID)))
	}
	ch.Set(t.Clone(), catalog.StateDropping)
	return values, nil
}

// DropTable removes tables, all or none. Their rows are gone for every
// statement that starts after it, on any server; those that read them meanwhile come to their end.
func (c *Catalog) DropTable(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	return c.dropStored(ctx, "table", names, ifExists, cascade)
}

// dropStored removes tables, or materialized views.
func (c *Catalog) dropStored(ctx context.Context, kind string, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	return c.dropWithTables(ctx, func(ch *change.Change) (values []string, err error) {
		// A view that names two of the tables is no hindrance where it goes too;
		// tables go in the order given, as in Postgres.
		ch.Going, ch.Several = map[uint32]bool{}, len(names) > 1
		for _, n := range names {
			if t, ok := ch.Lookup(n).(*catalog.Table); ok {
				ch.Going[t.ID] = true
			}
		}
		for _, n := range names {
			r, err := ch.FindToDrop(n, kind, ifExists)
			if err != nil {
				return nil, err
			}
			if r == nil {
				continue
			}
			v, err := dropTable(ch, r.(*catalog.Table), cascade)
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		return values, nil
	})
}

// dropWithTables commits a removal, then removes the storage tables it leaves.
// Once the commit is made the objects are gone: a store that fails after that
// keeps rows that nobody sees, and repair removes them.
func (c *Catalog) dropWithTables(ctx context.Context, fn func(*change.Change) ([]string, error)) (catalog.Notices, error) {
	var notices catalog.Notices
	if change.Rehearses(ctx) || c.Drafts() {
		_, notices, err := c.Change(ctx, func(ch *change.Change) error {
			if _, err := fn(ch); err != nil {
				return err
			}
			return ch.UnlessEmpty()
		})
		return notices, err
	}
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		var values []string
		s, ns, err := c.Change(ctx, func(ch *change.Change) (err error) {
			if values, err = fn(ch); err != nil {
				return err
			}
			return ch.UnlessEmpty()
		})
		notices = ns
		if err != nil {
			return err
		}
		if err := c.finishDropping(ctx, h, s); err != nil {
			c.Options.Logger.Warn("catalog: the storage of a dropped table is removed later", "err", err)
		}
		ctx, cancel := versions.Detached(ctx, c.Options.Lease)
		defer cancel()
		c.DeleteRows(ctx, values)
		return nil
	})
	return notices, err
}
