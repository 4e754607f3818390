package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/plan"
)

// BindOrderBy binds ORDER BY: each item is an output column's number or name, or
// an expression over the input. Keys that repeat an earlier one are dropped.
func (b *Binder) BindOrderBy(items []tree.OrderItem, p *scope.Place, list *SelectList) []plan.SortKey {
	var keys []plan.SortKey
	for i := range items {
		e := b.orderExpr(items[i].Expr, p, list)
		key := b.sortKey(&items[i], e)
		seen := false
		for _, k := range keys {
			seen = seen || expr.Equal(k.Expr, key.Expr)
		}
		if !seen {
			keys = append(keys, key)
		}
		checkTargets(len(keys))
	}
	return keys
}

// orderExpr binds one item of ORDER BY or DISTINCT ON.
func (b *Binder) orderExpr(n tree.Expr, p *scope.Place, list *SelectList) expr.Expr {
	e := b.ordinal(n, list, p.Clause)
	if e == nil {
		if name, ok := bareName(n); ok {
			e = list.byName(name, b.Pos(n), p.Clause)
		}
	}
	if e == nil {
		e = b.Expr(p, n)
	}
	e = fail.Must(expr.ResolveUnknown(e))
	b.orderable(e, b.Pos(n))
	return e
}

// orderable refuses types without an order.
func (b *Binder) orderable(e expr.Expr, pos int) {
	t := e.Type()
	kind := t.Kind
	if kind == types.Array {
		kind = t.Elem
	}
	switch kind {
	case types.JSON, types.JSONPath, types.Void:
		panic(sqlerr.New(sqlerr.UndefinedFunction, "could not identify an ordering operator for type %s", t).
			WithHint("Use an explicit ordering operator or modify the query.").At(pos))
	}
}

// sortKey gives an item of ORDER BY its direction.
func (b *Binder) sortKey(item *tree.OrderItem, e expr.Expr) plan.SortKey {
	k := plan.SortKey{Expr: e, Desc: item.Desc}
	switch item.Using {
	case "", "<":
	case ">":
		k.Desc = true
	default:
		panic(sqlerr.New(sqlerr.WrongObjectType, "operator %s is not a valid ordering operator", item.Using).
			WithHint(`Ordering operators must be "<" or ">" members of btree operator families.`).At(b.Pos(item.Expr)))
	}
	k.NullsFirst = k.Desc
	if item.Nulls != tree.NullsDefault {
		k.NullsFirst = item.Nulls == tree.NullsFirst
	}
	return k
}

// bindDistinctOn binds DISTINCT ON, and tells where each of its expressions stands.
func (b *Binder) bindDistinctOn(items []tree.Expr, p *scope.Place, list *SelectList) (on []expr.Expr, at []int) {
	for _, n := range items {
		e := b.orderExpr(n, p, list)
		if !expr.ContainsExpr(on, e) {
			on, at = append(on, e), append(at, b.Pos(n))
		}
		checkTargets(len(on))
	}
	return on, at
}

// distinctOnOrder makes the sort that DISTINCT ON needs: the keys of ORDER BY
// must begin with its expressions, in any order; those not named there follow.
func distinctOnOrder(on []expr.Expr, at []int, keys []plan.SortKey) []plan.SortKey {
	seen := 0
	var rest []plan.SortKey
	for i, k := range keys {
		if n := slices.IndexFunc(on, func(e expr.Expr) bool { return expr.Equal(e, k.Expr) }); n >= 0 {
			if i != seen {
				panic(distinctOnMismatch(at[n]))
			}
			seen++
		}
	}
	if seen == len(on) {
		return keys
	}
	for n, e := range on {
		switch {
		case slices.ContainsFunc(keys[:seen], func(k plan.SortKey) bool { return expr.Equal(k.Expr, e) }):
		case seen < len(keys):
			panic(distinctOnMismatch(at[n]))
		default:
			rest = append(rest, plan.SortKey{Expr: e})
		}
	}
	return append(keys, rest...)
}

func distinctOnMismatch(pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidColumnReference,
		"SELECT DISTINCT ON expressions must match initial ORDER BY expressions").At(pos)
}
