package session

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/planner/plan"
)

// Locks lists what the sessions of this server hold and wait for: advisory locks, and the
// relations that their statements, or those of their open transactions, work with.
func (f sessionFuncs) Locks() []pgcatalog.Lock {
	db := f.s.db
	var list []pgcatalog.Lock
	a := &db.advisory
	a.mu.Lock()
	for key, l := range a.locks {
		one := pgcatalog.Lock{Advisory: true, A: uint32(key.A), B: uint32(key.B), Two: key.Two}
		for s, h := range l.holders {
			one.Session, one.PID, one.Granted = s.id, s.opts.BackendPID, true
			for _, mode := range advisoryModes(h) {
				one.Mode = mode
				list = append(list, one)
			}
		}
		for _, w := range l.queue {
			one.Session, one.PID, one.Granted, one.Mode = w.s.id, w.s.opts.BackendPID, false, "ExclusiveLock"
			if w.shared {
				one.Mode = "ShareLock"
			}
			list = append(list, one)
		}
	}
	a.mu.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		list = append(list, s.relationLocks()...)
	}
	return list
}

func advisoryModes(h *advisoryHold) []string {
	var modes []string
	if h.exclusive > 0 {
		modes = append(modes, "ExclusiveLock")
	}
	if h.shared > 0 {
		modes = append(modes, "ShareLock")
	}
	return modes
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

// relationLocks are the modes that PostgreSQL would hold for the statements: they conflict with
// DDL as they do there.
func (s *Session) relationLocks() []pgcatalog.Lock {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []pgcatalog.Lock
	for _, p := range a.plans {
		for _, r := range p.Rights {
			one := pgcatalog.Lock{Session: s.id, PID: s.opts.BackendPID, Relation: r.Relation, Mode: "AccessShareLock", Granted: true}
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
