package logical

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// Inline puts queries, by their IDs, in the place of their names.
func Inline(n Node, named map[int]Node) Node {
	if ref, ok := n.(*WithRef); ok {
		if q, ok := named[ref.ID]; ok {
			return Inline(q, named)
		}
		return n
	}
	queries := map[*Subquery]*Subquery{}
	return MapExprs(MapInputs(n, func(in Node) Node { return Inline(in, named) }), func(e expr.Expr) expr.Expr {
		return inlineExpr(e, named, queries)
	})
}

// InlineExpr is Inline in the queries of an expression.
func InlineExpr(e expr.Expr, named map[int]Node) expr.Expr {
	return inlineExpr(e, named, map[*Subquery]*Subquery{})
}

func inlineExpr(e expr.Expr, named map[int]Node, queries map[*Subquery]*Subquery) expr.Expr {
	out, _ := expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		s, ok := x.(*Subquery)
		if !ok {
			return nil, nil
		}
		if done, ok := queries[s]; ok {
			return done, nil
		}
		c := *s
		c.Query = Inline(s.Query, named)
		if s.Cond != nil {
			c.Cond = inlineExpr(s.Cond, named, queries)
		}
		queries[s] = s
		if c.Query != s.Query || c.Cond != s.Cond {
			queries[s] = &c
		}
		return queries[s], nil
	})
	return out
}
