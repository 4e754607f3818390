package planner

import "github.com/saltsql/saltsql/internal/expr"

// mapExpr replaces parts of an expression, parents first: where fn gives a
// replacement, what lay below is not visited.
func mapExpr(e expr.Expr, fn func(expr.Expr) (expr.Expr, error)) (expr.Expr, error) {
	r, err := fn(e)
	if err != nil || r != nil {
		return r, err
	}
	var failed error
	sub := func(x expr.Expr) expr.Expr {
		if x == nil || failed != nil {
			return x
		}
		y, err := mapExpr(x, fn)
		if err != nil {
			failed = err
			return x
		}
		return y
	}
	list := func(xs []expr.Expr) []expr.Expr {
		out := make([]expr.Expr, len(xs))
		for i, x := range xs {
			out[i] = sub(x)
		}
		return out
	}
	switch x := e.(type) {
	case *expr.Call:
		c := *x
		c.Args = list(x.Args)
		e = &c
	case *expr.Cast:
		c := *x
		c.X = sub(x.X)
		e = &c
	case *expr.And:
		e = &expr.And{Args: list(x.Args), At: x.At}
	case *expr.Or:
		e = &expr.Or{Args: list(x.Args), At: x.At}
	case *expr.Not:
		e = &expr.Not{X: sub(x.X), At: x.At}
	case *expr.IsNull:
		e = &expr.IsNull{X: sub(x.X), At: x.At}
	case *expr.IsDistinct:
		c := *x
		c.X, c.Y = sub(x.X), sub(x.Y)
		e = &c
	case *expr.Case:
		c := *x
		c.Whens = make([]expr.When, len(x.Whens))
		for i, w := range x.Whens {
			c.Whens[i] = expr.When{Cond: sub(w.Cond), Then: sub(w.Then)}
		}
		c.Else = sub(x.Else)
		e = &c
	case *expr.Coalesce:
		c := *x
		c.Args = list(x.Args)
		e = &c
	case *expr.InList:
		c := *x
		c.X, c.List = sub(x.X), list(x.List)
		e = &c
	case *expr.AnyAll:
		c := *x
		c.X, c.Array = sub(x.X), sub(x.Array)
		e = &c
	case *expr.RowCmp:
		c := *x
		c.L, c.R = list(x.L), list(x.R)
		e = &c
	case *expr.MakeArray:
		c := *x
		c.Elems = list(x.Elems)
		e = &c
	case *expr.Subscript:
		c := *x
		c.X, c.I = sub(x.X), sub(x.I)
		e = &c
	}
	return e, failed
}

// mapCols gives every column of e its new position.
func mapCols(e expr.Expr, to func(*expr.Col) expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	out, err := mapExpr(e, func(x expr.Expr) (expr.Expr, error) {
		if c, ok := x.(*expr.Col); ok {
			return to(c), nil
		}
		return nil, nil
	})
	if err != nil {
		return e // not reached: the function above gives no error
	}
	return out
}

// moveCols renumbers columns by a table of new positions.
func moveCols(e expr.Expr, to map[int]int) expr.Expr {
	return mapCols(e, func(c *expr.Col) expr.Expr {
		moved := *c
		moved.Index = to[c.Index]
		return &moved
	})
}
