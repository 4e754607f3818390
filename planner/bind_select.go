package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// selectList is the bound list of a SELECT or a RETURNING.
type selectList struct {
	exprs []expr.Expr
	names []string
	pos   []int
}

// bindSelect binds one SELECT. What it makes, from the bottom:
//
//	from -> Filter (WHERE) -> Aggregate -> Filter (HAVING) -> Sort -> DistinctOn -> Limit -> Project
//
// With DISTINCT the projection comes first:
//
//	… Filter (HAVING) -> Project -> Aggregate -> Sort -> Limit
func (b *binder) bindSelect(q *tree.Select, w *want) (plan.Node, error) {
	if len(q.Windows) > 0 {
		return nil, sqlerr.Unsupported("WINDOW is not supported", "Read the rows in order and compute the window in the client.").
			At(b.pos(q.Windows[0]))
	}
	if q.Distinct {
		w = nil // equal values are looked for among values of one type, so literals are text
	}
	if at := setReturningItem(q); at >= 0 {
		return b.bindSetReturningItem(q, at, w)
	}
	node, sc, err := b.bindFrom(q.From)
	if err != nil {
		return nil, err
	}
	if q.Where != nil {
		cond, err := b.boolExpr(&place{scope: sc, clause: "WHERE"}, q.Where)
		if err != nil {
			return nil, err
		}
		node = &plan.Filter{Input: node, Cond: cond}
	}
	calls := &aggs{}
	list, err := b.bindItems(&place{scope: sc, clause: "SELECT", aggs: calls}, q.Items, w)
	if err != nil {
		return nil, err
	}
	groups, err := b.bindGroupBy(q, sc, list)
	if err != nil {
		return nil, err
	}
	var having expr.Expr
	if q.Having != nil {
		if having, err = b.boolExpr(&place{scope: sc, clause: "HAVING", aggs: calls}, q.Having); err != nil {
			return nil, err
		}
	}
	keys, err := b.bindOrderBy(q.Outer().OrderBy, &place{scope: sc, clause: "ORDER BY", aggs: calls}, list)
	if err != nil {
		return nil, err
	}
	on, err := b.bindDistinctOn(q.DistinctOn, &place{scope: sc, clause: "DISTINCT ON", aggs: calls}, list)
	if err != nil {
		return nil, err
	}
	if keys, err = b.distinctOnOrder(on, keys); err != nil {
		return nil, err
	}
	if len(q.GroupBy) > 0 || len(calls.calls) > 0 || having != nil {
		g := grouping{binder: b, scope: sc, groups: groups, aggs: calls}
		if node, err = g.aggregate(node, list, &having, keys, on); err != nil {
			return nil, err
		}
		if having != nil {
			node = &plan.Filter{Input: node, Cond: having}
		}
	}
	if q.Distinct {
		return b.distinct(node, list, keys, q.Outer())
	}
	return b.ordered(node, list, keys, on, q.Outer())
}

// ordered sorts, limits and projects.
func (b *binder) ordered(node plan.Node, list *selectList, keys []plan.SortKey, on []expr.Expr, o *tree.Clauses) (plan.Node, error) {
	if needsEarlyProject(list, keys) {
		// A key with a volatile function is computed once, for the order and the output.
		n := len(list.exprs)
		wide := &selectList{exprs: append([]expr.Expr(nil), list.exprs...), names: append([]string(nil), list.names...)}
		add := func(e expr.Expr) expr.Expr {
			i := indexExpr(wide.exprs, e)
			if i < 0 {
				i = len(wide.exprs)
				wide.exprs, wide.names = append(wide.exprs, e), append(wide.names, "")
			}
			return &expr.Col{Index: i, T: e.Type(), Name: expr.ToText(e)}
		}
		for i := range keys {
			keys[i].Expr = add(keys[i].Expr)
		}
		for i := range on {
			on[i] = add(on[i])
		}
		node = wide.project(node)
		list = &selectList{exprs: columnRefs(node)[:n], names: list.names}
	}
	if len(keys) > 0 {
		node = &plan.Sort{Input: node, Keys: keys}
	}
	if len(on) > 0 {
		node = &plan.DistinctOn{Input: node, Exprs: on}
	}
	node, err := b.addLimit(node, o)
	if err != nil {
		return nil, err
	}
	return list.project(node), nil
}

func needsEarlyProject(list *selectList, keys []plan.SortKey) bool {
	for _, k := range keys {
		if expr.Volatile(k.Expr) && containsExpr(list.exprs, k.Expr) {
			return true
		}
	}
	return false
}

// distinct projects, makes rows unique, sorts and limits.
func (b *binder) distinct(node plan.Node, list *selectList, keys []plan.SortKey, o *tree.Clauses) (plan.Node, error) {
	for i, e := range list.exprs {
		if err := hashable(e, list.pos[i]); err != nil {
			return nil, err
		}
	}
	for i := range keys {
		at := indexExpr(list.exprs, keys[i].Expr)
		if at < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"for SELECT DISTINCT, ORDER BY expressions must appear in select list").At(keys[i].Expr.Pos())
		}
		keys[i].Expr = &expr.Col{Index: at, T: list.exprs[at].Type(), Name: list.names[at]}
	}
	node = distinctRows(list.project(node))
	if len(keys) > 0 {
		node = &plan.Sort{Input: node, Keys: keys}
	}
	return b.addLimit(node, o)
}

// distinctRows drops rows equal to others.
func distinctRows(node plan.Node) plan.Node {
	if len(node.Columns()) == 0 {
		// Rows without columns are all equal.
		return &plan.Limit{Input: node, Count: bigint(1)}
	}
	return &plan.Aggregate{Input: node, Groups: columnRefs(node), Cols: node.Columns()}
}

// columnRefs gives one reference to each column of a node.
func columnRefs(n plan.Node) []expr.Expr {
	cols := n.Columns()
	refs := make([]expr.Expr, len(cols))
	for i, c := range cols {
		refs[i] = &expr.Col{Index: i, T: c.Type, Name: c.Name}
	}
	return refs
}

// project computes the list over node. A plain column keeps the identity of the
// stored column it comes from.
func (l *selectList) project(node plan.Node) plan.Node {
	below := node.Columns()
	p := &plan.Project{Input: node, Exprs: l.exprs, Cols: make([]plan.Column, len(l.exprs))}
	for i, e := range l.exprs {
		p.Cols[i] = plan.Column{Name: l.names[i], Type: e.Type()}
		if c, ok := e.(*expr.Col); ok && c.Index < len(below) {
			p.Cols[i].Table, p.Cols[i].ColumnID = below[c.Index].Table, below[c.Index].ColumnID
		}
	}
	return p
}

// bindItems binds a select list, expanding the stars.
func (b *binder) bindItems(p *place, items []tree.Item, w *want) (*selectList, error) {
	list := &selectList{}
	for i := range items {
		item := &items[i]
		if item.Star {
			if err := b.expandStar(p, item, list); err != nil {
				return nil, err
			}
			continue
		}
		e, err := b.expr(p, item.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = w.column(len(list.exprs), e); err != nil {
			return nil, err
		}
		list.add(e, item.Name, b.pos(item))
	}
	if err := checkTargets(len(list.exprs)); err != nil {
		return nil, err
	}
	return list, nil
}

// maxTargets is Postgres's limit.
const maxTargets = 1664

// checkTargets bounds select lists, and the lists whose expressions Postgres adds to
// them: 54011.
func checkTargets(n int) error {
	if n > maxTargets {
		return sqlerr.New(sqlerr.TooManyColumns, "target lists can have at most %d entries", maxTargets)
	}
	return nil
}

func (l *selectList) add(e expr.Expr, name string, pos int) {
	l.exprs, l.names, l.pos = append(l.exprs, e), append(l.names, name), append(l.pos, pos)
}

func (b *binder) expandStar(p *place, item *tree.Item, list *selectList) error {
	pos := b.pos(item)
	sc := p.columns()
	if item.Table != "" {
		r := sc.relation(item.Schema, item.Table)
		if r == nil {
			return sc.missingRelation(item.Schema, item.Table, pos)
		}
		for i := range r.cols {
			list.add(r.ref(i, pos), r.cols[i].name, pos)
		}
		return nil
	}
	if len(sc.rels) == 0 {
		return sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid").At(pos)
	}
	for _, r := range sc.rels {
		if r.qualifiedOnly {
			continue
		}
		for i := range r.cols {
			list.add(r.ref(i, pos), r.cols[i].name, pos)
		}
	}
	return nil
}
