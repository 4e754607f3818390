package live

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// needsFreeze says that writes under the old and the new descriptor must not
// meet. An old one would delete a new column's value when it replaces a row
// whole, or write a NULL where there may be none any more; what only renames,
// loosens or takes away does no harm.
func needsFreeze(actions []AlterAction) bool {
	for _, act := range actions {
		switch act.(type) {
		case AddColumn, SetNotNull, AlterType, SetOptions, ResetOptions, AddCheck:
			return true
		}
	}
	return false
}

// tightens says that a row which passed under the old descriptor may not under the
// new one. That matters where nothing is frozen: rows that a transaction still
// holds are not among those tested.
func tightens(actions []AlterAction) bool {
	for _, act := range actions {
		switch act := act.(type) {
		case SetNotNull, AddCheck:
			return true
		case AddColumn:
			if act.Column.NotNull || act.Column.Default.Given() {
				return true
			}
		}
	}
	return false
}

// freeze stops the writes to a table on all servers: it commits the
// table as it is but frozen, and waits until every server has seen that and
// its older writes have ended. A server that died in the middle leaves a frozen
// table that finishPending thaws.
func (c *Catalog) freeze(ctx context.Context, h *versions.Held, id uint32) error {
	s, _, err := c.change(ctx, func(ch *change) error {
		t := ch.TableByID(id)
		if t == nil {
			return errMoved
		}
		if t.Frozen {
			return errNoChange
		}
		cp := t.Clone()
		cp.Frozen = true
		ch.set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	if err != nil {
		return err
	}
	return c.awaitServers(ctx, h, s.Version())
}

// thaw lets writes go on under the descriptor as it was.
func (c *Catalog) thaw(ctx context.Context, id uint32) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease/2)
	defer cancel()
	_, _, err := c.change(ctx, func(ch *change) error {
		t := ch.TableByID(id)
		if t == nil || !t.Frozen {
			return errNoChange
		}
		return ch.thaw(t)
	})
	if err != nil {
		c.Options.Logger.Warn("catalog: a table stays frozen for writes until the next DDL statement", "table", id, "err", err)
	}
}

func (ch *change) thaw(t *catalog.Table) error {
	cp := t.Clone()
	cp.Frozen = false
	ch.set(cp, catalog.StatePublic)
	return cp.Finish()
}

// observed is a server's row as first seen by our stopwatch.
type observed struct {
	ts    int64
	since time.Time
}

// awaitServers waits until every server has seen a version of the catalog. A
// server whose row stands still for a whole lease is dead: its writes have
// ended with its lease, and its row is removed.
func (c *Catalog) awaitServers(ctx context.Context, h *versions.Held, version uint64) error {
	rows := map[string]observed{}
	w := versions.BeginWait(ctx)
	for {
		if err := h.Renew(ctx); err != nil {
			return err
		}
		list, err := c.Servers(ctx)
		if err != nil {
			return catalog.FromStorage(err, "waiting for the other servers")
		}
		drained := c.Gate.Drained(version)
		var behind []versions.ServerJSON
		for _, s := range list {
			if s.Seen >= version {
				continue
			}
			switch o, ok := rows[s.Key]; {
			case !ok || o.ts != s.TS:
				rows[s.Key] = observed{s.TS, time.Now()}
				behind = append(behind, s)
			case time.Since(o.since) <= c.Options.Lease:
				behind = append(behind, s)
			default:
				c.Options.Logger.Warn("catalog: a server has not renewed its lease and is taken for dead", "server", s.Key)
				c.removeServer(ctx, s)
			}
		}
		if drained && len(behind) == 0 {
			return nil
		}
		w.Long(func() *sqlerr.Error { return c.WaitingForServers(behind) })
		if err := versions.Sleep(ctx, versions.ThawPause); err != nil {
			return catalog.FromStorage(err, "waiting for the other servers")
		}
	}
}

// removeServer removes the row of a dead server, unless it lives after all.
func (c *Catalog) removeServer(ctx context.Context, s versions.ServerJSON) {
	_, err := c.Table.CheckAndMutate(storage.Essential(ctx), &storage.CondMutation{
		Key:  []byte(s.Key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: versions.SystemFamily, Qualifier: []byte(versions.ServerCell), Timestamp: s.TS},
		Then: []storage.Mutation{{Op: storage.DeleteRow}},
	})
	if err != nil {
		c.Options.Logger.Debug("catalog: a dead server's row is left", "err", err)
	}
}
