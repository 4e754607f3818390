package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// locking is FOR UPDATE and its kin of one query, while that is bound: rows are locked after
// they are sorted and before they are limited.
type locking struct {
	tables []lockedTable
	limits []lockedLimit
	// outer are relations on the nullable side of an outer join: that is refused, unless WHERE
	// leaves no row without one of theirs.
	outer []*scope.Relation
	ties  bool
	pos   int
	words string // as in errors
}

// lockedLimit is a query with a LIMIT in FROM, whose rows are locked below that: those that it
// gives, whatever the query around it does with them.
type lockedLimit struct {
	limit *logical.Limit
	of    *locking
}

// lockedTable is a table whose rows are locked, and what is done about those of others.
type lockedTable struct {
	get                *logical.Get
	noWait, skipLocked bool
}

// lockWords are how errors call a strength.
var lockWords = map[tree.LockStrength]string{
	tree.ForKeyShare: "FOR KEY SHARE", tree.ForShare: "FOR SHARE", tree.ForNoKeyUpdate: "FOR NO KEY UPDATE", tree.ForUpdate: "FOR UPDATE",
}

// bindLocks binds the locking clauses of a query whose FROM is bound.
func (b *Binder) bindLocks(l *scope.Level, q *tree.Select) (*locking, error) {
	first := &q.Locks[0]
	k := &locking{pos: b.Pos(first), words: lockWords[first.Strength], ties: q.WithTies}
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
		k.words = lockWords[c.Strength]
		rels := slices.Concat(l.Scope.Rels, l.Scope.Unseen)
		if len(c.Of) > 0 {
			rels = nil
		}
		for _, name := range c.Of {
			r, _ := l.Scope.Relation("", name)
			if r == nil {
				return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" in %s clause not found in FROM clause`, name, k.words).At(b.Pos(c))
			}
			if err := k.canLock(r, b.Pos(c)); err != nil {
				return nil, err
			}
			rels = append(rels, r)
		}
		for _, r := range rels {
			if err := k.relation(r, c); err != nil {
				return nil, err
			}
		}
	}
	if !k.any() {
		return k, nil
	}
	b.shared.Writes = true
	for _, r := range slices.Concat(l.Scope.Rels, l.Scope.Unseen) {
		if f, ok := r.Node.(*logical.FuncScan); ok && f.Cells != nil {
			r.NoCells(k.words)
			return nil, r.CellsHere(k.pos)
		}
	}
	return k, k.lockBelowLimits(b)
}

// any says that there are rows to lock.
func (k *locking) any() bool {
	return len(k.tables) > 0 || slices.ContainsFunc(k.limits, func(l lockedLimit) bool { return l.of.any() })
}

// lockBelowLimits puts the Locks of queries with a LIMIT in FROM into these.
func (k *locking) lockBelowLimits(b *Binder) error {
	for _, l := range k.limits {
		if !l.of.any() {
			continue
		}
		if len(l.limit.Ties) > 0 {
			return l.of.notTies()
		}
		if err := l.of.lockBelowLimits(b); err != nil {
			return err
		}
		if len(l.of.tables) == 0 {
			continue
		}
		locked, err := b.locked(l.of, l.limit)
		if err != nil {
			return err
		}
		*l.limit = *locked.(*logical.Limit)
	}
	return nil
}

// canLock refuses by name what has no rows of its own to lock.
func (k *locking) canLock(r *scope.Relation, pos int) error {
	what := ""
	switch r.Node.(type) {
	case nil:
		what = "a join"
	case *logical.FuncScan:
		what = "a function"
	case *logical.WithRef:
		what = "a WITH query"
	}
	if what == "" {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be applied to %s", k.words, what).At(pos)
}

// relation has the rows of an item of FROM locked.
func (k *locking) relation(r *scope.Relation, c *tree.Lock) error {
	if r.Node == nil {
		return nil // a join's: its sides are items too
	}
	before := len(k.tables) + len(k.limits)
	if err := k.below(r.Node, c); err != nil {
		return err
	}
	// PostgreSQL keeps a query with a WITH clause apart, and then asks for no table in it.
	_, apart := r.Node.(*logical.With)
	if (len(k.tables)+len(k.limits) > before || apart) && r.Nullable {
		k.outer = append(k.outer, r)
	}
	if r.Right != nil {
		r.Right.Rights |= acl.Update
	}
	r.NoCells(k.words)
	return nil
}

// below has the rows of all tables locked that a query reads: of those of which each row it
// gives has one.
func (k *locking) below(n logical.Node, c *tree.Lock) error {
	switch n := n.(type) {
	case *logical.Get:
		if n.Table.Materialized != nil {
			return sqlerr.New(sqlerr.WrongObjectType, `cannot lock rows in materialized view "%s"`, n.Table.Name)
		}
		k.lock(n, c)
		return nil
	case *logical.Select, *logical.Project, *logical.Sort:
		return k.below(n.Inputs()[0], c)
	case *logical.With:
		return k.below(n.Body, c)
	case *logical.Join:
		if n.Kind == plan.Inner {
			if err := k.below(n.Left, c); err != nil {
				return err
			}
			return k.below(n.Right, c)
		}
		return k.nullable()
	case *logical.GroupBy:
		if _, union := n.Input.(*logical.Union); union {
			return k.below(n.Input, c)
		}
		switch {
		case len(n.Groups) == 0:
			return k.notWith("aggregate functions")
		case len(n.Aggs) == 0:
			return k.notWith("DISTINCT clause")
		}
		return k.notWith("GROUP BY clause")
	case *logical.DistinctOn:
		return k.notWith("DISTINCT clause")
	case *logical.Window:
		return k.notWith("window functions")
	case *logical.ProjectSet:
		return k.notWith("set-returning functions in the target list")
	case *logical.Union, *logical.SetOp:
		return k.notWith("UNION/INTERSECT/EXCEPT")
	case *logical.Limit:
		i := slices.IndexFunc(k.limits, func(l lockedLimit) bool { return l.limit == n })
		if i < 0 {
			i = len(k.limits)
			k.limits = append(k.limits, lockedLimit{n, &locking{pos: k.pos, words: k.words}})
		}
		k.limits[i].of.words = k.words
		return k.limits[i].of.below(n.Input, c)
	case *logical.Virtual:
		return sqlerr.Unsupported(k.words+" of a relation of the system is not supported", "Leave it out with OF, naming the others.").At(k.pos)
	}
	return nil // functions, values, WITH queries, rows that are locked already
}

// lock notes a table once: NOWAIT of one clause goes before SKIP LOCKED of another.
func (k *locking) lock(get *logical.Get, c *tree.Lock) {
	i := slices.IndexFunc(k.tables, func(t lockedTable) bool { return t.get == get })
	if i < 0 {
		i = len(k.tables)
		k.tables = append(k.tables, lockedTable{get: get})
		if get.Right != nil {
			get.Right.Rights |= acl.Update
		}
	}
	t := &k.tables[i]
	t.noWait = t.noWait || c.NoWait
	t.skipLocked = (t.skipLocked || c.SkipLocked) && !t.noWait
}

// checkOuter refuses relations that an outer join may give no row of, where the condition of
// the query lets these pass.
func (k *locking) checkOuter(where expr.Expr) error {
	if len(k.outer) == 0 {
		return nil
	}
	for _, r := range k.outer {
		var cols logical.ColSet
		for c := range r.All {
			cols.Add(c.ID)
		}
		if !asksForRow(where, cols) {
			return k.nullable()
		}
	}
	return nil
}

// asksForRow says that a condition is not true where all of these columns are NULL.
func asksForRow(cond expr.Expr, cols logical.ColSet) bool {
	for _, c := range logical.Conjuncts(cond) {
		if or, ok := c.(*expr.Or); ok && !slices.ContainsFunc(or.Args, func(arm expr.Expr) bool { return !asksForRow(arm, cols) }) {
			return true
		}
		if logical.NullRejected(c).Intersects(cols) {
			return true
		}
	}
	return false
}

func (k *locking) nullable() error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be applied to the nullable side of an outer join", k.words).At(k.pos)
}

func (k *locking) notWith(what string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed with %s", k.words, what).At(0)
}

// lockable refuses what cannot be computed of rows that are locked.
func (k *locking) lockable(l *scope.Level) error {
	switch {
	case len(l.Aggs.Calls) > 0:
		return k.notWith("aggregate functions")
	case len(l.Windows.List) > 0:
		return k.notWith("window functions")
	case len(l.Sets.List) > 0:
		return k.notWith("set-returning functions in the target list")
	case k.ties && len(k.tables) > 0:
		return k.notTies()
	}
	return nil
}

func (k *locking) notTies() error {
	return sqlerr.Unsupported(k.words+" with FETCH … WITH TIES is not supported", "Write the query in FROM, and lock the rows of the table whose keys it gives.").At(k.pos)
}

// locked puts the Lock below the Limit of a query.
func (b *Binder) locked(k *locking, node logical.Node) (logical.Node, error) {
	if len(k.tables) == 0 {
		return node, nil
	}
	limit, ok := node.(*logical.Limit)
	if !ok {
		return b.lockNode(k, node), nil
	}
	for _, e := range []expr.Expr{limit.Count, limit.Offset} {
		if e != nil && (logical.HoldsQuery(e) || len(expr.Cols(e)) > 0) {
			return nil, sqlerr.Unsupported(k.words+" with a LIMIT that is computed is not supported", "Give the number as a parameter.").At(k.pos)
		}
	}
	lock := b.lockNode(k, limit.Input)
	if limit.Count != nil {
		lock.Plan.Count, lock.Plan.Offset = limit.Count, limit.Offset
	}
	c := *limit
	c.Input = lock
	return &c, nil
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
func Positions(e expr.Expr, rels ...*scope.Relation) expr.Expr {
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
