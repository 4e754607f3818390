package session

import (
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/advisory"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// Locks lists what the sessions of this server hold and wait for: advisory locks, the relations
// that their statements, or those of their open transactions, work with, and transactions: each
// has its own, and waits for those that have a row or a table which it wants.
func (f sessionFuncs) Locks() []pgcatalog.Lock {
	db := f.s.db
	var list []pgcatalog.Lock
	db.advisory.Each(func(e advisory.Entry[*Session, expr.AdvisoryKey]) {
		one := e.Session.lock(pgcatalog.LockAdvisory)
		one.A, one.B, one.Two, one.Granted, one.Since = uint32(e.Key.A), uint32(e.Key.B), e.Key.Two, e.Held != nil, e.Since
		for _, mode := range e.Modes() {
			one.Mode = mode
			list = append(list, one)
		}
	})
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		list = append(list, s.planLocks()...)
	}
	db.eachBlocked(func(s, by *Session, since time.Time) {
		one := s.lock(pgcatalog.LockTransaction)
		one.Transaction, one.Mode, one.Granted, one.Since = by.id, "ShareLock", false, since
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	})
	return list
}

// lock is a lock that the session has.
func (s *Session) lock(kind pgcatalog.LockKind) pgcatalog.Lock {
	return pgcatalog.Lock{Kind: kind, Session: s.id, PID: s.opts.BackendPID, Granted: true}
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

// maxNotedPlans bounds how many statements of a transaction are remembered for pg_locks.
const maxNotedPlans = 256

// notePlan remembers which relations a statement works with, until it or its transaction ends.
func (s *Session) notePlan(p *plan.Plan) {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.tx.inTransaction() {
		a.plans = a.plans[:0]
	}
	if len(a.plans) < maxNotedPlans && !slices.Contains(a.plans, p) {
		a.plans = append(a.plans, p)
	}
}

// planLocks are the session's transaction, where it has one, and the relations in the modes that
// PostgreSQL would hold for the statements: they conflict with DDL as they do there.
func (s *Session) planLocks() []pgcatalog.Lock {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []pgcatalog.Lock
	if a.state() != "idle" {
		one := s.lock(pgcatalog.LockTransaction)
		one.Transaction, one.Mode = s.id, "ExclusiveLock"
		list = append(list, one)
	}
	for _, p := range a.plans {
		for _, r := range p.Rights {
			one := s.lock(pgcatalog.LockRelation)
			one.Relation, one.Mode = r.Relation, "AccessShareLock"
			if r.Rights&(acl.Insert|acl.Update|acl.Delete) != 0 {
				one.Mode = "RowExclusiveLock"
			}
			if !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}
