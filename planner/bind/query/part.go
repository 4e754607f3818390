package query

import (
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// isPart says that n is saltsql.part(…).
func isPart(n tree.Expr) (*tree.Func, bool) {
	c, ok := n.(*tree.Func)
	return c, ok && c.Schema == "saltsql" && c.Name == "part"
}

// partCondition binds saltsql.part(t) = 'token', and IN (…) and = ANY (array) of tokens: the row of t lies
// in one of the parts. ok is false for any other expression.
func (b *Binder) partCondition(p *scope.Place, n tree.Expr) (e expr.Expr, ok bool) {
	var call *tree.Func
	var tokens expr.Expr
	not, list := false, types.ArrayOf(types.Of(types.Text))
	array := func(items ...tree.Expr) {
		tokens = fail.Must(expr.MakeArrayOf(b.exprs(p, items), list, b.Pos(n)))
	}
	switch n := n.(type) {
	case *tree.Op:
		of, other := n.Left, n.Right
		if _, ok := isPart(other); ok {
			of, other = other, of
		}
		if call, ok = isPart(of); !ok || n.Name != "=" || other == nil {
			return nil, false
		}
		array(other)
	case *tree.In:
		if call, ok = isPart(n.X); !ok || n.Query != nil {
			return nil, false
		}
		not = n.Not
		array(n.List...)
	case *tree.AnyAll:
		if call, ok = isPart(n.Left); !ok || n.Name != "=" || n.All {
			return nil, false
		}
		if _, query := n.Right.(*tree.Subquery); query {
			return nil, false
		}
		tokens = fail.Must(expr.ResolveCast(b.Expr(p, n.Right), list, expr.Implicit, b.Pos(n)))
	default:
		return nil, false
	}
	if e = b.inParts(p, call, tokens); not {
		e = fail.Must(expr.MakeNot(e, b.Pos(n)))
	}
	return e, true
}

// inParts binds the condition on the table that a call of saltsql.part names.
func (b *Binder) inParts(p *scope.Place, c *tree.Func, tokens expr.Expr) expr.Expr {
	pos := b.Pos(c)
	b.notInView("saltsql.part", pos)
	plainCall(c, pos)
	if len(c.Args) != 1 || c.ArgNames != nil || c.Variadic || c.Over != nil {
		panic(onePart(pos))
	}
	var schema, name string
	switch a := c.Args[0].(type) {
	case *tree.ColumnRef:
		if schema, name = a.Table, a.Name; a.Schema != "" {
			panic(onePart(pos))
		}
	case *tree.WholeRow:
		schema, name = a.Schema, a.Table
	default:
		panic(onePart(pos))
	}
	for l := p.Level; l != nil; l = l.Parent {
		r, in := l.Scope.Relation(schema, name)
		if r == nil {
			continue
		}
		if r.Table == nil {
			panic(sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table`, name).
				WithHint("saltsql.part takes a table of the query, by its name or alias.").At(pos))
		}
		return part.Condition(r.Table, tokens, keyColumns(p, l, in, r, pos), pos)
	}
	panic(p.MissingRelation(schema, name, pos))
}

func onePart(pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedFunction, "saltsql.part takes one table of the query").
		WithHint("Write SELECT … FROM t WHERE saltsql.part(t) = '…', with a predicate of saltsql.parts.").At(pos)
}

// loosePart refuses saltsql.part where it is not compared with parts.
func loosePart(pos int) *sqlerr.Error {
	return sqlerr.Unsupported("saltsql.part in this place is not supported", "Compare it with parts: saltsql.part(t) = '…', IN ('…', '…') or = ANY ($1).").At(pos)
}
