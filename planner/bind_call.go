package planner

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// bindCall binds what is not native: calls, casts, arrays and the operators MySQL lacks.
func (b *binder) bindCall(p *place, c *marker.Call) (expr.Expr, error) {
	pos := b.pos(c.Node)
	switch c.Kind {
	case marker.Func:
		return b.bindFunc(p, c)
	case marker.Keyword:
		return b.bindKeyword(p, c)
	case marker.Op:
		return b.bindOp(p, c)
	case marker.Cast:
		return b.bindCast(p, c)
	case marker.Any, marker.All:
		if _, ok := unparen(c.Args[1]).(*ast.SubqueryExpr); ok {
			return nil, b.subquery(c.Args[1])
		}
		l, r, err := b.pair(p, c.Args[0], c.Args[1])
		if err != nil {
			return nil, err
		}
		return expr.MakeAnyAll(c.Name, l, r, c.Kind == marker.All, pos)
	case marker.Array:
		elems, err := b.exprs(p, c.Args)
		if err != nil {
			return nil, err
		}
		return expr.MakeArrayExpr(elems, pos)
	case marker.Subscript:
		l, r, err := b.pair(p, c.Args[0], c.Args[1])
		if err != nil {
			return nil, err
		}
		return expr.MakeSubscript(l, r, pos)
	case marker.Collate:
		return b.bindCollate(p, c)
	case marker.Special:
		return b.bindSpecial(p, c)
	case marker.Row:
		return nil, b.rowValue(c.Node)
	case marker.WholeRow:
		return nil, wholeRow(c.Name, pos)
	case marker.ArrayQuery:
		return nil, b.subquery(c.Node)
	case marker.Slice:
		return nil, sqlerr.Unsupported("array slices are not supported", "Subscript the elements one by one.").At(pos)
	}
	return nil, sqlerr.Unsupported("composite types are not supported", "Name the columns one by one.").At(pos)
}

func (b *binder) bindOp(p *place, c *marker.Call) (expr.Expr, error) {
	pos := b.pos(c.Node)
	args, err := b.exprs(p, c.Args)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Name == "similar to" || c.Name == "not similar to":
		return b.bindSimilar(args, c.Name == "not similar to", pos)
	case len(args) == 1:
		return expr.ResolveOp(c.Name, nil, args[0], pos)
	case len(args) == 3:
		// The pattern is rewritten to one with the escape character \.
		pattern, err := expr.ResolveFunc("like_escape", args[1:], pos)
		if err != nil {
			return nil, err
		}
		return expr.ResolveOp(c.Name, args[0], pattern, pos)
	}
	return expr.ResolveOp(c.Name, args[0], args[1], pos)
}

// bindSimilar makes SIMILAR TO a match of the regular expression it stands for.
func (b *binder) bindSimilar(args []expr.Expr, not bool, pos int) (expr.Expr, error) {
	pattern, err := expr.ResolveFunc("similar_to_escape", args[1:], pos)
	if err != nil {
		return nil, err
	}
	op := "~"
	if not {
		op = "!~"
	}
	return expr.ResolveOp(op, args[0], pattern, pos)
}

func (b *binder) bindCast(p *place, c *marker.Call) (expr.Expr, error) {
	to, err := b.resolveType(c.Type)
	if err != nil {
		return nil, err
	}
	x, err := b.castArg(p, c.Args[0], to)
	if err != nil {
		return nil, err
	}
	return expr.ResolveCast(x, to, expr.Explicit, b.pos(c.Node))
}

// castArg binds the argument of a cast. An ARRAY[…] there takes the type of the cast, by
// which each element is cast, and may be empty.
func (b *binder) castArg(p *place, n ast.ExprNode, to types.T) (expr.Expr, error) {
	call, ok := marker.Decode(unparen(n))
	if !ok || call.Kind != marker.Array || to.Kind != types.Array {
		return b.expr(p, n)
	}
	if len(call.Args) == 0 {
		return &expr.MakeArray{T: to.Base(), At: b.pos(call.Node)}, nil
	}
	elems := make([]expr.Expr, len(call.Args))
	for i, a := range call.Args {
		e, err := b.castArg(p, a, to) // an ARRAY[…] within
		if err != nil {
			return nil, err
		}
		elems[i] = e
	}
	return expr.MakeArrayOf(elems, to, b.pos(call.Node))
}

func (b *binder) bindKeyword(p *place, c *marker.Call) (expr.Expr, error) {
	pos := b.pos(c.Node)
	switch c.Name {
	case "next value for":
		return b.bindNextValue(c, pos)
	case "grouping":
		return nil, sqlerr.Unsupported("GROUPING is not supported", "Grouping sets are not supported: run one query per set.").At(pos)
	}
	args, err := b.exprs(p, c.Args)
	if err != nil {
		return nil, err
	}
	switch c.Name {
	case "coalesce":
		return expr.MakeCoalesce(args, pos)
	case "nullif":
		return expr.MakeNullIf(args[0], args[1], pos)
	case "greatest", "least":
		return expr.MakeGreatest(args, c.Name == "least", pos)
	}
	return expr.ResolveFunc(c.Name, args, pos)
}

// bindNextValue makes Phoenix's NEXT VALUE FOR s a call of nextval('s').
func (b *binder) bindNextValue(c *marker.Call, pos int) (expr.Expr, error) {
	n, ok := c.Args[0].(*ast.ColumnNameExpr)
	if !ok {
		return nil, sqlerr.New(sqlerr.SyntaxError, "NEXT VALUE FOR wants the name of a sequence").At(pos)
	}
	seq, err := b.resolve(n.Name.Table.O, n.Name.Name.O, b.pos(n))
	if err != nil {
		return nil, err
	}
	return nextval(seq, b.pos(n))
}

// bindCollate accepts the collations that compare by bytes, which is how all text compares.
func (b *binder) bindCollate(p *place, c *marker.Call) (expr.Expr, error) {
	switch c.Name {
	case "C", "POSIX", "default", "ucs_basic", "c", "posix":
	default:
		return nil, sqlerr.New(sqlerr.UndefinedObject, `collation "%s" for encoding "UTF8" does not exist`, c.Name).
			WithHint(`Text compares by bytes: COLLATE "C" is the only collation.`).At(b.pos(c.Node))
	}
	x, err := b.expr(p, c.Args[0])
	if err != nil {
		return nil, err
	}
	if x, err = expr.ResolveUnknown(x); err != nil {
		return nil, err
	}
	if !x.Type().IsString() {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", x.Type()).At(b.pos(c.Node))
	}
	return x, nil
}

func (b *binder) bindSpecial(p *place, c *marker.Call) (expr.Expr, error) {
	switch c.Name {
	case "between symmetric", "not between symmetric":
		return b.bindBetween(p, c.Node, c.Args[0], c.Args[1], c.Args[2], c.Name != "between symmetric", true)
	case "is unknown", "is not unknown":
		x, err := b.expr(p, c.Args[0])
		if err != nil {
			return nil, err
		}
		return expr.MakeIsTest(x, "unknown", c.Name != "is unknown", b.pos(c.Node))
	}
	return nil, sqlerr.Unsupported(c.Name+" is not supported", "Cast the value to jsonb to check it.").At(b.pos(c.Node))
}
