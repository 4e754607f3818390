package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// want is what the statement around a query does with its columns of unknown
// type (bare literals and parameters).
type want struct {
	// convert turns output column i into what the target wants, as INSERT … SELECT does; nil makes unknown
	// columns text.
	convert func(i int, e expr.Expr) (expr.Expr, error)
	// keepUnknown leaves those of a SELECT: the branches of a set operation are unified later.
	keepUnknown bool
}

// column settles output column i of a query.
func (w *want) column(i int, e expr.Expr) (expr.Expr, error) {
	switch {
	case w != nil && w.keepUnknown:
		return e, nil
	case w != nil && w.convert != nil && e.Type().Kind == types.Unknown:
		return w.convert(i, e)
	}
	return expr.ResolveUnknown(e)
}

// bindQuery binds a query; the node's columns are the query's. w may be nil.
func (b *binder) bindQuery(q tree.Query, w *want) (plan.Node, error) {
	o := q.Outer()
	if len(o.Locks) > 0 {
		return nil, sqlerr.Unsupported("FOR UPDATE and FOR SHARE are not supported",
			"UPDATE … RETURNING reads and changes a row in one atomic step.").At(b.pos(o.Locks[0]))
	}
	if o.WithTies {
		return nil, sqlerr.Unsupported("WITH TIES is not supported", "Write LIMIT, or compare with the last value wanted.").At(b.pos(o.Limit))
	}
	defer func(ctes []*cte) { b.ctes = ctes }(b.ctes)
	known := len(b.ctes)
	if err := b.bindWith(o.With); err != nil {
		return nil, err
	}
	node, err := b.bindBody(q, w)
	if err != nil {
		return nil, err
	}
	if err := b.expand.grow(1+len(node.Columns()), 0); err != nil {
		return nil, err
	}
	return node, b.bindUnused(known)
}

// bindBody binds a query without its WITH clause.
func (b *binder) bindBody(q tree.Query, w *want) (plan.Node, error) {
	switch q := q.(type) {
	case *tree.Select:
		return b.bindSelect(q, w)
	case *tree.Values:
		return b.bindValues(q, w)
	case *tree.SetOp:
		return b.bindSetOp(q, w)
	}
	return nil, sqlerr.Unsupported("this query is not supported", "Write a SELECT or VALUES.")
}

// addLimit puts LIMIT and OFFSET on top of a node.
func (b *binder) addLimit(n plan.Node, o *tree.Clauses) (plan.Node, error) {
	count, err := b.limitExpr(o.Limit, "LIMIT")
	if err != nil {
		return nil, err
	}
	offset, err := b.limitExpr(o.Offset, "OFFSET")
	if err != nil {
		return nil, err
	}
	if count == nil && offset == nil {
		return n, nil
	}
	return &plan.Limit{Input: n, Count: count, Offset: offset}, nil
}

// limitExpr binds the argument of LIMIT or OFFSET as a bigint; nil for none and for NULL.
func (b *binder) limitExpr(n tree.Expr, clause string) (expr.Expr, error) {
	if n == nil {
		return nil, nil
	}
	e, err := b.expr(&place{scope: anyColumn, clause: clause}, n)
	if err != nil {
		if sqlerr.CodeOf(err) == sqlerr.UndefinedColumn {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", clause).At(sqlerr.As(err).Position)
		}
		return nil, err
	}
	if c, ok := e.(*expr.Const); ok && c.Value.Null {
		return nil, nil
	}
	from := e.Type()
	e, err = expr.ResolveCast(e, types.Of(types.Int8), expr.Assignment, b.pos(n))
	if err != nil && sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s", clause, from).At(b.pos(n))
	}
	return e, err
}

// anyColumn is a scope without columns.
var anyColumn = &scope{}
