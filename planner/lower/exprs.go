package lower

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// expr puts positions in r in the place of column IDs. r may be nil: no columns.
func (l *lowering) expr(r *rel, e expr.Expr) expr.Expr {
	if e == nil || l.asIs(r, e) {
		return e
	}
	return fail.Must(expr.Rewrite(e, func(x expr.Expr) (expr.Expr, error) {
		switch x := x.(type) {
		case *expr.Col:
			return l.column(r, x), nil
		case *logical.Subquery:
			return nil, invalid("a subquery is left in an expression")
		case *expr.Call:
			l.changes = l.changes || x.Fn.ChangesState
		}
		return x, nil
	}))
}

// note finds the calls that change something in expressions that stay as they are.
func (l *lowering) note(list []expr.Expr, one expr.Expr) {
	changes := func(x expr.Expr) bool {
		if c, ok := x.(*expr.Call); ok && c.Fn.ChangesState {
			l.changes = true
		}
		return !l.changes
	}
	for _, e := range list {
		expr.Walk(e, changes)
	}
	if one != nil {
		expr.Walk(one, changes)
	}
}

func (l *lowering) noteSet(set []plan.SetColumn) {
	for _, s := range set {
		l.note(nil, s.Value)
	}
}

// asIs says that every column of e lies where its ID says and is printed as it is, so that
// statements of one table share their expressions with the tree.
func (l *lowering) asIs(r *rel, e expr.Expr) bool {
	same := true
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Col:
			same = same && !l.qualify && r != nil && x.Index < len(r.cols) && r.cols[x.Index] == x.Index
		case *logical.Subquery:
			same = false
		case *expr.Call:
			l.changes = l.changes || x.Fn.ChangesState
		}
		return same
	})
	return same
}

// column says where a column lies: in r, or on the left side of an Apply above.
func (l *lowering) column(r *rel, c *expr.Col) expr.Expr {
	if r != nil {
		if at, ok := r.position(c.Index); ok {
			if at == c.Index && !l.qualify {
				return c
			}
			out := *c
			out.Index, out.Name = at, l.name(c)
			return &out
		}
	}
	for i := len(l.applies) - 1; i >= 0; i-- {
		if e, ok := l.applies[i].param(l, c); ok {
			return e
		}
	}
	panic(invalid("nothing gives column %d, %s", c.Index, c.Name))
}

// name is how EXPLAIN prints a column.
func (l *lowering) name(c *expr.Col) string {
	m := l.meta.Column(c.Index)
	name := c.Name
	if name == "" {
		name = m.Name
	}
	if l.qualify && m.Relation != "" {
		return m.Relation + "." + m.Name
	}
	return name
}

func (l *lowering) exprs(r *rel, list []expr.Expr) []expr.Expr {
	if list == nil {
		return nil
	}
	same := true
	for _, e := range list {
		same = same && l.asIs(r, e)
	}
	if same {
		return list
	}
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = l.expr(r, e)
	}
	return out
}

func (l *lowering) sortKeys(r *rel, keys []plan.SortKey) []plan.SortKey {
	if keys == nil {
		return nil
	}
	out := make([]plan.SortKey, len(keys))
	for i, k := range keys {
		k.Expr = l.expr(r, k.Expr)
		out[i] = k
	}
	return out
}
