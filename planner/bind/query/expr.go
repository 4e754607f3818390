package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
)

// Expr binds one expression. The result may have the type unknown: a bare literal or parameter.
func (b *Binder) Expr(p *scope.Place, n tree.Expr) (expr.Expr, error) {
	if err := b.expand.grow(1, 0); err != nil {
		return nil, err
	}
	if e, ok, err := b.partCondition(p, n); ok {
		return e, err
	}
	switch n := n.(type) {
	case *tree.ColumnRef:
		return b.column(p, n)
	case *tree.Const:
		if n.Kind == tree.Bits && b.ofPhoenix() {
			return phoenixBytes(n, b.Pos(n))
		}
		return b.constant(n)
	case *tree.Param:
		return b.bindParam(n)
	case *tree.Op:
		return b.bindOp(p, n)
	case *tree.And:
		args, err := b.exprs(p, n.Args)
		if err != nil {
			return nil, err
		}
		return expr.MakeAnd(args, b.Pos(n))
	case *tree.Or:
		args, err := b.exprs(p, n.Args)
		if err != nil {
			return nil, err
		}
		return expr.MakeOr(args, b.Pos(n))
	case *tree.Not:
		x, err := b.Expr(p, n.X)
		if err != nil {
			return nil, err
		}
		return expr.MakeNot(x, b.Pos(n))
	case *tree.Distinct:
		return b.bindDistinctFrom(p, n)
	case *tree.NullTest:
		return b.bindNullTest(p, n)
	case *tree.BoolTest:
		x, err := b.Expr(p, n.X)
		if err != nil {
			return nil, err
		}
		return expr.MakeIsTest(x, n.Test, n.Not, b.Pos(n))
	case *tree.Between:
		return b.bindBetween(p, n)
	case *tree.In:
		return b.bindIn(p, n)
	case *tree.AnyAll:
		return b.bindAnyAll(p, n)
	case *tree.Case:
		return b.bindCase(p, n)
	case *tree.Cast:
		return b.bindCast(p, n)
	case *tree.Collate:
		return b.bindCollate(p, n)
	case *tree.Func:
		return b.bindFunc(p, n)
	case *tree.Subquery:
		return b.bindScalar(p, n)
	case *tree.Exists:
		return b.bindExists(p, n)
	case *tree.ArrayQuery:
		return b.bindArrayQuery(p, n)
	case *tree.Keyword:
		return b.bindKeyword(p, n)
	case *tree.SequenceValue:
		return b.bindSequenceValue(p, n)
	case *tree.Array:
		elems, err := b.exprs(p, n.Elems)
		if err != nil {
			return nil, err
		}
		return expr.MakeArrayExpr(elems, b.Pos(n))
	case *tree.Subscript:
		if e, ok, err := b.mapCell(p, n); ok {
			return e, err
		}
		return b.bindSubscript(p, n)
	case *tree.Slice:
		return b.bindSubscript(p, n)
	case *tree.Field:
		return b.bindField(p, n)
	case *tree.Row:
		return b.bindRow(p, n)
	case *tree.WholeRow:
		return b.bindWholeRow(p, n)
	}
	return nil, b.refused(n)
}

// bindSubscript binds x[i], x[i][j], x[i:j] with all the brackets that follow x.
func (b *Binder) bindSubscript(p *scope.Place, n tree.Expr) (expr.Expr, error) {
	x, subs, err := b.Subscripts(p, n)
	if err != nil {
		return nil, err
	}
	base, err := b.Expr(p, x)
	if err != nil {
		if one, ok := n.(*tree.Subscript); ok {
			err = familyAsMap(one, err)
		}
		return nil, err
	}
	return expr.MakeSubscript(base, subs, b.Pos(n))
}

// Subscripts binds the brackets at the end of n, and gives what stands before them.
func (b *Binder) Subscripts(p *scope.Place, n tree.Expr) (x tree.Expr, subs []expr.SubscriptRange, err error) {
	x = n
	for apart := false; ; {
		var s expr.SubscriptRange
		var low, high tree.Expr
		one, index := x.(*tree.Subscript)
		part, slice := x.(*tree.Slice)
		switch {
		case index && !apart:
			x, high, apart = one.X, one.Index, one.Apart
		case slice && !apart:
			x, low, high, s.Slice, apart = part.X, part.Low, part.High, true, part.Apart
		default:
			slices.Reverse(subs)
			return x, subs, nil
		}
		if low != nil {
			if s.Low, err = b.Expr(p, low); err != nil {
				return nil, nil, err
			}
		}
		if high != nil {
			if s.High, err = b.Expr(p, high); err != nil {
				return nil, nil, err
			}
		}
		subs = append(subs, s)
	}
}

// familyAsMap adds advice to err, that n's column does not exist, where n is written as the
// cell of a column family is: cf['qualifier'].
func familyAsMap(n *tree.Subscript, err error) error {
	_, column := n.X.(*tree.ColumnRef)
	key, text := n.Index.(*tree.Const)
	if e := sqlerr.As(err); column && text && key.Kind == tree.String && e != nil && e.Code == sqlerr.UndefinedColumn && e.Hint == "" {
		return e.WithHint("A column family is no column: ATTACH TABLE takes a cell of it as one, family.name text QUALIFIER 'qualifier', or all of them as a map, family.* text.")
	}
	return err
}

// refused is the error for an expression that has no value here.
func (b *Binder) refused(n tree.Expr) error {
	switch n := n.(type) {
	case *tree.Default:
		return sqlerr.New(sqlerr.SyntaxError, "DEFAULT is not allowed in this context").At(b.Pos(n))
	case *tree.IsDocument:
		name := "is document"
		if n.Not {
			name = "is not document"
		}
		return sqlerr.Unsupported(name+" is not supported", "Cast the value to jsonb to check it.").At(b.Pos(n))
	}
	return sqlerr.Unsupported("row expansion via \"*\" is not supported here", "Name the fields one by one.").At(b.Pos(n))
}

// exprs binds a list.
func (b *Binder) exprs(p *scope.Place, list []tree.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, n := range list {
		var err error
		if out[i], err = b.Expr(p, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// BoolExpr binds a condition, the argument of p.clause.
func (b *Binder) BoolExpr(p *scope.Place, n tree.Expr) (expr.Expr, error) {
	e, err := b.Expr(p, n)
	if err != nil {
		return nil, err
	}
	return expr.ResolveBool(e, p.Clause)
}

func (b *Binder) bindParam(n *tree.Param) (expr.Expr, error) {
	if b.stored || n.Number < 1 {
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", n.Number).At(b.Pos(n))
	}
	p := b.Params.Ref(n.Number, b.Pos(n))
	if n.Number <= len(b.Ctx.Values) {
		return &expr.Const{Value: b.Ctx.Values[n.Number-1], T: p.T, At: p.At}, nil
	}
	return p, nil
}

func (b *Binder) pair(p *scope.Place, l, r tree.Expr) (expr.Expr, expr.Expr, error) {
	le, err := b.Expr(p, l)
	if err != nil {
		return nil, nil, err
	}
	re, err := b.Expr(p, r)
	return le, re, err
}

func (b *Binder) bindDistinctFrom(p *scope.Place, n *tree.Distinct) (expr.Expr, error) {
	pos := b.Pos(n)
	left, row := RowOf(n.Left)
	if right, both := RowOf(n.Right); row && both {
		return b.rowsDistinct(p, left, right, n.Not, pos)
	}
	l, r, err := b.pair(p, n.Left, n.Right)
	if err != nil {
		return nil, err
	}
	distinct, err := expr.MakeIsDistinct(l, r, pos)
	if err != nil || !n.Not {
		return distinct, err
	}
	if null, ok := distinct.(*expr.Not); ok { // IS DISTINCT FROM NULL
		return null.X, nil
	}
	return expr.MakeNot(distinct, pos)
}

// bindNullTest also takes a row, which is NULL where all its fields are, and not
// NULL where none is.
func (b *Binder) bindNullTest(p *scope.Place, n *tree.NullTest) (expr.Expr, error) {
	var fields []expr.Expr
	var err error
	if nodes, ok := RowOf(n.X); ok {
		fields, err = b.rowFields(p, nodes)
		if err == nil && b.Capture != nil && len(fields) > 0 { // a view's text has the row
			var x expr.Expr
			if x, err = builtin.Row(fields, b.Pos(n)); err == nil {
				return builtin.RecordNullTest(x, n.Not, b.Pos(n)), nil
			}
		}
	} else if fields, err = b.exprs(p, []tree.Expr{n.X}); err == nil && fields[0].Type().Kind == types.Record {
		x := fields[0]
		if fields, ok = builtin.RowFields(x); !ok || p.OfGroups() || b.Capture != nil { // the row may be what is grouped by
			return builtin.RecordNullTest(x, n.Not, b.Pos(n)), nil
		}
	}
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 { // which is both
		return Boolean(true, b.Pos(n)), nil
	}
	tests := make([]expr.Expr, len(fields))
	for i, x := range fields {
		if tests[i], err = expr.MakeIsNull(x, b.Pos(n)); err != nil {
			return nil, err
		}
		if n.Not {
			if tests[i], err = expr.MakeNot(tests[i], b.Pos(n)); err != nil {
				return nil, err
			}
		}
	}
	return expr.MakeAnd(tests, b.Pos(n))
}

func (b *Binder) bindBetween(p *scope.Place, n *tree.Between) (expr.Expr, error) {
	pos := b.Pos(n)
	es, err := b.exprs(p, []tree.Expr{n.X, n.Low})
	if err != nil {
		return nil, err
	}
	if expr.IsUntyped(es[0]) || expr.IsUntyped(es[1]) { // the upper bound may use the parameter, too
		if _, err := expr.ResolveOp(">=", es[0], es[1], pos); err != nil {
			return nil, err
		}
	}
	high, err := b.Expr(p, n.High)
	if err != nil {
		return nil, err
	}
	es = append(es, high)
	if err := b.expand.copy(es[0], 1, pos); err != nil {
		return nil, err
	}
	if n.Symmetric {
		for _, e := range es {
			if err := b.expand.copy(e, 2, pos); err != nil {
				return nil, err
			}
		}
	}
	return expr.MakeBetween(es[0], es[1], es[2], n.Not, n.Symmetric, pos)
}

func (b *Binder) bindCase(p *scope.Place, n *tree.Case) (expr.Expr, error) {
	var operand, els expr.Expr
	var err error
	p = p.WithoutSets("CASE")
	if n.Operand != nil {
		if operand, err = b.Expr(p, n.Operand); err != nil {
			return nil, err
		}
	}
	whens := make([]expr.When, len(n.Whens))
	for i, w := range n.Whens {
		if whens[i].Cond, whens[i].Then, err = b.pair(p, w.Cond, w.Result); err != nil {
			return nil, err
		}
	}
	if n.Else != nil {
		if els, err = b.Expr(p, n.Else); err != nil {
			return nil, err
		}
	}
	if operand != nil {
		if err := b.expand.copy(operand, len(whens)-1, b.Pos(n)); err != nil {
			return nil, err
		}
	}
	return expr.MakeCase(operand, whens, els, b.Pos(n))
}
