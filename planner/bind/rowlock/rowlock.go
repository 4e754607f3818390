package rowlock

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

// Locks is FOR UPDATE and its kin of one query, while that is bound: rows are locked after
// they are sorted and before they are limited.
type Locks struct {
	// Views are those whose rows a node gives, as what the statement does with them: FOR UPDATE of
	// a view is UPDATE of all views below it, for the owner of each.
	Views  map[logical.Node][]*plan.Privilege
	tables []lockedTable
	limits []lockedLimit
	// outer are relations on the nullable side of an outer join: that is refused, unless WHERE
	// leaves no row without one of theirs.
	outer []*scope.Relation
	Ties  bool
	Pos   int
	Words string // as in errors
}

// lockedLimit is a query with a LIMIT in FROM, whose rows are locked below that: those that it
// gives, whatever the query around it does with them.
type lockedLimit struct {
	limit *logical.Limit
	of    *Locks
}

// lockedTable is a table whose rows are locked, and what is done about those of others.
type lockedTable struct {
	get                *logical.Get
	noWait, skipLocked bool
}

// Any says that there are rows to lock.
func (k *Locks) Any() bool {
	return len(k.tables) > 0 || slices.ContainsFunc(k.limits, func(l lockedLimit) bool { return l.of.Any() })
}

// OverLimits puts the Locks of queries with a LIMIT in FROM into these.
func (k *Locks) OverLimits(m *logical.Meta, named map[int]logical.Node) {
	for _, l := range k.limits {
		if !l.of.Any() {
			continue
		}
		if len(l.limit.Ties) > 0 {
			panic(l.of.notTies())
		}
		l.of.OverLimits(m, named)
		if len(l.of.tables) == 0 {
			continue
		}
		locked := l.of.Over(m, named, l.limit)
		*l.limit = *locked.(*logical.Limit)
	}
}

// CheckNamed refuses by name what has no rows of its own to lock.
func (k *Locks) CheckNamed(r *scope.Relation, pos int) {
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
		return
	}
	panic(sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be applied to %s", k.Words, what).At(pos))
}

// Add has the rows of an item of FROM locked.
func (k *Locks) Add(r *scope.Relation, c *tree.Lock) {
	if r.Node == nil {
		return // a join's: its sides are items too
	}
	before := len(k.tables) + len(k.limits)
	k.below(r.Node, c)
	// PostgreSQL keeps a query with a WITH clause apart, and then asks for no table in it.
	_, apart := r.Node.(*logical.With)
	if (len(k.tables)+len(k.limits) > before || apart) && r.Nullable {
		k.outer = append(k.outer, r)
	}
	if r.Right != nil {
		r.Right.Rights |= acl.Update
	}
	r.NoCells(k.Words)
}

// below has the rows of all tables locked that a query reads: of those of which each row it
// gives has one.
func (k *Locks) below(n logical.Node, c *tree.Lock) {
	for _, right := range k.Views[n] {
		right.Rights |= acl.Update
	}
	switch n := n.(type) {
	case *logical.Get:
		if n.Table.Materialized != nil {
			panic(sqlerr.New(sqlerr.WrongObjectType, `cannot lock rows in materialized view "%s"`, n.Table.Name))
		}
		k.lock(n, c)
		return
	case *logical.Select, *logical.Project, *logical.Sort:
		k.below(n.Inputs()[0], c)
		return
	case *logical.With:
		k.below(n.Body, c)
		return
	case *logical.Join:
		if n.Kind == plan.Inner {
			k.below(n.Left, c)
			k.below(n.Right, c)
			return
		}
		panic(k.nullable())
	case *logical.GroupBy:
		if _, union := n.Input.(*logical.Union); union {
			k.below(n.Input, c)
			return
		}
		switch {
		case len(n.Groups) == 0:
			panic(k.NotWith("aggregate functions"))
		case len(n.Aggs) == 0:
			panic(k.NotWith("DISTINCT clause"))
		}
		panic(k.NotWith("GROUP BY clause"))
	case *logical.DistinctOn:
		panic(k.NotWith("DISTINCT clause"))
	case *logical.Window:
		panic(k.NotWith("window functions"))
	case *logical.ProjectSet:
		panic(k.NotWith("set-returning functions in the target list"))
	case *logical.Union, *logical.SetOp:
		panic(k.NotWith("UNION/INTERSECT/EXCEPT"))
	case *logical.Limit:
		i := slices.IndexFunc(k.limits, func(l lockedLimit) bool { return l.limit == n })
		if i < 0 {
			i = len(k.limits)
			k.limits = append(k.limits, lockedLimit{n, &Locks{Views: k.Views, Pos: k.Pos, Words: k.Words}})
		}
		k.limits[i].of.Words = k.Words
		k.limits[i].of.below(n.Input, c)
		return
	case *logical.Virtual:
		panic(sqlerr.Unsupported(k.Words+" of a relation of the system is not supported", "Leave it out with OF, naming the others.").At(k.Pos))
	}
	// functions, values, WITH queries, rows that are locked already
}

// lock notes a table once: NOWAIT of one clause goes before SKIP LOCKED of another.
func (k *Locks) lock(get *logical.Get, c *tree.Lock) {
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

// CheckOuter refuses relations that an outer join may give no row of, where the condition of
// the query lets these pass.
func (k *Locks) CheckOuter(where expr.Expr) {
	if len(k.outer) == 0 {
		return
	}
	for _, r := range k.outer {
		var cols logical.ColSet
		for c := range r.All {
			cols.Add(c.ID)
		}
		if !asksForRow(where, cols) {
			panic(k.nullable())
		}
	}
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

func (k *Locks) nullable() *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be applied to the nullable side of an outer join", k.Words).At(k.Pos)
}

// NotWith is the refusal of a clause that the locks do not go with.
func (k *Locks) NotWith(what string) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed with %s", k.Words, what).At(0)
}

// CheckCalls refuses what cannot be computed of rows that are locked.
func (k *Locks) CheckCalls(l *scope.Level) {
	switch {
	case len(l.Aggs.Calls) > 0:
		panic(k.NotWith("aggregate functions"))
	case len(l.Windows.List) > 0:
		panic(k.NotWith("window functions"))
	case len(l.Sets.List) > 0:
		panic(k.NotWith("set-returning functions in the target list"))
	case k.Ties && len(k.tables) > 0:
		panic(k.notTies())
	}
}

func (k *Locks) notTies() *sqlerr.Error {
	return sqlerr.Unsupported(k.Words+" with FETCH … WITH TIES is not supported", "Write the query in FROM, and lock the rows of the table whose keys it gives.").At(k.Pos)
}

// Over puts the Lock below the Limit of a query. named are the queries of WITH that take the
// place of their names, by ID.
func (k *Locks) Over(m *logical.Meta, named map[int]logical.Node, node logical.Node) logical.Node {
	if len(k.tables) == 0 {
		return node
	}
	limit, ok := node.(*logical.Limit)
	if !ok {
		return k.lockNode(m, named, node)
	}
	for _, e := range []expr.Expr{limit.Count, limit.Offset} {
		if e != nil && (logical.HoldsQuery(e) || len(expr.Cols(e)) > 0) {
			panic(sqlerr.Unsupported(k.Words+" with a LIMIT that is computed is not supported", "Give the number as a parameter.").At(k.Pos))
		}
	}
	lock := k.lockNode(m, named, limit.Input)
	if limit.Count != nil {
		lock.Plan.Count, lock.Plan.Offset = limit.Count, limit.Offset
	}
	c := *limit
	c.Input = lock
	return &c
}
