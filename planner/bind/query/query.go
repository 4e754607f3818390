package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// result is a bound query: its rows and the names of its columns.
type result struct {
	Node logical.Node
	Cols []scope.Column
}

// Statement makes a query a statement.
func (r *result) Statement(tag string) *logical.Statement {
	s := &logical.Statement{Root: r.Node, Tag: tag, ReadOnly: true}
	s.Out, s.Names = r.Node.Out(), make([]string, len(r.Cols))
	for i := range r.Cols {
		s.Names[i] = r.Cols[i].Name
	}
	return s
}

// relation gives a query's columns under a name.
func (r *result) relation(name string) *scope.Relation {
	return &scope.Relation{Name: name, Cols: r.Cols}
}

// Refs gives one reference to each column.
func (r *result) Refs() []expr.Expr {
	refs := make([]expr.Expr, len(r.Cols))
	for i := range r.Cols {
		refs[i] = r.Cols[i].Ref(0)
	}
	return refs
}

// Want is what the statement around a query does with its columns of unknown
// type (bare literals and parameters).
type Want struct {
	// Convert turns output column i into what the target wants, as INSERT … SELECT does; nil makes unknown
	// columns text.
	Convert func(i int, e expr.Expr) expr.Expr
	// keepUnknown leaves those of a SELECT: the branches of a set operation are unified later.
	keepUnknown bool
}

// column settles output column i of a query.
func (w *Want) column(i int, e expr.Expr) expr.Expr {
	switch {
	case w != nil && w.keepUnknown:
		return e
	case w != nil && w.Convert != nil && e.Type().Kind == types.Unknown:
		return w.Convert(i, e)
	}
	return fail.Must(expr.ResolveUnknown(e))
}

// BindQuery binds a query that stands at p, which is nil for a statement's own. w may be nil.
func (b *Binder) BindQuery(p *scope.Place, q tree.Query, w *Want) *result {
	o := q.Outer()
	if o.WithTies && len(o.OrderBy) == 0 {
		panic(sqlerr.New(sqlerr.SyntaxError, "WITH TIES cannot be specified without ORDER BY clause").At(0))
	}
	b.nested++
	defer func(ctes []*cte) { b.ctes, b.nested = ctes, b.nested-1 }(b.ctes)
	known := len(b.ctes)
	b.BindWith(p, o.With)
	r := b.bindBody(p, q, w)
	b.expand.grow(1+len(r.Cols), 0)
	r.Node = b.Withs(known, r.Node)
	return r
}

// bindBody binds a query without its WITH clause.
func (b *Binder) bindBody(p *scope.Place, q tree.Query, w *Want) *result {
	switch q := q.(type) {
	case *tree.Select:
		return b.bindSelect(p, q, w)
	case *tree.Values:
		b.noLocks(&q.Clauses, "cannot be applied to VALUES")
		return b.bindValues(p, q, w)
	case *tree.SetOp:
		b.noLocks(&q.Clauses, "is not allowed with UNION/INTERSECT/EXCEPT")
		return b.bindSetOp(p, q, w)
	}
	panic(sqlerr.Unsupported("this query is not supported", "Write a SELECT or VALUES."))
}

// AddLimit puts LIMIT and OFFSET on top of a node, which comes in the order given.
func (b *Binder) AddLimit(l *scope.Level, n logical.Node, o *tree.Clauses, order []plan.SortKey) logical.Node {
	count := b.limitExpr(l, o.Limit, "LIMIT")
	offset := b.limitExpr(l, o.Offset, "OFFSET")
	if count == nil && offset == nil {
		return n
	}
	limit := &logical.Limit{Input: n, Count: count, Offset: offset}
	if o.WithTies {
		if count == nil {
			panic(sqlerr.New(sqlerr.InvalidRowCountInLimit, "row count cannot be null in FETCH FIRST ... WITH TIES clause"))
		}
		limit.Ties = order
	}
	return limit
}

// limitExpr binds the argument of LIMIT or OFFSET as a bigint; nil for none and for NULL.
func (b *Binder) limitExpr(l *scope.Level, n tree.Expr, clause string) expr.Expr {
	if n == nil {
		return nil
	}
	if clause == "OFFSET" && isRowOffset(n) {
		panic(noRowOffset("of UNION, VALUES and WITH", b.Pos(n)))
	}
	saved := l.Deepest
	l.Deepest = scope.NoLevel
	e := b.Expr(&scope.Place{Level: l, Clause: clause}, n)
	if l.Deepest == l.Depth {
		panic(sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", clause).At(firstColumn(e)))
	}
	l.Deepest = max(saved, l.Deepest)
	if c, ok := e.(*expr.Const); ok && c.Value.Null {
		return nil
	}
	from := e.Type()
	e, err := expr.ResolveCast(e, types.Of(types.Int8), expr.Assignment, b.Pos(n))
	if sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
		panic(sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s", clause, from).At(b.Pos(n)))
	}
	if b.Capture != nil {
		b.Capture.Limits[n] = e
	}
	fail.If(err)
	return e
}

// firstColumn is where the first column of e stands.
func firstColumn(e expr.Expr) int {
	pos := 0
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok && pos == 0 {
			pos = c.At
		}
		return pos == 0
	})
	return pos
}
