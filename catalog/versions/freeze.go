package versions

import (
	"context"
	"errors"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// ErrMoved says that a table is not any more as it was when a statement began, or gone.
var ErrMoved = errors.New("catalog: the table changed meanwhile")

// ErrBusy says that open transactions have written rows of a table: what needs it to be still
// is to be tried again when they have ended.
var ErrBusy = errors.New("catalog: transactions that write the table are open")

// Revise commits the next descriptor of a table: what edit makes of the one in force, nil
// being nothing, with the version that it gets. edit must do nothing else, since it may be
// called again. ErrMoved where there is no such table.
func (c *Keeper) Revise(ctx context.Context, table uint32, edit func(t *catalog.Table, version uint64) (*catalog.Table, error)) (*catalog.Snapshot, error) {
	return c.Update(ctx, func(s *catalog.Snapshot) (*Edit, error) {
		t := s.TableByID(table)
		if t == nil {
			return nil, ErrMoved
		}
		version := s.Version() + 1
		next, err := edit(t, version)
		if next == nil || err != nil {
			return nil, err
		}
		next.Version, next.Types = version, s.Users
		e := NewEdit(s)
		e.Put[table] = catalog.Object{Desc: next, State: catalog.StatePublic}
		return &e, next.Finish()
	})
}

// Freeze stops the writes to a table on all servers: it commits the
// table as it is but frozen, and waits until every server has seen that and
// its older writes have ended. A server that died in the middle leaves a frozen
// table that the next holder of the DDL lease thaws.
func (c *Keeper) Freeze(ctx context.Context, h *Held, table uint32) error {
	s, err := c.Revise(ctx, table, func(t *catalog.Table, _ uint64) (*catalog.Table, error) {
		if t.Frozen {
			return nil, nil
		}
		cp := t.Clone()
		cp.Frozen = true
		return cp, nil
	})
	if err != nil {
		return err
	}
	return c.AwaitServers(ctx, h, s.Version())
}

// Thaw lets writes go on under the descriptor as it was.
func (c *Keeper) Thaw(ctx context.Context, table uint32) {
	ctx, cancel := Detached(ctx, c.Options.Lease/2)
	defer cancel()
	_, err := c.Revise(ctx, table, func(t *catalog.Table, _ uint64) (*catalog.Table, error) {
		if !t.Frozen {
			return nil, nil
		}
		cp := t.Clone()
		cp.Frozen = false
		return cp, nil
	})
	if err != nil && !errors.Is(err, ErrMoved) {
		c.Options.Logger.Warn("catalog: a table stays frozen for writes until the next DDL statement", "table", table, "err", err)
	}
}

// Quiesce changes a table's descriptor at a moment when no write of the table is under way,
// on any server. Writes made under the descriptor of before are refused from then on
// (40001), a transaction's at its COMMIT: see Enter.
func (c *Keeper) Quiesce(ctx context.Context, h *Held, table uint32, edit func(*catalog.Table) error) error {
	if c.Shared() {
		if err := c.Freeze(ctx, h, table); err != nil {
			return err
		}
	} else {
		stop := h.Keep(ctx)
		release, err := c.HoldSoon(ctx, table)
		stop()
		if err != nil {
			return catalog.FromStorage(err, "waiting for the writes of the table")
		}
		defer release()
	}
	_, err := c.Revise(ctx, table, func(t *catalog.Table, version uint64) (*catalog.Table, error) {
		cp := t.Clone()
		cp.Frozen, cp.WriteVersion = false, version
		return cp, edit(cp)
	})
	if err != nil && c.Shared() {
		c.Thaw(ctx, table)
	}
	return err
}

// HoldSoon holds a table's writes. A write that waits for another's row may take long to
// end: others should not wait with it, so that the hold is given up and tried again.
func (c *Keeper) HoldSoon(ctx context.Context, id uint32) (release func(), err error) {
	for wait := 200 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		short, cancel := context.WithTimeout(ctx, wait)
		release, err = c.Gate.Hold(short, id)
		cancel()
		if err == nil || ctx.Err() != nil {
			return release, err
		}
		if err := Sleep(ctx, wait); err != nil {
			return nil, catalog.FromStorage(err, "waiting for the writes of the table")
		}
	}
}

// observed is a server's row as first seen by our stopwatch.
type observed struct {
	ts    int64
	since time.Time
}

// AwaitServers waits until every server has seen a version of the catalog. A
// server whose row stands still for a whole lease is dead: its writes have
// ended with its lease, and its row is removed.
func (c *Keeper) AwaitServers(ctx context.Context, h *Held, version uint64) error {
	rows := map[string]observed{}
	w := BeginWait(ctx)
	for {
		if err := h.Renew(ctx); err != nil {
			return err
		}
		list, err := c.Servers(ctx)
		if err != nil {
			return catalog.FromStorage(err, "waiting for the other servers")
		}
		drained := c.Gate.Drained(version)
		var behind []ServerJSON
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
		if err := Sleep(ctx, ThawPause); err != nil {
			return catalog.FromStorage(err, "waiting for the other servers")
		}
	}
}

// removeServer removes the row of a dead server, unless it lives after all.
func (c *Keeper) removeServer(ctx context.Context, s ServerJSON) {
	_, err := c.Table.CheckAndMutate(storage.Essential(ctx), &storage.CondMutation{
		Key:  []byte(s.Key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(ServerCell), Timestamp: s.TS},
		Then: []storage.Mutation{{Op: storage.DeleteRow}},
	})
	if err != nil {
		c.Options.Logger.Debug("catalog: a dead server's row is left", "err", err)
	}
}
