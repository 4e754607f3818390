package activity

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/planner/plan"
)

// maxPlans bounds how many statements of a transaction are remembered for pg_locks.
const maxPlans = 256

// Plan remembers which relations a statement works with, until it or, where it is one of several,
// its transaction ends.
func (a *Activity) Plan(p *plan.Plan, several bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !several {
		a.plans = a.plans[:0]
	}
	if len(a.plans) < maxPlans && !slices.Contains(a.plans, p) {
		a.plans = append(a.plans, p)
	}
}

// Lock is a lock that the session has.
func (a *Activity) Lock(kind pgcatalog.LockKind) pgcatalog.Lock {
	return pgcatalog.Lock{Kind: kind, Session: a.id, PID: a.pid, Granted: true}
}

// Locks are the session's transaction, where it has one, and the relations in the modes that
// PostgreSQL would hold for the statements: they conflict with DDL as they do there.
func (a *Activity) Locks() []pgcatalog.Lock {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []pgcatalog.Lock
	if a.state() != "idle" {
		one := a.Lock(pgcatalog.LockTransaction)
		one.Transaction, one.Mode = a.id, "ExclusiveLock"
		list = append(list, one)
	}
	for _, p := range a.plans {
		for _, r := range p.Rights {
			one := a.Lock(pgcatalog.LockRelation)
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
