package query

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// NoQuery is what the refusal of a query says to do instead.
const NoQuery = "Write an expression without a query."

// bindSub binds a query that stands in an expression.
func (b *Binder) bindSub(p *scope.Place, q tree.Query, pos int) *result {
	switch {
	case p.NoQueries != "":
		panic(sqlerr.Unsupported("cannot use subquery in "+strings.TrimSuffix(p.Clause, "s"), p.NoQueries).At(pos))
	case p.Level == nil && !p.Queries:
		panic(sqlerr.Unsupported("cannot use subquery in "+strings.TrimSuffix(p.Clause, "s"), NoQuery).At(pos))
	case p.Level == nil:
		p.Level = scope.NewLevel(nil)
	}
	b.Meta.AddQuery()
	b.expand.nest(pos)
	defer b.expand.unnest()
	var r *result
	b.banning("within a subquery", func() {
		r = b.BindQuery(p, q, nil)

	})
	return r
}

// bindColumn is bindSub of a query of one column.
func (b *Binder) bindColumn(p *scope.Place, q tree.Query, pos int) *result {
	r := b.bindSub(p, q, pos)
	if len(r.Cols) != 1 {
		panic(sqlerr.New(sqlerr.SyntaxError, "subquery must return only one column").At(pos))
	}
	return r
}

// bindScalar binds (query) as the value of its one row.
func (b *Binder) bindScalar(p *scope.Place, n *tree.Subquery) expr.Expr {
	if e := sameQuery(p, n); e != nil {
		return e
	}
	pos := b.Pos(n)
	r := b.bindColumn(p, n.Query, pos)
	sub := &logical.Subquery{Kind: logical.Scalar, Query: r.Node, T: r.Cols[0].T, At: pos}
	noteQuery(p, n, sub)
	b.Capture.sub(sub, n.Query, nil, "", false)
	return sub
}

// noteQuery keeps what a query of the select list has become, for sameQuery.
func noteQuery(p *scope.Place, written tree.Expr, bound expr.Expr) {
	if p.Level != nil && p.Clause == "SELECT" {
		p.Level.Queries = append(p.Level.Queries, scope.BoundQuery{Written: written, Bound: bound})
	}
}

// sameQuery gives the query of the select list that is written as one of a clause whose
// expressions are looked for there; nil if there is none.
func sameQuery(p *scope.Place, written tree.Expr) expr.Expr {
	if p.Clause != "GROUP BY" && p.Clause != "ORDER BY" && p.Clause != "DISTINCT ON" || p.Level == nil {
		return nil
	}
	for _, k := range p.Level.Queries {
		if tree.EqualExpr(k.Written, written) {
			return k.Bound
		}
	}
	return nil
}

func (b *Binder) bindExists(p *scope.Place, n *tree.Exists) expr.Expr {
	if e := sameQuery(p, n); e != nil {
		return e
	}
	r := b.bindSub(p, n.Query, b.Pos(n))
	sub := &logical.Subquery{Kind: logical.Exists, Query: r.Node, T: types.Of(types.Bool), At: b.Pos(n)}
	noteQuery(p, n, sub)
	b.Capture.sub(sub, n.Query, nil, "", false)
	return sub
}

// bindArrayQuery binds ARRAY(query).
func (b *Binder) bindArrayQuery(p *scope.Place, n *tree.ArrayQuery) expr.Expr {
	if e := sameQuery(p, n); e != nil {
		return e
	}
	pos := b.Pos(n)
	r := b.bindColumn(p, n.Query, pos)
	t := r.Cols[0].T
	fail.If(expr.NoArrayOf(t, pos))
	if t.Kind == types.Array { // an array of arrays has a dimension more
		t = t.Base()
	} else {
		t = types.ArrayOf(t)
	}
	arr := &logical.Subquery{Kind: logical.Array, Query: r.Node, T: t, At: pos}
	noteQuery(p, n, arr)
	b.Capture.sub(arr, n.Query, nil, "", false)
	return arr
}

// bindInQuery binds X [NOT] IN (query).
func (b *Binder) bindInQuery(p *scope.Place, n *tree.In) expr.Expr {
	if e := sameQuery(p, n); e != nil {
		return e
	}
	e := b.bindAnyQuery(p, n.X, "=", n.Query, false, b.Pos(n))
	if n.Not {
		e = fail.Must(expr.MakeNot(e, b.Pos(n)))
	}
	noteQuery(p, n, e)
	return e
}

// bindAnyQuery binds X op ANY (query) and X op ALL (query), which is that X op fails for none.
func (b *Binder) bindAnyQuery(p *scope.Place, x tree.Expr, op string, sub *tree.Subquery, all bool, pos int) expr.Expr {
	var left []expr.Expr
	if fields, isRow := RowOf(x); isRow {
		left = b.rowFields(p, fields)
	} else {
		left = b.exprs(p, []tree.Expr{x})
	}
	r := b.bindSub(p, sub.Query, b.Pos(sub))
	switch {
	case len(r.Cols) > len(left):
		panic(sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns").At(pos))
	case len(r.Cols) < len(left):
		panic(sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns").At(pos))
	}
	cond := rowCondition(op, left, r.Refs(), pos)
	if cond.Type().Kind != types.Bool {
		panic(sqlerr.New(sqlerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s", cond.Type()).At(pos))
	}
	any := &logical.Subquery{Kind: logical.Any, Query: r.Node, Cond: cond, T: types.Of(types.Bool), At: pos}
	b.Capture.sub(any, sub.Query, left, op, all)
	if !all {
		return any
	}
	any.Cond = fail.Must(expr.MakeNot(cond, pos))
	return fail.Must(expr.MakeNot(any, pos))
}

// RowFields binds the query of SET (a, b) = (query): the n values of its one row, NULL where
// it has none.
func (b *Binder) RowFields(p *scope.Place, sub *tree.Subquery, n int) []expr.Expr {
	pos := b.Pos(sub)
	if p.RowQueries == nil {
		panic(sqlerr.Unsupported("SET (…) = (SELECT …) is not supported here", "Assign each column by itself.").At(pos))
	}
	r := b.bindSub(p, sub.Query, pos)
	if len(r.Cols) != n {
		panic(sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(pos))
	}
	own := &logical.Project{Input: r.Node, Exprs: r.Refs(), Cols: make([]logical.ColumnID, n)}
	for i := range r.Cols {
		own.Cols[i] = b.Meta.Add(logical.Column{Name: r.Cols[i].Name, Type: r.Cols[i].T})
	}
	*p.RowQueries = append(*p.RowQueries, own)
	return b.Meta.Refs(own.Cols)
}

// rowCondition compares two lists.
func rowCondition(op string, l, r []expr.Expr, pos int) expr.Expr {
	if len(l) == 1 {
		return fail.Must(expr.ResolveOp(op, l[0], r[0], pos))
	}
	if op != "=" {
		return fail.Must(expr.MakeRowCmp(op, l, r, pos))
	}
	conds := make([]expr.Expr, len(l))
	for i := range l {
		conds[i] = fail.Must(expr.ResolveOp(op, l[i], r[i], pos))
	}
	return fail.Must(expr.MakeAnd(conds, pos))
}

// rowQuery binds (a, b) op (query): the comparison with the query's one row.
func (b *Binder) rowQuery(p *scope.Place, op string, l []expr.Expr, sub *tree.Subquery, pos int) expr.Expr {
	r := b.bindSub(p, sub.Query, b.Pos(sub))
	switch {
	case len(r.Cols) > len(l):
		panic(sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns").At(pos))
	case len(r.Cols) < len(l):
		panic(sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns").At(pos))
	}
	cond := fail.Must(expr.MakeRowCmp(op, l, r.Refs(), pos))
	id := b.Meta.Add(logical.Column{Name: "?column?", Type: cond.Type()})
	one := &logical.Project{Input: r.Node, Exprs: []expr.Expr{cond}, Cols: []logical.ColumnID{id}}
	row := &logical.Subquery{Kind: logical.Scalar, Query: one, T: cond.Type(), At: pos}
	b.Capture.sub(row, sub.Query, l, op, false)
	return row
}
