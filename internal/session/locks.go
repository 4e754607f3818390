package session

import (
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/advisory"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/txn"
)

// Locks lists what the sessions of this server hold and wait for: advisory locks, the relations
// that their statements, or those of their open transactions, work with, and transactions: each
// has its own, and waits for those that have a row or a table which it wants.
func (db *DB) Locks() []pgcatalog.Lock {
	var list []pgcatalog.Lock
	db.advisory.Each(func(e advisory.Entry[*Session, expr.AdvisoryKey]) {
		one := e.Session.activity.Lock(pgcatalog.LockAdvisory)
		one.A, one.B, one.Two, one.Granted, one.Since = uint32(e.Key.A), uint32(e.Key.B), e.Key.Two, e.Held != nil, e.Since
		for _, mode := range e.Modes() {
			one.Mode = mode
			list = append(list, one)
		}
	})
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		list = append(list, s.activity.Locks()...)
	}
	db.eachBlocked(func(s, by *Session, since time.Time) {
		one := s.activity.Lock(pgcatalog.LockTransaction)
		one.Transaction, one.Mode, one.Granted, one.Since = by.id, "ShareLock", false, since
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	})
	return list
}

// eachBlocked shows who waits for whom for rows and tables. db.mu is held.
func (db *DB) eachBlocked(show func(s, by *Session, since time.Time)) {
	blocked := db.txns.Blocked()
	if len(blocked) == 0 {
		return
	}
	of := make(map[*txn.Waits]*Session, len(db.sessions))
	for s := range db.sessions {
		of[&s.waits] = s
	}
	for _, b := range blocked {
		for _, w := range b.By {
			if s, by := of[b.Who], of[w]; s != nil && by != nil { // they have not ended
				show(s, by, b.Since)
			}
		}
	}
}

// Blocking lists the process IDs of the sessions that the one of pid waits for.
func (f sessionFuncs) Blocking(pid int32) []int32 {
	db := f.s.db
	s := db.byPID(pid)
	if s == nil {
		return nil
	}
	var pids []int32
	note := func(by *Session) {
		if !slices.Contains(pids, by.opts.BackendPID) {
			pids = append(pids, by.opts.BackendPID)
		}
	}
	for _, by := range db.advisory.Blockers(s) {
		note(by)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.eachBlocked(func(waits, by *Session, _ time.Time) {
		if waits == s {
			note(by)
		}
	})
	return pids
}

// lockTable is LOCK TABLE: 25P01 outside of a block.
func (s *Session) lockTable(u *tree.LockTable) error {
	if !s.tx.inTransaction() {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "LOCK TABLE can only be used in transaction blocks")
	}
	return s.identity().MayLock(s.searchPath(), u)
}
