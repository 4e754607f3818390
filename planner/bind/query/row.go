package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// RowOf gives the fields of ROW(…) or (a, b).
func RowOf(n tree.Expr) ([]tree.Expr, bool) {
	r, ok := n.(*tree.Row)
	if !ok {
		return nil, false
	}
	return r.Fields, true
}

func (b *Binder) bindRowCmp(p *scope.Place, op string, left []tree.Expr, right tree.Expr, pos int) expr.Expr {
	l := b.rowFields(p, left)
	return b.rowCmp(p, op, l, right, pos)
}

// rowCmp is bindRowCmp of a row that is bound.
func (b *Binder) rowCmp(p *scope.Place, op string, l []expr.Expr, right tree.Expr, pos int) expr.Expr {
	fields, ok := RowOf(right)
	if !ok {
		if sub, ok := right.(*tree.Subquery); ok {
			return b.rowQuery(p, op, l, sub, pos)
		}
		record := fail.Must(builtin.Row(l, pos))
		r := b.Expr(p, right)
		return fail.Must(expr.ResolveOp(op, record, r, pos))
	}
	r := b.rowFields(p, fields)
	return fail.Must(expr.MakeRowCmp(op, l, r, pos))
}

// bindIn binds X [NOT] IN (list), where X may be a row: then it is an OR of
// comparisons.
func (b *Binder) bindIn(p *scope.Place, n *tree.In) expr.Expr {
	if n.Query != nil {
		return b.bindInQuery(p, n)
	}
	pos := b.Pos(n)
	left, isRow := RowOf(n.X)
	if !isRow {
		x := b.Expr(p, n.X)
		list := b.exprs(p, n.List)
		in := fail.Must(expr.MakeIn(x, list, n.Not, pos))
		arms := in
		if not, ok := in.(*expr.Not); ok {
			arms = not.X
		}
		if _, ok := arms.(*expr.Or); ok { // of comparisons by several operators
			b.expand.copy(x, len(list)-1, pos)
		}
		return in
	}
	l := b.rowFields(p, left)
	for _, x := range l {
		b.expand.copy(x, len(n.List)-1, pos)
	}
	arms := make([]expr.Expr, len(n.List))
	for i, item := range n.List {
		arms[i] = b.rowCmp(p, "=", l, item, pos)
	}
	or := fail.Must(expr.MakeOr(arms, pos))
	if !n.Not {
		return or
	}
	return fail.Must(expr.MakeNot(or, pos))
}

// rowsDistinct binds (a, b) IS [NOT] DISTINCT FROM (c, d), field by field.
func (b *Binder) rowsDistinct(p *scope.Place, left, right []tree.Expr, not bool, pos int) expr.Expr {
	l := b.rowFields(p, left)
	r := b.rowFields(p, right)
	if len(l) != len(r) {
		panic(sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(pos))
	}
	arms := []expr.Expr{Boolean(false, pos)}
	for i := range l {
		x := fail.Must(expr.MakeIsDistinct(l[i], r[i], pos))
		arms = append(arms, x)
	}
	distinct := fail.Must(expr.MakeOr(arms[min(1, len(l)):], pos))
	if !not {
		return distinct
	}
	return fail.Must(expr.MakeNot(distinct, pos))
}

// Boolean is a constant.
func Boolean(v bool, pos int) expr.Expr {
	return &expr.Const{Value: types.NewBool(v), T: types.Of(types.Bool), At: pos}
}
