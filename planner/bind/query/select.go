package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/grouping"
	"github.com/saltsql/saltsql/planner/bind/rowlock"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindSelect binds one SELECT. What it makes, from the bottom:
//
//	from -> Select (WHERE) -> GroupBy -> Select (HAVING) -> Window … -> Sort or DistinctOn -> ProjectSet -> Limit -> Project
//
// With DISTINCT the projection comes first, and the ProjectSet where the order needs it:
//
//	… Window … -> ProjectSet -> Project -> GroupBy -> Sort -> Limit
func (b *Binder) bindSelect(at *scope.Place, q *tree.Select, w *Want) *result {
	if q.Distinct {
		w = nil // equal values are looked for among values of one type, so literals are text
	}
	l := scope.NewLevel(at)
	l.Grouped = len(q.GroupBy) > 0
	from := b.BindFrom(l, q.From)
	node := from
	var where expr.Expr
	var lock *rowlock.Locks // FOR UPDATE; nil is none
	if len(q.Locks) > 0 {
		lock = b.bindLocks(l, q)
	}
	b.declareWindows(l, q.Windows)
	// The first use of a parameter gives it its type: the clauses are bound in PostgreSQL's order.
	list := b.BindItems(&scope.Place{Level: l, Clause: "SELECT", Aggs: true, Windows: true, Sets: true}, q.Items, w)
	if q.Where != nil {
		where = b.BoolExpr(&scope.Place{Level: l, Clause: "WHERE"}, q.Where)
		node = &logical.Select{Input: node, Cond: where}
	}
	if lock != nil {
		lock.CheckOuter(where)
	}
	var offset *rowOffset
	clauses := q.Clauses
	if isRowOffset(q.Offset) {
		offset = b.bindRowOffset(l, q, from)
		node, clauses.Offset = &logical.Select{Input: node, Cond: offset.cond}, nil
	}
	groups := b.bindGroupBy(q, l, list)
	var having expr.Expr
	if q.Having != nil {
		having = b.BoolExpr(&scope.Place{Level: l, Clause: "HAVING", Aggs: true}, q.Having)
	}
	keys := b.BindOrderBy(q.OrderBy, &scope.Place{Level: l, Clause: "ORDER BY", Aggs: true, Windows: true, Sets: true}, list)
	on, onAt := b.bindDistinctOn(q.DistinctOn, &scope.Place{Level: l, Clause: "DISTINCT ON", Aggs: true, Windows: true, Sets: true}, list)
	if offset != nil {
		keys = offset.order(l, keys)
	}
	written := keys
	keys = distinctOnOrder(on, onAt, keys)
	b.bindUnusedWindows(l)
	b.Capture.sel(q, CapturedSelect{level: l, Exprs: list.Exprs, Names: list.Names, Where: where, Groups: groups.of,
		Having: having, Keys: written, On: on})
	if len(q.GroupBy) > 0 || len(l.Aggs.Calls) > 0 || len(l.Groupings) > 0 || having != nil {
		node = l.Sets.Over(node, func(s *scope.SetItem) bool {
			return slices.ContainsFunc(groups.exprs, func(e expr.Expr) bool { return scope.HoldsColumn(e, s.ID) })
		})
		if again := &groups.again; len(again.Cols) > 0 {
			cols := node.Out()
			node = &logical.Project{Input: node, Exprs: append(b.Meta.Refs(cols), again.Exprs...), Cols: append(slices.Clip(cols), again.Cols...)}
		}
		g := grouping.Rewriter{Meta: b.Meta, Level: l, Groups: groups.exprs, Sets: groups.sets}
		node = g.Over(node, list.Exprs, &having, keys, on)
		if by, ok := node.(*logical.GroupBy); ok && len(q.GroupBy) == 0 && len(l.Aggs.Calls) == 0 && len(l.Groupings) == 0 {
			by.Input = oneRow() // one group, of which nothing is asked: no row is read for it
		}
		if having != nil {
			node = &logical.Select{Input: node, Cond: having}
		}
	}
	node = l.Windows.Over(node)
	if lock != nil {
		lock.CheckCalls(l)
	}
	if q.Distinct {
		return b.distinct(l, l.Sets.Over(node, scope.AllSets), list, keys, &clauses)
	}
	// PostgreSQL calls set-returning functions behind DISTINCT ON where there is an ORDER BY,
	// unless what it goes by has one.
	if len(on) > 0 && (len(q.OrderBy) == 0 || l.Sets.In(on...)) {
		node = l.Sets.Over(node, scope.AllSets)
	}
	return b.ordered(l, node, list, keys, on, &clauses, lock)
}

// ordered sorts, limits and projects.
func (b *Binder) ordered(l *scope.Level, node logical.Node, list *SelectList, keys []plan.SortKey, on []expr.Expr, o *tree.Clauses, lock *rowlock.Locks) *result {
	early := needsEarlyProject(list, keys)
	if early || len(keys) > 0 && l.Sets.HoldQuery() || slices.ContainsFunc(keys, func(k plan.SortKey) bool { return l.Sets.In(k.Expr) }) {
		node = l.Sets.Over(node, scope.AllSets)
	}
	if early {
		// A key with a volatile function is computed once, for the order and the output.
		n := len(list.Exprs)
		wide := &SelectList{Exprs: slices.Clone(list.Exprs), Names: slices.Clone(list.Names)}
		add := func(e expr.Expr) int {
			i := expr.IndexExpr(wide.Exprs, e)
			if i < 0 {
				i = len(wide.Exprs)
				wide.Exprs, wide.Names = append(wide.Exprs, e), append(wide.Names, "")
			}
			return i
		}
		keyAt, onAt := make([]int, len(keys)), make([]int, len(on))
		for i := range keys {
			keyAt[i] = add(keys[i].Expr)
		}
		for i := range on {
			onAt[i] = add(on[i])
		}
		r := b.Projection(l, node, wide)
		below := func(i int) expr.Expr {
			return &expr.Col{Index: r.Cols[i].ID, T: r.Cols[i].T, Name: expr.ToText(wide.Exprs[i])}
		}
		for i, at := range keyAt {
			keys[i].Expr = below(at)
		}
		for i, at := range onAt {
			on[i] = below(at)
		}
		node, list = r.Node, &SelectList{Exprs: r.Refs()[:n], Names: list.Names}
	}
	switch {
	case len(on) > 0:
		node = &logical.DistinctOn{Input: node, Exprs: on, Keys: keys}
	case len(keys) > 0:
		node = &logical.Sort{Input: node, Keys: keys}
	}
	node = b.AddLimit(l, l.Sets.Over(node, scope.AllSets), o, keys)
	if lock != nil {
		node = lock.Over(b.Meta, b.Inlined, node)
	}
	return b.Projection(l, node, list)
}

// needsEarlyProject says that the list is to be computed before the rows are sorted: a key
// with a volatile function is one value for the order and the output, and a query in the
// list becomes a join, which keeps no order.
func needsEarlyProject(list *SelectList, keys []plan.SortKey) bool {
	if len(keys) == 0 {
		return false
	}
	for _, k := range keys {
		if logical.VolatileExpr(k.Expr) && expr.ContainsExpr(list.Exprs, k.Expr) {
			return true
		}
	}
	return slices.ContainsFunc(list.Exprs, logical.HoldsQuery)
}

// distinct projects, makes rows unique, sorts and limits.
func (b *Binder) distinct(l *scope.Level, node logical.Node, list *SelectList, keys []plan.SortKey, o *tree.Clauses) *result {
	at := make([]int, len(keys))
	for i, e := range list.Exprs {
		hashable(e, list.pos[i])
	}
	for i := range keys {
		if at[i] = expr.IndexExpr(list.Exprs, keys[i].Expr); at[i] < 0 {
			panic(sqlerr.New(sqlerr.InvalidColumnReference,
				"for SELECT DISTINCT, ORDER BY expressions must appear in select list").At(keys[i].Expr.Pos()))
		}
	}
	r := b.Projection(l, node, list)
	for i := range keys {
		keys[i].Expr = r.Cols[at[i]].Ref(0)
	}
	r.Node = distinctRows(r.Node, r.Refs())
	if len(keys) > 0 {
		r.Node = &logical.Sort{Input: r.Node, Keys: keys}
	}
	r.Node = b.AddLimit(l, r.Node, o, keys)
	return r
}

// distinctRows drops rows equal to others; refs are the node's columns.
func distinctRows(node logical.Node, refs []expr.Expr) logical.Node {
	if len(refs) == 0 {
		// Rows without columns are all equal.
		return &logical.Limit{Input: node, Count: Bigint(1)}
	}
	return &logical.GroupBy{Input: node, Groups: refs, GroupCols: node.Out()}
}

func Bigint(v int64) expr.Expr {
	return &expr.Const{Value: types.NewInt(v), T: types.Of(types.Int8)}
}
