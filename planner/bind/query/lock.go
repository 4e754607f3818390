package query

import (
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// locking is FOR UPDATE and its kin of one query, while that is bound: its rows, those of
// one table, are locked after they are sorted and before they are limited.
type locking struct {
	plan  *plan.Lock
	rel   *Relation
	get   *logical.Get
	where expr.Expr
	pos   int
	words string // as in errors
}

// lockWords are how errors call a strength.
var lockWords = map[tree.LockStrength]string{
	tree.ForKeyShare: "FOR KEY SHARE", tree.ForShare: "FOR SHARE", tree.ForNoKeyUpdate: "FOR NO KEY UPDATE", tree.ForUpdate: "FOR UPDATE",
}

// bindLocks binds the locking clauses of a query over from; nil where it reads nothing.
func (b *Binder) bindLocks(l *Level, q *tree.Select, from logical.Node) (*locking, error) {
	first := &q.Locks[0]
	k := &locking{plan: &plan.Lock{}, pos: b.Pos(first), words: lockWords[first.Strength]}
	if err := b.notInView(k.words, k.pos); err != nil {
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
		return nil, k.notWith(what)
	}
	for i := range q.Locks {
		c := &q.Locks[i]
		k.plan.NoWait = k.plan.NoWait || c.NoWait
		k.plan.SkipLocked = k.plan.SkipLocked || c.SkipLocked
		for _, name := range c.Of {
			if r, _ := l.Scope.relation("", name); r == nil {
				return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" in %s clause not found in FROM clause`, name, lockWords[c.Strength]).At(b.Pos(c))
			}
		}
	}
	for _, r := range l.Scope.Rels {
		if r.Right != nil {
			r.Right.Rights |= acl.Update
		}
	}
	k.plan.SkipLocked = k.plan.SkipLocked && !k.plan.NoWait
	if len(q.From) == 0 {
		return nil, nil
	}
	b.shared.Writes = true
	get, ok := from.(*logical.Get)
	if !ok || get.Sample != nil || q.WithTies {
		return nil, sqlerr.Unsupported(k.words+" of other than the rows of one table is not supported",
			"Lock the rows of each table by a query of its own, in a transaction.").At(k.pos)
	}
	k.get, k.rel = get, l.Scope.Rels[0]
	k.rel.NoCells(k.words)
	k.plan.Table = get.Table
	get.WithKey, get.ForUpdate = true, true
	get.Key = b.Meta.Add(logical.Column{Name: plan.RowKeyColumn, Type: types.Of(types.Bytea)})
	get.Version = b.Meta.Add(logical.Column{Name: plan.VersionColumn, Type: types.Of(types.Int8)})
	return k, nil
}

func (k *locking) notWith(what string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed with %s", k.words, what).At(0)
}

// lockable refuses what cannot be computed of rows that are locked.
func (b *Binder) lockable(l *Level, q *tree.Select, list *SelectList, keys []plan.SortKey) error {
	switch k := l.lock; {
	case len(l.aggs.Calls) > 0:
		return k.notWith("aggregate functions")
	case len(l.windows.list) > 0:
		return k.notWith("window functions")
	case len(l.sets.list) > 0:
		return k.notWith("set-returning functions in the target list")
	case needsEarlyProject(list, keys):
		return sqlerr.Unsupported(k.words+" with ORDER BY and a query or a volatile function in the select list is not supported",
			"Order and lock the rows in a subquery in FROM.").At(k.pos)
	}
	return nil
}

// locked puts the Lock below the Limit of a query.
func (b *Binder) locked(k *locking, node logical.Node) (logical.Node, error) {
	var evaluable []expr.Expr
	for _, x := range logical.Conjuncts(k.where) {
		if !HoldsQuery(x) && !outside(x, k.rel) {
			evaluable = append(evaluable, x)
			continue
		}
		if k.plan.Again == nil {
			k.plan.Again = &plan.Again{}
		}
		cols := b.Facts().ColsOf(x)
		for i := range k.rel.Cols {
			if cols.Has(k.rel.Cols[i].ID) {
				k.plan.Again.Columns = append(k.plan.Again.Columns, i)
			}
		}
	}
	k.plan.Cond = Positions(logical.AndAll(evaluable), k.rel)
	limit, ok := node.(*logical.Limit)
	if !ok {
		return &logical.Lock{Plan: k.plan, Input: node}, nil
	}
	for _, e := range []expr.Expr{limit.Count, limit.Offset} {
		if e != nil && (HoldsQuery(e) || len(expr.Cols(e)) > 0) {
			return nil, sqlerr.Unsupported(k.words+" with a LIMIT that is computed is not supported", "Give the number as a parameter.").At(k.pos)
		}
	}
	k.plan.Count, k.plan.Offset = limit.Count, limit.Offset
	if limit.Count == nil {
		k.plan.Offset = nil
	}
	c := *limit
	c.Input = &logical.Lock{Plan: k.plan, Input: limit.Input}
	return &c, nil
}

// outside says that e names columns of what stands around the query.
func outside(e expr.Expr, rel *Relation) bool {
	for _, id := range expr.Cols(e) {
		own := false
		for i := range rel.Cols {
			own = own || rel.Cols[i].ID == id
		}
		if !own {
			return true
		}
	}
	return false
}

// notInView refuses what a view's kept text does not say.
func (b *Binder) notInView(what string, pos int) error {
	if b.Capture == nil {
		return nil
	}
	return sqlerr.Unsupported(what+" in a view is not supported", "Write it in the query that reads the view.").At(pos)
}

// noLocks refuses locking clauses of what has no rows of a table.
func (b *Binder) noLocks(o *tree.Clauses, cannot string) error {
	if len(o.Locks) == 0 {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s %s", lockWords[o.Locks[0].Strength], cannot).At(b.Pos(o.Locks[0]))
}

// Positions puts the positions of columns in rels, one relation after another, in the place
// of their IDs: what a write keeps is over the row that it writes. e may be nil.
func Positions(e expr.Expr, rels ...*Relation) expr.Expr {
	same, at := true, 0
	for _, r := range rels {
		for c := range r.All {
			same = same && c.ID == at
			at++
		}
	}
	if same {
		return e // as where the table is the statement's first relation
	}
	return expr.MapCols(e, func(c *expr.Col) expr.Expr {
		at := 0
		for _, r := range rels {
			for col := range r.All {
				if col.ID == c.Index {
					moved := *c
					moved.Index = at
					return &moved
				}
				at++
			}
		}
		return c
	})
}
