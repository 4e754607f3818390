package query

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// bindFunc binds a call of a function or an aggregate.
func (b *Binder) bindFunc(p *scope.Place, c *tree.Func) expr.Expr {
	pos := b.Pos(c)
	if _, ok := isPart(c); ok {
		panic(loosePart(pos))
	}
	name, ok := expr.FuncName(c.Schema, c.Name)
	if !ok {
		b.noFunction(p, c)
		return nil
	}
	if c.ArgNames != nil && (c.Over != nil || expr.IsAgg(c.Name)) {
		panic(sqlerr.Unsupported("named arguments of "+c.Name+" are not supported", "Give the arguments by position.").At(pos))
	}
	if c.Variadic && (c.Over != nil || expr.IsAgg(c.Name) || isSetReturning(name) || c.ArgNames != nil) {
		panic(sqlerr.Unsupported("VARIADIC arguments of "+c.Name+" are not supported", "Give the arguments one by one.").At(pos))
	}
	if c.Over != nil {
		return b.bindOver(p, c)
	}
	if c.Within && !expr.IsAgg(c.Name) && expr.IsWindow(c.Name) && !expr.IsHypothetical(c.Name) {
		if b.ofPhoenix() {
			return b.phoenixWithin(p, c)
		}
		panic(sqlerr.Unsupported(c.Name+" WITHIN GROUP is not supported",
			"Write (array_agg(x ORDER BY y))[n], with DESC for the last; or SET search_path = phoenix, public.").At(pos))
	}
	if c.Within && b.ofPhoenix() && (c.Name == "first_values" || c.Name == "last_values") {
		return b.phoenixWithin(p, c)
	}
	if c.Name == "percent_rank" && c.Within && b.ofPhoenix() && c.Schema == "" && len(c.Args) == 1 && len(c.OrderBy) == 1 {
		return b.phoenixPercentRank(p, c)
	}
	if c.Name == "approx_count_distinct" && b.ofPhoenix() && !c.Star && !c.Within {
		count := *c
		count.Name, count.Distinct = "count", true
		return b.bindAgg(p, &count)
	}
	if expr.IsAgg(c.Name) && !(expr.IsWindow(c.Name) && !c.Within) || c.Within {
		return b.bindAgg(p, c)
	}
	plainCall(c, pos)
	if isSetReturning(name) {
		return b.bindSetItem(p, c)
	}
	args := b.callArgs(p, c, name)
	if c.Variadic {
		return fail.Must(expr.ResolveVariadic(name, args, pos))
	}
	if c.Schema == "" && b.ofPhoenix() {
		// Who puts Phoenix's functions on the path means them, where they take the arguments.
		if e := phoenixCall(c.Name, args, pos); e != nil {
			return e
		}
	}
	written := name
	if c.Schema == "pg_catalog" || c.Spelling != "" {
		written = "pg_catalog." + name // what has a syntax of its own means that schema's
	}
	e, err := expr.ResolveFunc(written, args, pos)
	if call, ok := e.(*expr.Call); ok && err == nil {
		call.Syntax = c.Spelling
	}
	if err != nil && c.ArgNames != nil && sqlerr.CodeOf(err) == sqlerr.UndefinedFunction {
		panic(noNamedFunction(c, b.exprs(p, c.Args), pos))
	}
	fail.If(err)
	return e
}

// noFunction says that the schema of a call, or the schema's function, does not exist.
func (b *Binder) noFunction(p *scope.Place, c *tree.Func) {
	if b.Ctx.Catalog != nil && c.Schema != expr.PhoenixSchema {
		// Who looks for a type there tells that there is no such schema.
		_, err := b.Ctx.Catalog.UserType(catalog.Name{Schema: c.Schema, Name: c.Name}, false)
		if e := sqlerr.As(err); e != nil && e.Code == sqlerr.InvalidSchemaName {
			panic(e.At(b.Pos(c)))
		}
	}
	args := b.exprs(p, c.Args)
	fail.If(expr.NoFunction(c.Schema+"."+c.Name, args, b.Pos(c)))
}

// plainCall refuses what only aggregates take.
func plainCall(c *tree.Func, pos int) {
	what := ""
	switch {
	case c.Star:
		panic(sqlerr.New(sqlerr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", c.Name, c.Name).At(pos))
	case c.Distinct:
		what = "DISTINCT"
	case c.Within:
		what = "WITHIN GROUP"
	case len(c.OrderBy) > 0:
		what = "ORDER BY"
	case c.Filter != nil:
		what = "FILTER"
	default:
		return
	}
	panic(sqlerr.New(sqlerr.WrongObjectType, "%s specified, but %s is not an aggregate function", what, c.Name).At(pos))
}
