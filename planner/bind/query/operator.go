package query

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
)

func (b *Binder) bindOp(p *scope.Place, n *tree.Op) (expr.Expr, error) {
	pos := b.Pos(n)
	if left, ok := RowOf(n.Left); ok && n.Schema == "" && n.Escape == nil && !strings.HasSuffix(n.Name, "similar to") {
		return b.bindRowCmp(p, n.Name, left, n.Right, pos)
	}
	var l, escape expr.Expr
	var err error
	if n.Left != nil {
		if l, err = b.Expr(p, n.Left); err != nil {
			return nil, err
		}
	}
	r, err := b.Expr(p, n.Right)
	if err != nil {
		return nil, err
	}
	if n.Escape != nil {
		if escape, err = b.Expr(p, n.Escape); err != nil {
			return nil, err
		}
	}
	switch {
	case n.Name == "similar to" || n.Name == "not similar to":
		return bindSimilar(l, r, escape, n.Name == "not similar to", pos)
	case escape != nil:
		// The pattern is rewritten to one with the escape character \.
		if r, err = expr.ResolveFunc("like_escape", []expr.Expr{r, escape}, pos); err != nil {
			return nil, err
		}
	}
	if b.ofPhoenix() && l != nil && n.Schema == "" {
		return phoenixOp(n.Name, l, r, pos)
	}
	return expr.ResolveOp(n.Name, l, r, pos)
}

// bindSimilar makes SIMILAR TO a match of the regular expression it stands for.
func bindSimilar(x, pattern, escape expr.Expr, not bool, pos int) (expr.Expr, error) {
	args := []expr.Expr{pattern}
	if escape != nil {
		args = append(args, escape)
	}
	pattern, err := expr.ResolveFunc("similar_to_escape", args, pos)
	if err != nil {
		return nil, err
	}
	op := "~"
	if not {
		op = "!~"
	}
	return expr.ResolveOp(op, x, pattern, pos)
}

func (b *Binder) bindAnyAll(p *scope.Place, n *tree.AnyAll) (expr.Expr, error) {
	if sub, ok := n.Right.(*tree.Subquery); ok {
		return b.bindAnyQuery(p, n.Left, n.Name, sub, n.All, b.Pos(n))
	}
	l, r, err := b.pair(p, n.Left, n.Right)
	if err != nil {
		return nil, err
	}
	return expr.MakeAnyAll(n.Name, l, r, n.All, b.Pos(n))
}

func (b *Binder) bindCast(p *scope.Place, n *tree.Cast) (expr.Expr, error) {
	to, err := b.resolveType(n.Type)
	if err != nil {
		return nil, err
	}
	x, err := b.castArg(p, n.X, to)
	if err != nil {
		return nil, err
	}
	if row, err := castRow(x, to, b.Pos(n)); row != nil || err != nil {
		return row, err
	}
	return expr.ResolveCast(x, to, expr.Explicit, b.Pos(n))
}

// castArg binds the argument of a cast. An ARRAY[…] there takes the type of the cast, by
// which each element is cast, and may be empty.
func (b *Binder) castArg(p *scope.Place, n tree.Expr, to types.T) (expr.Expr, error) {
	to = to.Plain() // the cast makes it a value of a domain, and tests it
	a, ok := n.(*tree.Array)
	if !ok || to.Kind != types.Array {
		return b.Expr(p, n)
	}
	if len(a.Elems) == 0 {
		return &expr.MakeArray{T: to.Base(), At: b.Pos(a)}, nil
	}
	elems := make([]expr.Expr, len(a.Elems))
	for i, elem := range a.Elems {
		e, err := b.castArg(p, elem, to) // an ARRAY[…] within
		if err != nil {
			return nil, err
		}
		elems[i] = e
	}
	return expr.MakeArrayOf(elems, to, b.Pos(a))
}

func (b *Binder) bindKeyword(p *scope.Place, n *tree.Keyword) (expr.Expr, error) {
	pos := b.Pos(n)
	if n.Name == "grouping" {
		return b.bindGrouping(p, n)
	}
	inner := p
	switch n.Name {
	case "coalesce", "greatest", "least", "nullif":
		inner = p.WithoutSets(strings.ToUpper(n.Name))
	}
	args, err := b.exprs(inner, n.Args)
	if err != nil {
		return nil, err
	}
	switch n.Name {
	case "current_date", "current_time":
		if b.ofPhoenix() && len(args) == 0 {
			return phoenixClock(n.Name, pos)
		}
	case "coalesce":
		return expr.MakeCoalesce(args, pos)
	case "nullif":
		return expr.MakeNullIf(args[0], args[1], pos)
	case "greatest", "least":
		return expr.MakeGreatest(args, n.Name == "least", pos)
	case "current_timestamp", "localtimestamp", "localtime":
		if len(args) == 1 {
			return clockTo(n.Name, args[0], pos)
		}
	}
	e, err := expr.ResolveFunc(n.Name, args, pos)
	if call, ok := e.(*expr.Call); ok && err == nil && len(args) == 0 {
		call.Syntax = n.Name
	}
	return e, err
}

// clockTo is a clock with a precision, as current_timestamp(3).
func clockTo(name string, precision expr.Expr, pos int) (expr.Expr, error) {
	e, err := expr.ResolveFunc(name, nil, pos)
	c, ok := precision.(*expr.Const)
	if err != nil || !ok {
		return e, err
	}
	digits := int32(min(c.Value.Int, types.MaxTimePrecision))
	if call, ok := e.(*expr.Call); ok {
		call.Syntax = "(" + strconv.Itoa(int(digits)) + ")"
	}
	return expr.ResolveCast(e, e.Type().WithTypmod(digits), expr.Explicit, pos)
}

// bindCollate accepts the collations that compare by bytes, which is how all text compares.
func (b *Binder) bindCollate(p *scope.Place, n *tree.Collate) (expr.Expr, error) {
	switch n.Name {
	case "C", "POSIX", "default", "ucs_basic", "c", "posix":
	default:
		return nil, sqlerr.New(sqlerr.UndefinedObject, `collation "%s" for encoding "UTF8" does not exist`, n.Name).
			WithHint(`Text compares by bytes: COLLATE "C" is the only collation.`).At(b.Pos(n))
	}
	x, err := b.Expr(p, n.X)
	if err != nil {
		return nil, err
	}
	if x, err = expr.ResolveUnknown(x); err != nil {
		return nil, err
	}
	if !x.Type().IsString() {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", x.Type()).At(b.Pos(n))
	}
	return x, nil
}
