package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// aggs collects the aggregate calls of one query level. In the bound
// expressions a call stands as a column at aggBase plus its number, until the
// Aggregate's own columns are known.
type aggs struct {
	calls []plan.AggCall
	pos   []int
}

const aggBase = 1 << 24

// bindFunc binds a call of a function or an aggregate.
func (b *binder) bindFunc(p *place, c *tree.Func) (expr.Expr, error) {
	pos := b.pos(c)
	if c.Schema != "" && c.Schema != "pg_catalog" {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "function %s.%s does not exist", c.Schema, c.Name).At(pos)
	}
	if c.Over != nil {
		return nil, sqlerr.Unsupported("window functions are not supported", "Read the rows in order and compute the window in the client.").At(pos)
	}
	if c.ArgNames != nil {
		return nil, sqlerr.Unsupported("named arguments are not supported", "Give the arguments by position.").At(pos)
	}
	if c.Variadic {
		return nil, sqlerr.Unsupported("VARIADIC arguments are not supported", "Give the arguments one by one.").At(pos)
	}
	if expr.IsAgg(c.Name) || c.Within {
		return b.bindAgg(p, c)
	}
	if err := plainCall(c, pos); err != nil {
		return nil, err
	}
	if isSetReturning(c.Name) {
		return nil, sqlerr.Unsupported("set-returning functions are not supported in expressions", "Call "+c.Name+" in FROM.").At(pos)
	}
	args, err := b.exprs(p, c.Args)
	if err != nil {
		return nil, err
	}
	return expr.ResolveFunc(c.Name, args, pos)
}

// plainCall refuses what only aggregates take.
func plainCall(c *tree.Func, pos int) error {
	what := ""
	switch {
	case c.Star:
		return sqlerr.New(sqlerr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", c.Name, c.Name).At(pos)
	case c.Distinct:
		what = "DISTINCT"
	case c.Within:
		what = "WITHIN GROUP"
	case len(c.OrderBy) > 0:
		what = "ORDER BY"
	case c.Filter != nil:
		what = "FILTER"
	default:
		return nil
	}
	return sqlerr.New(sqlerr.WrongObjectType, "%s specified, but %s is not an aggregate function", what, c.Name).At(pos)
}

// bindAgg binds an aggregate call and gives the column that stands for it.
func (b *binder) bindAgg(p *place, c *tree.Func) (expr.Expr, error) {
	pos := b.pos(c)
	switch {
	case p.aggs == nil && p.clause == nestedAgg:
		return nil, sqlerr.New(sqlerr.GroupingError, "%s", nestedAgg).At(pos)
	case p.aggs == nil:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", p.clause).At(pos)
	case c.Within:
		return b.bindWithin(p, c)
	case len(c.Args) == 0 && !c.Star:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", c.Name).At(pos)
	case c.Star && c.Name != "count":
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "function %s() does not exist", c.Name).
			WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(pos)
	}
	inner := &place{scope: p.scope, clause: nestedAgg}
	args, err := b.exprs(inner, c.Args)
	if err != nil {
		return nil, err
	}
	agg, err := expr.ResolveAgg(c.Name, args, c.Distinct, pos)
	if err != nil {
		return nil, err
	}
	call := plan.AggCall{Agg: agg, Args: agg.Args, Distinct: c.Distinct}
	if call.Filter, err = b.aggFilter(inner, c); err != nil {
		return nil, err
	}
	for _, item := range c.OrderBy {
		e, err := b.expr(inner, item.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = expr.ResolveUnknown(e); err != nil {
			return nil, err
		}
		key, err := b.sortKey(&item, e)
		if err != nil {
			return nil, err
		}
		if c.Distinct && !containsExpr(call.Args, e) {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list").At(b.pos(item.Expr))
		}
		call.OrderBy = append(call.OrderBy, key)
	}
	if agg.Ordered = len(call.OrderBy) > 0; agg.Ordered && c.Distinct {
		call.OrderBy = orderByAll(call.OrderBy, call.Args)
	}
	call.Text = aggText(&call)
	return p.aggs.add(call, pos), nil
}

// orderByAll adds the arguments of an aggregate with DISTINCT that ORDER BY does
// not name, which decide among rows that it calls equal.
func orderByAll(keys []plan.SortKey, args []expr.Expr) []plan.SortKey {
next:
	for _, a := range args {
		if _, constant := a.(*expr.Const); constant || expr.CheckOrderable(a.Type(), 0) != nil {
			continue
		}
		for _, k := range keys {
			if equalExpr(k.Expr, a) {
				continue next
			}
		}
		keys = append(keys, plan.SortKey{Expr: a})
	}
	return keys
}

func (b *binder) aggFilter(p *place, c *tree.Func) (expr.Expr, error) {
	if c.Filter == nil {
		return nil, nil
	}
	filter, err := b.expr(p, c.Filter)
	if err != nil {
		return nil, err
	}
	return expr.ResolveBool(filter, "FILTER")
}

// bindWithin binds an ordered-set aggregate: its values come sorted by what
// WITHIN GROUP names, which is its last argument.
func (b *binder) bindWithin(p *place, c *tree.Func) (expr.Expr, error) {
	pos := b.pos(c)
	if c.Distinct {
		return nil, sqlerr.New(sqlerr.SyntaxError, "cannot use DISTINCT with WITHIN GROUP").At(pos)
	}
	inner := &place{scope: p.scope, clause: nestedAgg}
	direct, err := b.exprs(inner, c.Args)
	if err != nil {
		return nil, err
	}
	var sorted []expr.Expr
	for _, item := range c.OrderBy {
		e, err := b.expr(inner, item.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = expr.ResolveUnknown(e); err != nil {
			return nil, err
		}
		sorted = append(sorted, e)
	}
	agg, err := expr.ResolveWithin(c.Name, direct, sorted, pos)
	if err != nil {
		return nil, err
	}
	call := plan.AggCall{Agg: agg, Args: agg.Args}
	if call.Filter, err = b.aggFilter(inner, c); err != nil {
		return nil, err
	}
	key, err := b.sortKey(&c.OrderBy[0], agg.Args[len(agg.Args)-1])
	if err != nil {
		return nil, err
	}
	call.OrderBy = []plan.SortKey{key}
	call.Text = aggText(&call)
	return p.aggs.add(call, pos), nil
}

const nestedAgg = "aggregate function calls cannot be nested"

// add gives the column for a call; equal calls are computed once.
func (a *aggs) add(call plan.AggCall, pos int) expr.Expr {
	i := 0
	for i < len(a.calls) && !equalAgg(&a.calls[i], &call) {
		i++
	}
	if i == len(a.calls) {
		a.calls = append(a.calls, call)
		a.pos = append(a.pos, pos)
	}
	return &expr.Col{Index: aggBase + i, T: call.Agg.T, Name: call.Text, At: pos}
}

func equalAgg(a, b *plan.AggCall) bool {
	if a.Agg.Name != b.Agg.Name || a.Agg.T != b.Agg.T || a.Distinct != b.Distinct || !equalLists(a.Args, b.Args) ||
		!equalOrNil(a.Filter, b.Filter) || len(a.OrderBy) != len(b.OrderBy) {
		return false
	}
	for i := range a.OrderBy {
		x, y := a.OrderBy[i], b.OrderBy[i]
		if x.Desc != y.Desc || x.NullsFirst != y.NullsFirst || !equalExpr(x.Expr, y.Expr) {
			return false
		}
	}
	for _, e := range a.Args {
		if expr.Volatile(e) {
			return false
		}
	}
	return a.Filter == nil || !expr.Volatile(a.Filter)
}
