package bind

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
)

// noQuery is what the refusal of a query says to do instead.
const noQuery = "Write an expression without a query."

// bindSub binds a query that stands in an expression.
func (b *binder) bindSub(p *place, q tree.Query, pos int) (*result, error) {
	switch {
	case p.noQueries != "":
		return nil, sqlerr.Unsupported("cannot use subquery in "+strings.TrimSuffix(p.clause, "s"), p.noQueries).At(pos)
	case p.level == nil && !p.queries:
		return nil, sqlerr.Unsupported("cannot use subquery in "+strings.TrimSuffix(p.clause, "s"), noQuery).At(pos)
	case p.level == nil:
		p.level = newLevel(nil)
	}
	if err := b.expand.nest(pos); err != nil {
		return nil, err
	}
	defer b.expand.unnest()
	var r *result
	err := b.banning("within a subquery", func() (err error) {
		r, err = b.bindQuery(p, q, nil)
		return err
	})
	return r, err
}

// bindScalar binds (query) as the value of its one row.
func (b *binder) bindScalar(p *place, n *tree.Subquery) (expr.Expr, error) {
	pos := b.pos(n)
	r, err := b.bindSub(p, n.Query, pos)
	if err != nil {
		return nil, err
	}
	if len(r.cols) != 1 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery must return only one column").At(pos)
	}
	sub := &logical.Subquery{Kind: logical.Scalar, Query: r.node, T: r.cols[0].t, At: pos}
	b.capture.sub(sub, n.Query, nil, "", false)
	return sub, nil
}

func (b *binder) bindExists(p *place, n *tree.Exists) (expr.Expr, error) {
	r, err := b.bindSub(p, n.Query, b.pos(n))
	if err != nil {
		return nil, err
	}
	sub := &logical.Subquery{Kind: logical.Exists, Query: r.node, T: types.Of(types.Bool), At: b.pos(n)}
	b.capture.sub(sub, n.Query, nil, "", false)
	return sub, nil
}

// bindArrayQuery binds ARRAY(query).
func (b *binder) bindArrayQuery(p *place, n *tree.ArrayQuery) (expr.Expr, error) {
	pos := b.pos(n)
	r, err := b.bindSub(p, n.Query, pos)
	if err != nil {
		return nil, err
	}
	if len(r.cols) != 1 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery must return only one column").At(pos)
	}
	t := r.cols[0].t
	if t.Kind == types.Array {
		return nil, sqlerr.Unsupported("an array of the arrays of a query is not supported", "Select the elements, or aggregate with array_agg.").At(pos)
	}
	arr := &logical.Subquery{Kind: logical.Array, Query: r.node, T: types.ArrayOf(t.Base()), At: pos}
	b.capture.sub(arr, n.Query, nil, "", false)
	return arr, nil
}

// bindInQuery binds X [NOT] IN (query).
func (b *binder) bindInQuery(p *place, n *tree.In) (expr.Expr, error) {
	any, err := b.bindAnyQuery(p, n.X, "=", n.Query, false, b.pos(n))
	if err != nil || !n.Not {
		return any, err
	}
	return expr.MakeNot(any, b.pos(n))
}

// bindAnyQuery binds X op ANY (query) and X op ALL (query), which is that X op fails for none.
func (b *binder) bindAnyQuery(p *place, x tree.Expr, op string, sub *tree.Subquery, all bool, pos int) (expr.Expr, error) {
	fields, isRow := rowOf(x)
	if !isRow {
		fields = []tree.Expr{x}
	}
	left, err := b.exprs(p, fields)
	if err != nil {
		return nil, err
	}
	r, err := b.bindSub(p, sub.Query, b.pos(sub))
	if err != nil {
		return nil, err
	}
	switch {
	case len(r.cols) > len(left):
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns").At(pos)
	case len(r.cols) < len(left):
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns").At(pos)
	}
	cond, err := rowCondition(op, left, r.refs(), pos)
	if err != nil {
		return nil, err
	}
	if cond.Type().Kind != types.Bool {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s", cond.Type()).At(pos)
	}
	any := &logical.Subquery{Kind: logical.Any, Query: r.node, Cond: cond, T: types.Of(types.Bool), At: pos}
	b.capture.sub(any, sub.Query, left, op, all)
	if !all {
		return any, nil
	}
	if any.Cond, err = expr.MakeNot(cond, pos); err != nil {
		return nil, err
	}
	return expr.MakeNot(any, pos)
}

// rowFields binds the query of SET (a, b) = (query): the n values of its one row, NULL where
// it has none.
func (b *binder) rowFields(p *place, sub *tree.Subquery, n int) ([]expr.Expr, error) {
	pos := b.pos(sub)
	if p.rowQueries == nil {
		return nil, sqlerr.Unsupported("SET (…) = (SELECT …) is not supported here", "Assign each column by itself.").At(pos)
	}
	r, err := b.bindSub(p, sub.Query, pos)
	if err != nil {
		return nil, err
	}
	if len(r.cols) != n {
		return nil, sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(pos)
	}
	own := &logical.Project{Input: r.node, Exprs: r.refs(), Cols: make([]logical.ColumnID, n)}
	for i := range r.cols {
		own.Cols[i] = b.meta.Add(logical.Column{Name: r.cols[i].name, Type: r.cols[i].t})
	}
	*p.rowQueries = append(*p.rowQueries, own)
	return b.meta.Refs(own.Cols), nil
}

// rowCondition compares two lists.
func rowCondition(op string, l, r []expr.Expr, pos int) (expr.Expr, error) {
	if len(l) == 1 {
		return expr.ResolveOp(op, l[0], r[0], pos)
	}
	if op != "=" {
		return expr.MakeRowCmp(op, l, r, pos)
	}
	conds := make([]expr.Expr, len(l))
	for i := range l {
		var err error
		if conds[i], err = expr.ResolveOp(op, l[i], r[i], pos); err != nil {
			return nil, err
		}
	}
	return expr.MakeAnd(conds, pos)
}

// rowQuery binds (a, b) op (query): the comparison with the query's one row.
func (b *binder) rowQuery(p *place, op string, l []expr.Expr, sub *tree.Subquery, pos int) (expr.Expr, error) {
	r, err := b.bindSub(p, sub.Query, b.pos(sub))
	if err != nil {
		return nil, err
	}
	switch {
	case len(r.cols) > len(l):
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns").At(pos)
	case len(r.cols) < len(l):
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns").At(pos)
	}
	cond, err := expr.MakeRowCmp(op, l, r.refs(), pos)
	if err != nil {
		return nil, err
	}
	id := b.meta.Add(logical.Column{Name: "?column?", Type: cond.Type()})
	one := &logical.Project{Input: r.node, Exprs: []expr.Expr{cond}, Cols: []logical.ColumnID{id}}
	row := &logical.Subquery{Kind: logical.Scalar, Query: one, T: cond.Type(), At: pos}
	b.capture.sub(row, sub.Query, l, op, false)
	return row, nil
}
