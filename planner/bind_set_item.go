package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// setReturningItem finds the item of a SELECT without FROM that is a call of a
// set-returning function: SELECT generate_series(1, 3). -1 where there is none, or
// anything beside plain items.
func setReturningItem(q *tree.Select) int {
	if len(q.From) > 0 || q.Where != nil || q.GroupBy != nil || q.Having != nil || q.DistinctOn != nil {
		return -1
	}
	for i := range q.Items {
		if c, ok := setReturning(q.Items[i].Expr); ok && c.Over == nil {
			return i
		}
	}
	return -1
}

// bindSetReturningItem makes the function's rows the query's, and gives the other
// items beside each of them.
func (b *binder) bindSetReturningItem(q *tree.Select, at int, w *want) (plan.Node, error) {
	call := q.Items[at].Expr.(*tree.Func)
	fn, err := b.bindSetReturning(&place{clause: "SELECT"}, call)
	if err != nil {
		return nil, err
	}
	if len(fn.Cols) > 1 {
		return nil, sqlerr.Unsupported("a row as one value is not supported", "Call "+call.Name+" in FROM.").At(b.pos(q.Items[at]))
	}
	before, err := b.bindItems(&place{clause: "SELECT"}, q.Items[:at], w)
	if err != nil {
		return nil, err
	}
	after, err := b.bindItems(&place{clause: "SELECT"}, q.Items[at+1:], w)
	if err != nil {
		return nil, err
	}
	list := &selectList{exprs: before.exprs, names: before.names, pos: before.pos}
	list.add(&expr.Col{T: fn.Cols[0].Type, Name: call.Name}, q.Items[at].Name, b.pos(q.Items[at]))
	for i, e := range after.exprs {
		list.add(e, after.names[i], after.pos[i])
	}
	keys, err := b.bindOrderBy(q.Outer().OrderBy, &place{clause: "ORDER BY"}, list)
	if err != nil {
		return nil, err
	}
	if q.Distinct {
		return b.distinct(fn, list, keys, q.Outer())
	}
	return b.ordered(fn, list, keys, nil, q.Outer())
}
