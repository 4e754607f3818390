package logical

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// MapFree copies an expression with what to makes of them in the place of its columns,
// those in the conditions and expressions of its queries among them. to gives a column that it
// does not mean as it is.
func MapFree(e expr.Expr, to func(*expr.Col) expr.Expr) expr.Expr {
	m := freeMapper{to: to, done: map[*Subquery]*Subquery{}}
	return m.expr(e)
}

// freeMapper is the work of MapFree. A query that stands in two places is one query after it.
type freeMapper struct {
	to   func(*expr.Col) expr.Expr
	done map[*Subquery]*Subquery
}

func (m *freeMapper) expr(e expr.Expr) expr.Expr {
	out, _ := expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		switch x := x.(type) {
		case *expr.Col:
			return m.to(x), nil
		case *Subquery:
			c := m.done[x]
			if c == nil {
				copied := *x
				c = &copied
				m.done[x] = c
				c.Query = m.node(x.Query)
				if x.Cond != nil {
					c.Cond = m.expr(x.Cond)
				}
			}
			return c, nil
		}
		return nil, nil
	})
	return out
}

func (m *freeMapper) node(n Node) Node {
	return MapExprs(MapInputs(n, m.node), m.expr)
}
