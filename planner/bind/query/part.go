package query

import (
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
)

// isPart says that n is saltsql.part(…).
func isPart(n tree.Expr) (*tree.Func, bool) {
	c, ok := n.(*tree.Func)
	return c, ok && c.Schema == "saltsql" && c.Name == "part"
}

// partCondition binds saltsql.part(t) = 'token', and IN (…) and = ANY (array) of tokens: the row of t lies
// in one of the parts. ok is false for any other expression.
func (b *Binder) partCondition(p *scope.Place, n tree.Expr) (e expr.Expr, ok bool, err error) {
	var call *tree.Func
	var tokens expr.Expr
	not, list := false, types.ArrayOf(types.Of(types.Text))
	array := func(items ...tree.Expr) error {
		elems, err := b.exprs(p, items)
		if err == nil {
			tokens, err = expr.MakeArrayOf(elems, list, b.Pos(n))
		}
		return err
	}
	switch n := n.(type) {
	case *tree.Op:
		of, other := n.Left, n.Right
		if _, ok := isPart(other); ok {
			of, other = other, of
		}
		if call, ok = isPart(of); ok && n.Name == "=" && other != nil {
			err = array(other)
		} else {
			return nil, false, nil
		}
	case *tree.In:
		if call, ok = isPart(n.X); !ok || n.Query != nil {
			return nil, false, nil
		}
		not, err = n.Not, array(n.List...)
	case *tree.AnyAll:
		if call, ok = isPart(n.Left); !ok || n.Name != "=" || n.All {
			return nil, false, nil
		}
		if _, query := n.Right.(*tree.Subquery); query {
			return nil, false, nil
		}
		if tokens, err = b.Expr(p, n.Right); err == nil {
			tokens, err = expr.ResolveCast(tokens, list, expr.Implicit, b.Pos(n))
		}
	default:
		return nil, false, nil
	}
	if err == nil {
		e, err = b.inParts(p, call, tokens)
	}
	if err == nil && not {
		e, err = expr.MakeNot(e, b.Pos(n))
	}
	return e, true, err
}

// inParts binds the condition on the table that a call of saltsql.part names.
func (b *Binder) inParts(p *scope.Place, c *tree.Func, tokens expr.Expr) (expr.Expr, error) {
	pos := b.Pos(c)
	if err := b.notInView("saltsql.part", pos); err != nil {
		return nil, err
	}
	if err := plainCall(c, pos); err != nil {
		return nil, err
	}
	if len(c.Args) != 1 || c.ArgNames != nil || c.Variadic || c.Over != nil {
		return nil, onePart(pos)
	}
	var schema, name string
	switch a := c.Args[0].(type) {
	case *tree.ColumnRef:
		if schema, name = a.Table, a.Name; a.Schema != "" {
			return nil, onePart(pos)
		}
	case *tree.WholeRow:
		schema, name = a.Schema, a.Table
	default:
		return nil, onePart(pos)
	}
	for l := p.Level; l != nil; l = l.Parent {
		r, in := l.Scope.Relation(schema, name)
		if r == nil {
			continue
		}
		if r.Table == nil {
			return nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table`, name).
				WithHint("saltsql.part takes a table of the query, by its name or alias.").At(pos)
		}
		key := make([]expr.Expr, len(r.Table.PrimaryKey))
		columns := make([]*scope.Column, 0, len(r.Table.Columns))
		for col := range r.All {
			columns = append(columns, col)
		}
		for i, at := range r.Table.PrimaryKey {
			var err error
			if key[i], err = p.Named(l, in, columns[at], pos); err != nil {
				return nil, err
			}
		}
		return part.Condition(r.Table, tokens, key, pos), nil
	}
	return nil, p.MissingRelation(schema, name, pos)
}

func onePart(pos int) error {
	return sqlerr.New(sqlerr.UndefinedFunction, "saltsql.part takes one table of the query").
		WithHint("Write SELECT … FROM t WHERE saltsql.part(t) = '…', with a predicate of saltsql.parts.").At(pos)
}

// loosePart refuses saltsql.part where it is not compared with parts.
func loosePart(pos int) error {
	return sqlerr.Unsupported("saltsql.part in this place is not supported", "Compare it with parts: saltsql.part(t) = '…', IN ('…', '…') or = ANY ($1).").At(pos)
}
