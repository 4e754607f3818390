package query

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

func (b *Binder) bindOp(p *scope.Place, n *tree.Op) expr.Expr {
	pos := b.Pos(n)
	if left, ok := RowOf(n.Left); ok && n.Schema == "" && n.Escape == nil && !strings.HasSuffix(n.Name, "similar to") {
		return b.bindRowCmp(p, n.Name, left, n.Right, pos)
	}
	var l, escape expr.Expr
	if n.Left != nil {
		l = b.Expr(p, n.Left)
	}
	r := b.Expr(p, n.Right)
	if n.Escape != nil {
		escape = b.Expr(p, n.Escape)
	}
	switch {
	case n.Name == "similar to" || n.Name == "not similar to":
		return bindSimilar(l, r, escape, n.Name == "not similar to", pos)
	case escape != nil:
		// The pattern is rewritten to one with the escape character \.
		r = fail.Must(expr.ResolveFunc("like_escape", []expr.Expr{r, escape}, pos))
	}
	if b.ofPhoenix() && l != nil && n.Schema == "" {
		return phoenixOp(n.Name, l, r, pos)
	}
	return fail.Must(expr.ResolveOp(n.Name, l, r, pos))
}

// bindSimilar makes SIMILAR TO a match of the regular expression it stands for.
func bindSimilar(x, pattern, escape expr.Expr, not bool, pos int) expr.Expr {
	args := []expr.Expr{pattern}
	if escape != nil {
		args = append(args, escape)
	}
	pattern = fail.Must(expr.ResolveFunc("similar_to_escape", args, pos))
	op := "~"
	if not {
		op = "!~"
	}
	return fail.Must(expr.ResolveOp(op, x, pattern, pos))
}

func (b *Binder) bindAnyAll(p *scope.Place, n *tree.AnyAll) expr.Expr {
	if sub, ok := n.Right.(*tree.Subquery); ok {
		return b.bindAnyQuery(p, n.Left, n.Name, sub, n.All, b.Pos(n))
	}
	l, r := b.pair(p, n.Left, n.Right)
	return fail.Must(expr.MakeAnyAll(n.Name, l, r, n.All, b.Pos(n)))
}

func (b *Binder) bindCast(p *scope.Place, n *tree.Cast) expr.Expr {
	to := b.resolveType(n.Type)
	x := b.castArg(p, n.X, to)
	if row := castRow(x, to, b.Pos(n)); row != nil {
		return row
	}
	return fail.Must(expr.ResolveCast(x, to, expr.Explicit, b.Pos(n)))
}

// castArg binds the argument of a cast. An ARRAY[…] there takes the type of the cast, by
// which each element is cast, and may be empty.
func (b *Binder) castArg(p *scope.Place, n tree.Expr, to types.T) expr.Expr {
	to = to.Plain() // the cast makes it a value of a domain, and tests it
	a, ok := n.(*tree.Array)
	if !ok || to.Kind != types.Array {
		return b.Expr(p, n)
	}
	if len(a.Elems) == 0 {
		return &expr.MakeArray{T: to.Base(), At: b.Pos(a)}
	}
	elems := make([]expr.Expr, len(a.Elems))
	for i, elem := range a.Elems {
		e := b.castArg(p, elem, to)
		elems[i] = e
	}
	return fail.Must(expr.MakeArrayOf(elems, to, b.Pos(a)))
}

func (b *Binder) bindKeyword(p *scope.Place, n *tree.Keyword) expr.Expr {
	pos := b.Pos(n)
	if n.Name == "grouping" {
		return b.bindGrouping(p, n)
	}
	inner := p
	switch n.Name {
	case "coalesce", "greatest", "least", "nullif":
		inner = p.WithoutSets(strings.ToUpper(n.Name))
	}
	args := b.exprs(inner, n.Args)
	switch n.Name {
	case "current_date", "current_time":
		if b.ofPhoenix() && len(args) == 0 {
			return phoenixClock(n.Name, pos)
		}
	case "coalesce":
		return fail.Must(expr.MakeCoalesce(args, pos))
	case "nullif":
		return fail.Must(expr.MakeNullIf(args[0], args[1], pos))
	case "greatest", "least":
		return fail.Must(expr.MakeGreatest(args, n.Name == "least", pos))
	case "current_timestamp", "localtimestamp", "localtime":
		if len(args) == 1 {
			return clockTo(n.Name, args[0], pos)
		}
	}
	e := fail.Must(expr.ResolveFunc(n.Name, args, pos))
	if call, ok := e.(*expr.Call); ok && len(args) == 0 {
		call.Syntax = n.Name
	}
	return e
}

// clockTo is a clock with a precision, as current_timestamp(3).
func clockTo(name string, precision expr.Expr, pos int) expr.Expr {
	e := fail.Must(expr.ResolveFunc(name, nil, pos))
	c, ok := precision.(*expr.Const)
	if !ok {
		return e
	}
	digits := int32(min(c.Value.Int, types.MaxTimePrecision))
	if call, ok := e.(*expr.Call); ok {
		call.Syntax = "(" + strconv.Itoa(int(digits)) + ")"
	}
	return fail.Must(expr.ResolveCast(e, e.Type().WithTypmod(digits), expr.Explicit, pos))
}

// bindCollate accepts the collations that compare by bytes, which is how all text compares.
func (b *Binder) bindCollate(p *scope.Place, n *tree.Collate) expr.Expr {
	switch n.Name {
	case "C", "POSIX", "default", "ucs_basic", "c", "posix":
	default:
		panic(sqlerr.New(sqlerr.UndefinedObject, `collation "%s" for encoding "UTF8" does not exist`, n.Name).
			WithHint(`Text compares by bytes: COLLATE "C" is the only collation.`).At(b.Pos(n)))
	}
	x := b.Expr(p, n.X)
	x = fail.Must(expr.ResolveUnknown(x))
	if !x.Type().IsString() {
		panic(sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", x.Type()).At(b.Pos(n)))
	}
	return x
}
