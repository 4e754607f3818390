package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindAgg binds an aggregate call and gives the column that stands for it. The call
// belongs to the innermost query of which it names a column.
func (b *Binder) bindAgg(p *scope.Place, c *tree.Func) expr.Expr {
	pos := b.Pos(c)
	if p.Level == nil || p.Level.Parent == nil && !p.Aggs {
		panic(p.NoAggregates(pos))
	}
	var call plan.AggCall
	level := p.Level.NamedBy(func() {
		call = b.aggCall(&scope.Place{Level: p.Level, Clause: scope.NestedAgg}, c)

	})
	at := p
	if level != p.Level {
		at = &level.At
	}
	if !at.Aggs {
		panic(at.NoAggregates(pos))
	}
	if nested := nestedIn(level, &call); nested != nil {
		panic(sqlerr.New(sqlerr.GroupingError, "%s", scope.NestedAgg).At(nested.Pos()))
	}
	if level.Recursive {
		panic(sqlerr.New(sqlerr.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term").At(pos))
	}
	p.Level.NoteNamed(level)
	return level.Aggs.Add(b.Meta, call, pos)
}

// nestedIn gives an argument that holds an aggregate of the call's own level: one that a query
// between them has named.
func nestedIn(level *scope.Level, call *plan.AggCall) expr.Expr {
	for _, e := range call.Args {
		if level.Aggs.In(e) {
			return e
		}
	}
	for _, k := range call.OrderBy {
		if level.Aggs.In(k.Expr) {
			return k.Expr
		}
	}
	if call.Filter != nil && level.Aggs.In(call.Filter) {
		return call.Filter
	}
	return nil
}

// aggCall binds a call; inner is the place of its arguments.
func (b *Binder) aggCall(inner *scope.Place, c *tree.Func) plan.AggCall {
	pos := b.Pos(c)
	var call plan.AggCall
	switch {
	case c.Within:
		return b.withinCall(inner, c)
	case len(c.Args) == 0 && !c.Star:
		panic(sqlerr.New(sqlerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", c.Name).At(pos))
	case c.Star && c.Name != "count":
		panic(sqlerr.New(sqlerr.UndefinedFunction, "function %s() does not exist", c.Name).
			WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(pos))
	}
	args := b.exprs(inner, c.Args)
	agg := fail.Must(expr.ResolveAgg(c.Name, args, c.Distinct, pos))
	call = plan.AggCall{Agg: agg, Args: agg.Args, Distinct: c.Distinct}
	call.Filter = b.aggFilter(inner, c)
	for _, item := range c.OrderBy {
		e := b.Expr(inner, item.Expr)
		e = fail.Must(expr.ResolveUnknown(e))
		if c.Distinct {
			if e = coerced(e, args, call.Args); e == nil {
				panic(sqlerr.New(sqlerr.InvalidColumnReference,
					"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list").At(b.Pos(item.Expr)))
			}
		}
		key := b.sortKey(&item, e)
		call.OrderBy = append(call.OrderBy, key)
	}
	if agg.Ordered = len(call.OrderBy) > 0; agg.Ordered && c.Distinct {
		call.OrderBy = orderByAll(call.OrderBy, call.Args)
	}
	call.Text = aggText(&call)
	return call
}

// coerced is the argument that e names, or nil: e itself, or what it was made into for the
// aggregate, as a varchar of string_agg is text. ORDER BY names what is written, and sorts
// what is aggregated.
func coerced(e expr.Expr, written, args []expr.Expr) expr.Expr {
	if expr.ContainsExpr(args, e) {
		return e
	}
	for i, w := range written {
		if i < len(args) && expr.Equal(w, e) {
			return args[i]
		}
	}
	return nil
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
			if expr.Equal(k.Expr, a) {
				continue next
			}
		}
		keys = append(keys, plan.SortKey{Expr: a})
	}
	return keys
}

func (b *Binder) aggFilter(p *scope.Place, c *tree.Func) expr.Expr {
	if c.Filter == nil {
		return nil
	}
	filter := b.Expr(p, c.Filter)
	return fail.Must(expr.ResolveBool(filter, "FILTER"))
}

// withinCall binds an ordered-set aggregate: its values come sorted by what
// WITHIN GROUP names, which is its last argument.
func (b *Binder) withinCall(inner *scope.Place, c *tree.Func) plan.AggCall {
	pos := b.Pos(c)
	var call plan.AggCall
	if c.Distinct {
		panic(sqlerr.New(sqlerr.SyntaxError, "cannot use DISTINCT with WITHIN GROUP").At(pos))
	}
	// Whose aggregate it is, its direct arguments do not say.
	named := inner.Level.Deepest
	direct := b.exprs(inner, c.Args)
	named, inner.Level.Deepest = inner.Level.Deepest, named
	var sorted []expr.Expr
	for _, item := range c.OrderBy {
		e := b.Expr(inner, item.Expr)
		e = fail.Must(expr.ResolveUnknown(e))
		sorted = append(sorted, e)
	}
	agg := b.resolveWithin(c, direct, sorted)
	call = plan.AggCall{Agg: agg, Args: agg.Args, Direct: len(direct)}
	call.Filter = b.aggFilter(inner, c)
	if of := inner.Level.Deepest; of != scope.NoLevel && named > of {
		panic(sqlerr.New(sqlerr.GroupingError, "outer-level aggregate cannot contain a lower-level variable in its direct arguments").At(pos))
	}
	for i := range c.OrderBy {
		key := b.sortKey(&c.OrderBy[i], agg.Args[len(agg.Args)-len(c.OrderBy)+i])
		call.OrderBy = append(call.OrderBy, key)
	}
	call.Text = aggText(&call)
	return call
}

func (b *Binder) resolveWithin(c *tree.Func, direct, sorted []expr.Expr) *expr.Agg {
	if !expr.IsHypothetical(c.Name) {
		return fail.Must(expr.ResolveWithin(c.Name, direct, sorted, func(e expr.Expr) expr.Expr { return eval.Fold(nil, e) }, b.Pos(c)))
	}
	order := make([]expr.Direction, len(sorted))
	for i := range c.OrderBy {
		k := b.sortKey(&c.OrderBy[i], sorted[i])
		order[i] = expr.Direction{Desc: k.Desc, NullsFirst: k.NullsFirst}
	}
	return fail.Must(expr.ResolveHypothetical(c.Name, direct, sorted, order, b.Pos(c)))
}
