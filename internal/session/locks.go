package session

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/advisory"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// Locks lists what the sessions of this server hold and wait for: advisory locks, and the
// relations that their statements, or those of their open transactions, work with.
func (f sessionFuncs) Locks() []pgcatalog.Lock {
	db := f.s.db
	var list []pgcatalog.Lock
	db.advisory.Each(func(s *Session, key expr.AdvisoryKey, held *advisory.Hold, shared bool) {
		one := pgcatalog.Lock{Advisory: true, A: uint32(key.A), B: uint32(key.B), Two: key.Two, Session: s.id, PID: s.opts.BackendPID, Granted: held != nil}
		if held == nil {
			held = &advisory.Hold{Exclusive: 1}
			if shared {
				held = &advisory.Hold{Shared: 1}
			}
		}
		for _, mode := range advisoryModes(held) {
			one.Mode = mode
			list = append(list, one)
		}
	})
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		list = append(list, s.relationLocks()...)
	}
	return list
}

func advisoryModes(h *advisory.Hold) []string {
	var modes []string
	if h.Exclusive > 0 {
		modes = append(modes, "ExclusiveLock")
	}
	if h.Shared > 0 {
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
