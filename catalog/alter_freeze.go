package catalog

import (
	"context"
	"time"

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
			if act.Column.NotNull || act.Column.Default.given() {
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
func (c *Catalog) freeze(ctx context.Context, h *held, id uint32) error {
	s, _, err := c.change(ctx, func(ch *change) error {
		t := ch.TableByID(id)
		if t == nil {
			return errMoved
		}
		if t.Frozen {
			return errNoChange
		}
		cp := t.clone()
		cp.Frozen = true
		ch.set(cp, public)
		return cp.Finish()
	})
	if err != nil {
		return err
	}
	return c.awaitServers(ctx, h, s.Version())
}

// thaw lets writes go on under the descriptor as it was.
func (c *Catalog) thaw(ctx context.Context, id uint32) {
	ctx, cancel := detached(ctx, c.opts.Lease/2)
	defer cancel()
	_, _, err := c.change(ctx, func(ch *change) error {
		t := ch.TableByID(id)
		if t == nil || !t.Frozen {
			return errNoChange
		}
		return ch.thaw(t)
	})
	if err != nil {
		c.opts.Logger.Warn("catalog: a table stays frozen for writes until the next DDL statement", "table", id, "err", err)
	}
}

func (ch *change) thaw(t *Table) error {
	cp := t.clone()
	cp.Frozen = false
	ch.set(cp, public)
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
func (c *Catalog) awaitServers(ctx context.Context, h *held, version uint64) error {
	rows := map[string]observed{}
	w := beginWait(ctx)
	for {
		if err := h.renew(ctx); err != nil {
			return err
		}
		list, err := c.servers(ctx)
		if err != nil {
			return fromStorage(err, "waiting for the other servers")
		}
		drained := c.gate.drained(version)
		var behind []serverJSON
		for _, s := range list {
			if s.Seen >= version {
				continue
			}
			switch o, ok := rows[s.key]; {
			case !ok || o.ts != s.ts:
				rows[s.key] = observed{s.ts, time.Now()}
				behind = append(behind, s)
			case time.Since(o.since) <= c.opts.Lease:
				behind = append(behind, s)
			default:
				c.opts.Logger.Warn("catalog: a server has not renewed its lease and is taken for dead", "server", s.key)
				c.removeServer(ctx, s)
			}
		}
		if drained && len(behind) == 0 {
			return nil
		}
		w.long(func() *sqlerr.Error { return c.waitingForServers(behind) })
		if err := sleep(ctx, thawPause); err != nil {
			return fromStorage(err, "waiting for the other servers")
		}
	}
}

// removeServer removes the row of a dead server, unless it lives after all.
func (c *Catalog) removeServer(ctx context.Context, s serverJSON) {
	_, err := c.table.CheckAndMutate(storage.Essential(ctx), &storage.CondMutation{
		Key:  []byte(s.key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: systemFamily, Qualifier: []byte(serverCell), Timestamp: s.ts},
		Then: []storage.Mutation{{Op: storage.DeleteRow}},
	})
	if err != nil {
		c.opts.Logger.Debug("catalog: a dead server's row is left", "err", err)
	}
}
