package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/rowlock"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
)

// bindLocks binds the locking clauses of a query whose FROM is bound.
func (b *Binder) bindLocks(l *scope.Level, q *tree.Select) *rowlock.Locks {
	first := &q.Locks[0]
	k := &rowlock.Locks{Views: b.viewRights, Pos: b.Pos(first), Words: first.Strength.String(), Ties: q.WithTies}
	b.notInView(k.Words, k.Pos)
	what := ""
	switch {
	case q.Distinct || len(q.DistinctOn) > 0:
		what = "DISTINCT clause"
	case len(q.GroupBy) > 0:
		what = "GROUP BY clause"
	case q.Having != nil:
		what = "HAVING clause"
	}
	if what != "" {
		panic(k.NotWith(what))
	}
	for i := range q.Locks {
		c := &q.Locks[i]
		k.Words = c.Strength.String()
		rels := slices.Concat(l.Scope.Rels, l.Scope.Unseen)
		if len(c.Of) > 0 {
			rels = nil
		}
		for _, name := range c.Of {
			r, _ := l.Scope.Relation("", name)
			if r == nil {
				panic(sqlerr.New(sqlerr.UndefinedTable, `relation "%s" in %s clause not found in FROM clause`, name, k.Words).At(b.Pos(c)))
			}
			k.CheckNamed(r, b.Pos(c))
			rels = append(rels, r)
		}
		for _, r := range rels {
			k.Add(r, c)
		}
	}
	if !k.Any() {
		return k
	}
	b.shared.Writes = true
	for _, r := range slices.Concat(l.Scope.Rels, l.Scope.Unseen) {
		if f, ok := r.Node.(*logical.FuncScan); ok && f.Cells != nil {
			r.NoCells(k.Words)
			r.CellsHere(k.Pos)
			return nil
		}
	}
	k.OverLimits(b.Meta, b.Inlined)
	return k
}

// noLocks refuses locking clauses of what has no rows of a table.
func (b *Binder) noLocks(o *tree.Clauses, cannot string) {
	if len(o.Locks) == 0 {
		return
	}
	panic(sqlerr.New(sqlerr.FeatureNotSupported, "%s %s", o.Locks[0].Strength, cannot).At(b.Pos(o.Locks[0])))
}
