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

// Revise commits the next descriptor of a table: what edit makes of a copy of the one in force,
// which is to be left as it is where edit gives false. version is the one that it gets. edit must
// do nothing else, since it may be called again. ErrMoved where there is no such table,
// ErrLeaseLost where the lease is another's.
func (h *Held) Revise(ctx context.Context, table uint32, edit func(t *catalog.Table, version uint64) (bool, error)) (*catalog.Snapshot, error) {
	return h.Keeper.Update(h.context(ctx), func(s *catalog.Snapshot) (*Edit, error) {
		t := s.TableByID(table)
		if t == nil {
			return nil, ErrMoved
		}
		next, version := t.Clone(), s.Version()+1
		if changed, err := edit(next, version); !changed || err != nil {
			return nil, err
		}
		next.Version, next.Types = version, s.Users
		e := NewEdit(s)
		e.Put[table] = catalog.Object{Desc: next, State: catalog.StatePublic}
		return &e, next.Finish()
	})
}

// Still is a table that nobody writes: what was under way has ended, on all servers, and what
// comes waits until End. Nobody but who has the DDL lease ends it, so that it lasts as long as
// the lease's epoch, which every change of the catalog meanwhile needs.
type Still struct {
	h       *Held
	table   uint32
	release func() // where writes wait in memory; nil: the descriptor says that they do
}

// Still has a table's writes end and wait. On a store that several servers share the descriptor
// says so, frozen; where this server dies, the next holder of the DDL lease thaws it.
func (h *Held) Still(ctx context.Context, table uint32) (*Still, error) {
	return h.Keeper.coord.still(ctx, h, table)
}

func (c shared) still(ctx context.Context, h *Held, table uint32) (*Still, error) {
	st := &Still{h: h, table: table}
	s, err := h.Revise(ctx, table, func(t *catalog.Table, _ uint64) (bool, error) {
		was := t.Frozen
		t.Frozen = true
		return !was, nil
	})
	if err == nil {
		err = c.AwaitServers(ctx, h, s.Version())
	}
	if err != nil {
		st.End(ctx)
	}
	return st, err
}

// End has writes go on, under the descriptor as it is then. A table whose TRUNCATE was broken off
// stays as it is until somebody has ended that.
func (st *Still) End(ctx context.Context) {
	if st.release != nil {
		st.release()
		return
	}
	c := st.h.Keeper
	ctx, cancel := Detached(ctx, c.Options.Lease/2)
	defer cancel()
	_, err := st.h.Revise(ctx, st.table, func(t *catalog.Table, _ uint64) (bool, error) {
		was := t.Frozen
		t.Frozen = t.Truncating
		return was != t.Frozen, nil
	})
	if err != nil && !errors.Is(err, ErrMoved) {
		c.Options.Logger.Warn("catalog: a table stays frozen for writes until the next DDL statement", "table", st.table, "err", err)
	}
}

// EndSeen is End once no server reads by a catalog from before version. Where that does not come
// to its end, or this server dies, who next has the DDL lease does it.
func (st *Still) EndSeen(ctx context.Context, version uint64) {
	c := st.h.Keeper
	ctx, cancel := Detached(ctx, 2*c.Options.Lease)
	defer cancel()
	if err := c.AwaitServers(ctx, st.h, version); err != nil {
		c.Options.Logger.Warn("catalog: a table stays frozen for writes until the next DDL statement", "table", st.table, "err", err)
		return
	}
	st.End(ctx)
}

// Quiesce changes a table's descriptor at a moment when no write of the table is under way,
// on any server. Writes made under the descriptor of before are refused from then on
// (40001), a transaction's at its COMMIT: see Enter.
func (h *Held) Quiesce(ctx context.Context, table uint32, edit func(*catalog.Table) error) error {
	st, err := h.Still(ctx, table)
	if err != nil {
		return catalog.FromStorage(err, "waiting for the writes of the table")
	}
	_, err = h.Revise(ctx, table, func(t *catalog.Table, version uint64) (bool, error) {
		t.Frozen, t.WriteVersion = t.Truncating, version
		return true, edit(t)
	})
	if err != nil || st.release != nil {
		st.End(ctx)
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

// AwaitServers waits until every server has seen a version of the catalog, where there are
// others: what begins there afterwards goes by it, or by a later one. A server whose row stands
// still for a whole lease is dead: its statements have ended with its lease, and its row is
// removed. h is the DDL lease, which is kept meanwhile; nil where the caller has none.
func (c *Keeper) AwaitServers(ctx context.Context, h *Held, version uint64) error {
	return c.coord.await(ctx, h, version)
}

func (c shared) await(ctx context.Context, h *Held, version uint64) error {
	rows := map[string]observed{}
	w := BeginWait(ctx)
	for {
		if h != nil {
			if err := h.Renew(ctx); err != nil {
				return err
			}
		}
		list, err := c.Servers(ctx)
		if err != nil {
			return catalog.FromStorage(err, "waiting for the other servers")
		}
		drained := c.Gate.Drained(version)
		var behind, dead []ServerJSON
		for _, s := range list {
			if s.Seen >= version {
				continue
			}
			switch o, ok := rows[s.Key]; {
			case !ok || o.ts != s.TS:
				rows[s.Key] = observed{s.TS, time.Now()}
				behind = append(behind, s)
			case time.Since(o.since) <= s.length(c.Options.Lease):
				behind = append(behind, s)
			default:
				c.Options.Logger.Warn("catalog: a server has not renewed its lease and is taken for dead", "server", s.Key)
				dead = append(dead, s)
			}
		}
		if err := c.bury(ctx, h, dead); err != nil {
			return err
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

// bury removes the rows of dead servers, under the DDL lease: nothing that they have decided is
// committed afterwards. Without one it is left to whoever has the lease, where somebody has.
func (c shared) bury(ctx context.Context, h *Held, dead []ServerJSON) error {
	if len(dead) == 0 {
		return nil
	}
	if h == nil {
		return c.TryLease(ctx, func(ctx context.Context, h *Held) error { return c.bury(ctx, h, dead) })
	}
	for _, s := range dead {
		if c.removeServer(ctx, s) {
			c.slotGone(s)
		}
	}
	return h.raise(ctx)
}

// removeServer removes the row of a dead server, unless it lives after all; gone is false where
// that is not known.
func (c *Keeper) removeServer(ctx context.Context, s ServerJSON) (gone bool) {
	gone, err := c.Table.CheckAndMutate(storage.Essential(ctx), &storage.CondMutation{
		Key:  []byte(s.Key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(ServerCell), Timestamp: s.TS},
		Then: []storage.Mutation{{Op: storage.DeleteRow}},
	})
	if err != nil {
		c.Options.Logger.Debug("catalog: a dead server's row is left", "err", err)
	}
	return gone && err == nil
}
