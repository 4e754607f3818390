package bind

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// IndexExpr is a bound expression of an index as it is to be kept.
type IndexExpr struct {
	Expr    expr.Stored
	Type    types.T
	Columns []int // IDs of those it names
	Call    bool  // it looks like a function's call

	bound expr.Expr // Expr over positions in Table.Columns
}

// Indexed binds what an index is sorted by. It must be immutable (42P17): entries are found
// again by what it gives.
func Indexed(ctx *query.Context, e *tree.SourceExpr, t *catalog.Table) (_ IndexExpr, err error) {
	defer fail.Caught(&err)
	return newWriter(ctx, e.NumParams).keepIndexed(e, t, "index expression", expr.ResolveUnknown), nil
}

// IndexPredicate binds the condition of the rows that an index has, immutable too.
func IndexPredicate(ctx *query.Context, e *tree.SourceExpr, t *catalog.Table) (_ IndexExpr, err error) {
	defer fail.Caught(&err)
	return newWriter(ctx, e.NumParams).keepIndexed(e, t, "index predicate", asWhere), nil
}

func asWhere(x expr.Expr) (expr.Expr, error) { return expr.ResolveBool(x, "WHERE") }

func (b writer) keepIndexed(e *tree.SourceExpr, t *catalog.Table, what string, resolve func(expr.Expr) (expr.Expr, error)) (out IndexExpr) {
	r := &scope.Relation{Name: t.Name, Table: t}
	for i := range t.Columns {
		r.Cols = append(r.Cols, scope.Column{Name: t.Columns[i].Name, T: t.Columns[i].Type, ID: i})
	}
	p := rowPlace(what+"s", r)
	p.NoQueries = query.NoQuery
	x := b.Expr(p, e.Node)
	if e.NumParams > 0 {
		panic(noParameter(e))
	}
	x = fail.Must(resolve(x))
	x = fail.Must(eval.Settle(b.Ctx.Env, x))
	if expr.Volatile(x) || expr.Stable(x) {
		panic(sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in %s must be marked IMMUTABLE", what))
	}
	for _, id := range expr.Relations(x) {
		if r := b.Ctx.Catalog.ByID(id); r != nil {
			panic(sqlerr.Unsupported(fmt.Sprintf("%q in an %s is not supported", r.RelName(), what), "It may name columns only.").At(e.Pos))
		}
	}
	for _, i := range expr.Cols(x) {
		out.Columns = append(out.Columns, t.Columns[i].ID)
	}
	switch c := x.(type) {
	case *expr.Call:
		out.Call = c.Fn.Name != "" && (c.Fn.Name[0] == '_' || 'a' <= c.Fn.Name[0]|0x20 && c.Fn.Name[0]|0x20 <= 'z')
	case *expr.Coalesce:
		out.Call = true
	}
	out.Type, out.bound = x.Type(), x
	out.Expr = fail.Must(expr.Store(x, func(i int) int { return t.Columns[i].ID }))
	return out
}
