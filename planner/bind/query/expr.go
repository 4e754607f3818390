package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// Expr binds one expression. The result may have the type unknown: a bare literal or parameter.
func (b *Binder) Expr(p *scope.Place, n tree.Expr) expr.Expr {
	b.expand.grow(1, 0)
	if e, ok := b.partCondition(p, n); ok {
		return e
	}
	if e, ok := b.ctidCondition(p, n); ok {
		return e
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
		args := b.exprs(p, n.Args)
		return fail.Must(expr.MakeAnd(args, b.Pos(n)))
	case *tree.Or:
		args := b.exprs(p, n.Args)
		return fail.Must(expr.MakeOr(args, b.Pos(n)))
	case *tree.Not:
		x := b.Expr(p, n.X)
		return fail.Must(expr.MakeNot(x, b.Pos(n)))
	case *tree.Distinct:
		return b.bindDistinctFrom(p, n)
	case *tree.NullTest:
		return b.bindNullTest(p, n)
	case *tree.BoolTest:
		x := b.Expr(p, n.X)
		return fail.Must(expr.MakeIsTest(x, n.Test, n.Not, b.Pos(n)))
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
		elems := b.exprs(p, n.Elems)
		return fail.Must(expr.MakeArrayExpr(elems, b.Pos(n)))
	case *tree.Subscript:
		if e, ok := b.mapCell(p, n); ok {
			return e
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
	panic(b.refused(n))
}

// bindSubscript binds x[i], x[i][j], x[i:j] with all the brackets that follow x.
func (b *Binder) bindSubscript(p *scope.Place, n tree.Expr) expr.Expr {
	x, subs := b.Subscripts(p, n)
	var base expr.Expr
	if err := fail.Try(func() { base = b.Expr(p, x) }); err != nil {
		if one, ok := n.(*tree.Subscript); ok {
			err = familyAsMap(one, err)
		}
		fail.If(err)
	}
	return fail.Must(expr.MakeSubscript(base, subs, b.Pos(n)))
}

// Subscripts binds the brackets at the end of n, and gives what stands before them.
func (b *Binder) Subscripts(p *scope.Place, n tree.Expr) (x tree.Expr, subs []expr.SubscriptRange) {
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
			return x, subs
		}
		if low != nil {
			s.Low = b.Expr(p, low)
		}
		if high != nil {
			s.High = b.Expr(p, high)
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
func (b *Binder) refused(n tree.Expr) *sqlerr.Error {
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
func (b *Binder) exprs(p *scope.Place, list []tree.Expr) []expr.Expr {
	out := make([]expr.Expr, len(list))
	for i, n := range list {
		out[i] = b.Expr(p, n)
	}
	return out
}

// BoolExpr binds a condition, the argument of p.clause.
func (b *Binder) BoolExpr(p *scope.Place, n tree.Expr) expr.Expr {
	e := b.Expr(p, n)
	return fail.Must(expr.ResolveBool(e, p.Clause))
}

func (b *Binder) bindParam(n *tree.Param) expr.Expr {
	if b.stored || n.Number < 1 {
		panic(sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", n.Number).At(b.Pos(n)))
	}
	p := b.Params.Ref(n.Number, b.Pos(n))
	if n.Number <= len(b.Ctx.Values) {
		return &expr.Const{Value: b.Ctx.Values[n.Number-1], T: p.T, At: p.At}
	}
	return p
}

func (b *Binder) pair(p *scope.Place, l, r tree.Expr) (expr.Expr, expr.Expr) {
	le := b.Expr(p, l)
	re := b.Expr(p, r)
	return le, re
}

func (b *Binder) bindDistinctFrom(p *scope.Place, n *tree.Distinct) expr.Expr {
	pos := b.Pos(n)
	left, row := RowOf(n.Left)
	if right, both := RowOf(n.Right); row && both {
		return b.rowsDistinct(p, left, right, n.Not, pos)
	}
	l, r := b.pair(p, n.Left, n.Right)
	distinct := fail.Must(expr.MakeIsDistinct(l, r, pos))
	if !n.Not {
		return distinct
	}
	if null, ok := distinct.(*expr.Not); ok { // IS DISTINCT FROM NULL
		return null.X
	}
	return fail.Must(expr.MakeNot(distinct, pos))
}

// bindNullTest also takes a row, which is NULL where all its fields are, and not
// NULL where none is.
func (b *Binder) bindNullTest(p *scope.Place, n *tree.NullTest) expr.Expr {
	var fields []expr.Expr
	if nodes, ok := RowOf(n.X); ok {
		fields = b.rowFields(p, nodes)
		if b.Capture != nil && len(fields) > 0 { // a view's text has the row
			return builtin.RecordNullTest(fail.Must(builtin.Row(fields, b.Pos(n))), n.Not, b.Pos(n))
		}
	} else if fields = b.exprs(p, []tree.Expr{n.X}); fields[0].Type().Kind == types.Record {
		x := fields[0]
		if fields, ok = builtin.RowFields(x); !ok || p.OfGroups() || b.Capture != nil { // the row may be what is grouped by
			return builtin.RecordNullTest(x, n.Not, b.Pos(n))
		}
	}
	if len(fields) == 0 { // which is both
		return Boolean(true, b.Pos(n))
	}
	tests := make([]expr.Expr, len(fields))
	for i, x := range fields {
		tests[i] = fail.Must(expr.MakeIsNull(x, b.Pos(n)))
		if n.Not {
			tests[i] = fail.Must(expr.MakeNot(tests[i], b.Pos(n)))
		}
	}
	return fail.Must(expr.MakeAnd(tests, b.Pos(n)))
}

func (b *Binder) bindBetween(p *scope.Place, n *tree.Between) expr.Expr {
	pos := b.Pos(n)
	es := b.exprs(p, []tree.Expr{n.X, n.Low})
	if expr.IsUntyped(es[0]) || expr.IsUntyped(es[1]) { // the upper bound may use the parameter, too
		fail.Must(expr.ResolveOp(">=", es[0], es[1], pos))
	}
	high := b.Expr(p, n.High)
	es = append(es, high)
	b.expand.copy(es[0], 1, pos)
	if n.Symmetric {
		for _, e := range es {
			b.expand.copy(e, 2, pos)
		}
	}
	return fail.Must(expr.MakeBetween(es[0], es[1], es[2], n.Not, n.Symmetric, pos))
}

func (b *Binder) bindCase(p *scope.Place, n *tree.Case) expr.Expr {
	var operand, els expr.Expr
	p = p.WithoutSets("CASE")
	if n.Operand != nil {
		operand = b.Expr(p, n.Operand)
	}
	whens := make([]expr.When, len(n.Whens))
	for i, w := range n.Whens {
		whens[i].Cond, whens[i].Then = b.pair(p, w.Cond, w.Result)
	}
	if n.Else != nil {
		els = b.Expr(p, n.Else)
	}
	if operand != nil {
		b.expand.copy(operand, len(whens)-1, b.Pos(n))
	}
	return fail.Must(expr.MakeCase(operand, whens, els, b.Pos(n)))
}
