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
func (b *Binder) bindLocks(l *scope.Level, q *tree.Select) (*rowlock.Locks, error) {
	first := &q.Locks[0]
	k := &rowlock.Locks{Views: b.viewRights, Pos: b.Pos(first), Words: first.Strength.String(), Ties: q.WithTies}
	if err := b.notInView(k.Words, k.Pos); err != nil {
		return nil, err
	}
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
		return nil, k.NotWith(what)
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
				return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" in %s clause not found in FROM clause`, name, k.Words).At(b.Pos(c))
			}
			if err := k.CheckNamed(r, b.Pos(c)); err != nil {
				return nil, err
			}
			rels = append(rels, r)
		}
		for _, r := range rels {
			if err := k.Add(r, c); err != nil {
				return nil, err
			}
		}
	}
	if !k.Any() {
		return k, nil
	}
	b.shared.Writes = true
	for _, r := range slices.Concat(l.Scope.Rels, l.Scope.Unseen) {
		if f, ok := r.Node.(*logical.FuncScan); ok && f.Cells != nil {
			r.NoCells(k.Words)
			return nil, r.CellsHere(k.Pos)
		}
	}
	return k, k.OverLimits(b.Meta, b.Inlined)
}

// noLocks refuses locking clauses of what has no rows of a table.
func (b *Binder) noLocks(o *tree.Clauses, cannot string) error {
	if len(o.Locks) == 0 {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s %s", o.Locks[0].Strength, cannot).At(b.Pos(o.Locks[0]))
}
