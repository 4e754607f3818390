package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
)

// RowOf gives the fields of ROW(…) or (a, b).
func RowOf(n tree.Expr) ([]tree.Expr, bool) {
	r, ok := n.(*tree.Row)
	if !ok {
		return nil, false
	}
	return r.Fields, true
}

func (b *Binder) bindRowCmp(p *scope.Place, op string, left []tree.Expr, right tree.Expr, pos int) (expr.Expr, error) {
	l, err := b.rowFields(p, left)
	if err != nil {
		return nil, err
	}
	return b.rowCmp(p, op, l, right, pos)
}

// rowCmp is bindRowCmp of a row that is bound.
func (b *Binder) rowCmp(p *scope.Place, op string, l []expr.Expr, right tree.Expr, pos int) (expr.Expr, error) {
	fields, ok := RowOf(right)
	if !ok {
		if sub, ok := right.(*tree.Subquery); ok {
			return b.rowQuery(p, op, l, sub, pos)
		}
		record, err := builtin.Row(l, pos)
		if err != nil {
			return nil, err
		}
		r, err := b.Expr(p, right)
		if err != nil {
			return nil, err
		}
		return expr.ResolveOp(op, record, r, pos)
	}
	r, err := b.rowFields(p, fields)
	if err != nil {
		return nil, err
	}
	return expr.MakeRowCmp(op, l, r, pos)
}

// bindIn binds X [NOT] IN (list), where X may be a row: then it is an OR of
// comparisons.
func (b *Binder) bindIn(p *scope.Place, n *tree.In) (expr.Expr, error) {
	if n.Query != nil {
		return b.bindInQuery(p, n)
	}
	pos := b.Pos(n)
	left, isRow := RowOf(n.X)
	if !isRow {
		x, err := b.Expr(p, n.X)
		if err != nil {
			return nil, err
		}
		list, err := b.exprs(p, n.List)
		if err != nil {
			return nil, err
		}
		in, err := expr.MakeIn(x, list, n.Not, pos)
		if err != nil {
			return nil, err
		}
		arms := in
		if not, ok := in.(*expr.Not); ok {
			arms = not.X
		}
		if _, ok := arms.(*expr.Or); ok { // of comparisons by several operators
			err = b.expand.copy(x, len(list)-1, pos)
		}
		return in, err
	}
	l, err := b.rowFields(p, left)
	if err != nil {
		return nil, err
	}
	for _, x := range l {
		if err := b.expand.copy(x, len(n.List)-1, pos); err != nil {
			return nil, err
		}
	}
	arms := make([]expr.Expr, len(n.List))
	for i, item := range n.List {
		if arms[i], err = b.rowCmp(p, "=", l, item, pos); err != nil {
			return nil, err
		}
	}
	or, err := expr.MakeOr(arms, pos)
	if err != nil || !n.Not {
		return or, err
	}
	return expr.MakeNot(or, pos)
}

// rowsDistinct binds (a, b) IS [NOT] DISTINCT FROM (c, d), field by field.
func (b *Binder) rowsDistinct(p *scope.Place, left, right []tree.Expr, not bool, pos int) (expr.Expr, error) {
	l, err := b.rowFields(p, left)
	if err != nil {
		return nil, err
	}
	r, err := b.rowFields(p, right)
	if err != nil {
		return nil, err
	}
	if len(l) != len(r) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(pos)
	}
	arms := []expr.Expr{Boolean(false, pos)}
	for i := range l {
		x, err := expr.MakeIsDistinct(l[i], r[i], pos)
		if err != nil {
			return nil, err
		}
		arms = append(arms, x)
	}
	distinct, err := expr.MakeOr(arms[min(1, len(l)):], pos)
	if err != nil || !not {
		return distinct, err
	}
	return expr.MakeNot(distinct, pos)
}

// Boolean is a constant.
func Boolean(v bool, pos int) expr.Expr {
	return &expr.Const{Value: types.NewBool(v), T: types.Of(types.Bool), At: pos}
}
