package session

import (
	"context"
	"fmt"
	"sync"

	"github.com/saltsql/saltsql/catalog/serverlocks"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Advisory locks among the servers of a store: what the sessions of this one are granted by each
// other, in DB.advisory, the server then takes for them in DB.locks. It holds by the server's lease,
// so that sessions which have such locks end with that.

// freed names the locks that a server has let go of, to one that waits for them.
type freed struct{ Names []string }

// atOnce is how many locks are given back to the store at a time.
const atOnce = 16

// openLocks has advisory locks hold among the servers of a store that is shared.
func (db *DB) openLocks() {
	if !db.shared || db.readOnly {
		return
	}
	db.catalog.OnLapse(db.endLocked)
	db.locks = serverlocks.New(db.catalog.Keeper.Keeper, db.tellFreed)
}

// tellFreed tells another server that a lock has been let go of, where there is a door. One that
// is not told looks for itself.
func (db *DB) tellFreed(server, name string) {
	if db.door == nil {
		return
	}
	db.catalog.Background(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		list, err := db.others(ctx)
		for _, p := range list {
			if p.ID == server && p.Addr != "" {
				_, err = ask[struct{}](ctx, db.door, p, askFreed, freed{[]string{name}})
			}
		}
		if err != nil {
			db.opts.Logger.Debug("another server was not told of an advisory lock that is free", "server", server, "error", err)
		}
	})
}

// heardFreed looks at locks that another server has let go of.
func (db *DB) heardFreed(_ context.Context, f freed) (any, error) {
	for _, name := range f.Names {
		db.locks.Wake(name)
	}
	return struct{}{}, nil
}

// lockName is what servers call a lock.
func lockName(key expr.AdvisoryKey) string {
	format := "%08x%08x"
	if key.Two {
		format = "%08x-%08x"
	}
	return fmt.Sprintf(format, uint32(key.A), uint32(key.B))
}

// lockBeyond takes a lock among the servers, which the session was granted on this one.
func (s *Session) lockBeyond(ctx context.Context, key expr.AdvisoryKey, shared, wait bool) (join int64, ok bool, err error) {
	if wait {
		var stop func()
		ctx, stop = s.breakCircles(ctx)
		defer stop()
	}
	for {
		join, ok, err := s.db.locks.Take(ctx, lockName(key), shared, wait)
		if !ok || err != nil {
			return 0, false, err
		}
		s.lockedBeyond.Add(1)
		if s.db.catalog.Holds(join) {
			return join, true, nil // from here on endLocked finds the session
		}
		s.lockedBeyond.Add(-1)
		s.db.locks.Give(lockName(key), shared, join)
	}
}

// unlockBeyond gives locks back to the other servers.
func (s *Session) unlockBeyond(list []heldAdvisory) {
	if s.db.locks == nil {
		return
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, h := range list {
		slots <- struct{}{}
		all.Go(func() {
			err := guard.Run(func() error { s.db.locks.Give(lockName(h.key), h.shared, h.join); return nil })
			if err != nil {
				s.db.opts.Logger.Error("an advisory lock was not given back", "error", err)
			}
			<-slots
		})
	}
	all.Wait()
	s.lockedBeyond.Add(-int64(len(list)))
}

// locksLost is how a session ends that has advisory locks when its server's lease is over.
func locksLost() *sqlerr.Error {
	return sqlerr.New(sqlerr.AdminShutdown, "terminating connection because its advisory locks are lost").
		WithDetail("The server could not renew its lease on the store in time, so that another may have given the locks to others.").
		WithHint("Connect again, and take the locks anew.")
}

// endLocked ends the sessions that have advisory locks by a lease that is over.
func (db *DB) endLocked() {
	var lost []*Session
	db.mu.Lock()
	for s := range db.sessions {
		if s.lockedBeyond.Load() > 0 {
			lost = append(lost, s)
		}
	}
	db.mu.Unlock()
	for _, s := range lost {
		s.endFor(locksLost())
	}
}

// stillLocked makes sure, before a statement, that a session with advisory locks has them still:
// where this server's lease is over, taking a new one ends the session.
func (s *Session) stillLocked() error {
	if s.lockedBeyond.Load() == 0 {
		return nil
	}
	return s.db.catalog.Live(s.ctx)
}
