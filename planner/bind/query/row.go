package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// RowOf gives the fields of ROW(…) or (a, b).
func RowOf(n tree.Expr) ([]tree.Expr, bool) {
	r, ok := n.(*tree.Row)
	if !ok {
		return nil, false
	}
	return r.Fields, true
}

// rowValue refuses a row where one value is wanted.
func (b *Binder) rowValue(n tree.Expr) error {
	return sqlerr.Unsupported("a row as one value is not supported", "Compare rows with rows, or name the fields one by one.").At(b.Pos(n))
}

func (b *Binder) bindRowCmp(p *Place, op string, left []tree.Expr, right tree.Expr, pos int) (expr.Expr, error) {
	l, err := b.exprs(p, left)
	if err != nil {
		return nil, err
	}
	return b.rowCmp(p, op, l, right, pos)
}

// rowCmp is bindRowCmp of a row that is bound.
func (b *Binder) rowCmp(p *Place, op string, l []expr.Expr, right tree.Expr, pos int) (expr.Expr, error) {
	fields, ok := RowOf(right)
	if !ok {
		if sub, ok := right.(*tree.Subquery); ok {
			return b.rowQuery(p, op, l, sub, pos)
		}
		return nil, b.rowValue(right)
	}
	r, err := b.exprs(p, fields)
	if err != nil {
		return nil, err
	}
	return expr.MakeRowCmp(op, l, r, pos)
}

// bindIn binds X [NOT] IN (list), where X may be a row: then it is an OR of
// comparisons.
func (b *Binder) bindIn(p *Place, n *tree.In) (expr.Expr, error) {
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
	l, err := b.exprs(p, left)
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
