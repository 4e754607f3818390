package bind

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
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
func (b *binder) bindSelect(at *place, q *tree.Select, w *want) (*result, error) {
	if q.Distinct {
		w = nil // equal values are looked for among values of one type, so literals are text
	}
	l := newLevel(at)
	node, err := b.bindFrom(l, q.From)
	if err != nil {
		return nil, err
	}
	var where expr.Expr
	if len(q.Locks) > 0 {
		if l.lock, err = b.bindLocks(l, q, node); err != nil {
			return nil, err
		}
	}
	if q.Where != nil {
		if where, err = b.boolExpr(&place{level: l, clause: "WHERE"}, q.Where); err != nil {
			return nil, err
		}
		node = &logical.Select{Input: node, Cond: where}
		if l.lock != nil {
			l.lock.where = where
		}
	}
	if err := b.declareWindows(l, q.Windows); err != nil {
		return nil, err
	}
	list, err := b.bindItems(&place{level: l, clause: "SELECT", aggs: true, windows: true, sets: true}, q.Items, w)
	if err != nil {
		return nil, err
	}
	groups, err := b.bindGroupBy(q, l, list)
	if err != nil {
		return nil, err
	}
	var having expr.Expr
	if q.Having != nil {
		if having, err = b.boolExpr(&place{level: l, clause: "HAVING", aggs: true}, q.Having); err != nil {
			return nil, err
		}
	}
	keys, err := b.bindOrderBy(q.OrderBy, &place{level: l, clause: "ORDER BY", aggs: true, windows: true, sets: true}, list)
	if err != nil {
		return nil, err
	}
	on, err := b.bindDistinctOn(q.DistinctOn, &place{level: l, clause: "DISTINCT ON", aggs: true, windows: true, sets: true}, list)
	if err != nil {
		return nil, err
	}
	written := keys
	if keys, err = b.distinctOnOrder(on, keys); err != nil {
		return nil, err
	}
	if err := b.bindUnusedWindows(l); err != nil {
		return nil, err
	}
	if err := b.capture.sel(q, capturedSelect{level: l, exprs: list.exprs, names: list.names, where: where, groups: groups.exprs,
		having: having, keys: written, on: on}); err != nil {
		return nil, err
	}
	if len(q.GroupBy) > 0 || len(l.aggs.calls) > 0 || len(l.groupings) > 0 || having != nil {
		node = l.sets.over(node, func(s *setItem) bool {
			return slices.ContainsFunc(groups.exprs, func(e expr.Expr) bool { return holds(e, s.id) })
		})
		g := grouping{binder: b, level: l, groups: groups.exprs, sets: groups.sets}
		if node, err = g.aggregate(node, list, &having, keys, on); err != nil {
			return nil, err
		}
		if having != nil {
			node = &logical.Select{Input: node, Cond: having}
		}
	}
	node = l.windows.over(node)
	if l.lock != nil {
		if err := b.lockable(l, q, list, keys); err != nil {
			return nil, err
		}
	}
	if q.Distinct {
		return b.distinct(l, l.sets.over(node, allSets), list, keys, q.Outer())
	}
	return b.ordered(l, node, list, keys, on, q.Outer())
}

// ordered sorts, limits and projects.
func (b *binder) ordered(l *level, node logical.Node, list *selectList, keys []plan.SortKey, on []expr.Expr, o *tree.Clauses) (*result, error) {
	early := needsEarlyProject(list, keys)
	if early || len(on) > 0 || len(keys) > 0 && l.sets.holdQuery() || slices.ContainsFunc(keys, func(k plan.SortKey) bool { return l.sets.in(k.Expr) }) {
		node = l.sets.over(node, allSets)
	}
	if early {
		// A key with a volatile function is computed once, for the order and the output.
		n := len(list.exprs)
		wide := &selectList{exprs: slices.Clone(list.exprs), names: slices.Clone(list.names)}
		add := func(e expr.Expr) int {
			i := expr.IndexExpr(wide.exprs, e)
			if i < 0 {
				i = len(wide.exprs)
				wide.exprs, wide.names = append(wide.exprs, e), append(wide.names, "")
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
		r := b.projection(l, node, wide)
		below := func(i int) expr.Expr {
			return &expr.Col{Index: r.cols[i].id, T: r.cols[i].t, Name: expr.ToText(wide.exprs[i])}
		}
		for i, at := range keyAt {
			keys[i].Expr = below(at)
		}
		for i, at := range onAt {
			on[i] = below(at)
		}
		node, list = r.node, &selectList{exprs: r.refs()[:n], names: list.names}
	}
	switch {
	case len(on) > 0:
		node = &logical.DistinctOn{Input: node, Exprs: on, Keys: keys}
	case len(keys) > 0:
		node = &logical.Sort{Input: node, Keys: keys}
	}
	node, err := b.addLimit(l, l.sets.over(node, allSets), o, keys)
	if err != nil {
		return nil, err
	}
	if l.lock != nil {
		if node, err = b.locked(l.lock, node); err != nil {
			return nil, err
		}
	}
	return b.projection(l, node, list), nil
}

// needsEarlyProject says that the list is to be computed before the rows are sorted: a key
// with a volatile function is one value for the order and the output, and a query in the
// list becomes a join, which keeps no order.
func needsEarlyProject(list *selectList, keys []plan.SortKey) bool {
	if len(keys) == 0 {
		return false
	}
	for _, k := range keys {
		if logical.VolatileExpr(k.Expr) && expr.ContainsExpr(list.exprs, k.Expr) {
			return true
		}
	}
	return slices.ContainsFunc(list.exprs, holdsQuery)
}

// holdsQuery says that a query is in e.
func holdsQuery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if _, ok := x.(*logical.Subquery); ok {
			found = true
		}
		return !found
	})
	return found
}

// distinct projects, makes rows unique, sorts and limits.
func (b *binder) distinct(l *level, node logical.Node, list *selectList, keys []plan.SortKey, o *tree.Clauses) (*result, error) {
	at := make([]int, len(keys))
	for i, e := range list.exprs {
		if err := hashable(e, list.pos[i]); err != nil {
			return nil, err
		}
	}
	for i := range keys {
		if at[i] = expr.IndexExpr(list.exprs, keys[i].Expr); at[i] < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"for SELECT DISTINCT, ORDER BY expressions must appear in select list").At(keys[i].Expr.Pos())
		}
	}
	r := b.projection(l, node, list)
	for i := range keys {
		keys[i].Expr = r.cols[at[i]].ref(0)
	}
	r.node = distinctRows(r.node, r.refs())
	if len(keys) > 0 {
		r.node = &logical.Sort{Input: r.node, Keys: keys}
	}
	var err error
	r.node, err = b.addLimit(l, r.node, o, keys)
	return r, err
}

// distinctRows drops rows equal to others; refs are the node's columns.
func distinctRows(node logical.Node, refs []expr.Expr) logical.Node {
	if len(refs) == 0 {
		// Rows without columns are all equal.
		return &logical.Limit{Input: node, Count: bigint(1)}
	}
	return &logical.GroupBy{Input: node, Groups: refs, GroupCols: node.Out()}
}

func bigint(v int64) expr.Expr {
	return &expr.Const{Value: types.NewInt(v), T: types.Of(types.Int8)}
}
