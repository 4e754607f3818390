package planner

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindGroupBy binds GROUP BY: each item is an output column's number, an input
// column, an output column's name, or an expression, in this order.
func (b *binder) bindGroupBy(q *tree.Select, sc *scope, list *selectList) ([]expr.Expr, error) {
	var groups []expr.Expr
	for _, item := range q.GroupBy {
		if item.Kind == tree.GroupEmpty {
			continue
		}
		if item.Kind != tree.GroupExpr {
			return nil, sqlerr.Unsupported("GROUPING SETS, CUBE and ROLLUP are not supported", "Run one query per set.")
		}
		nodes := []tree.Expr{item.Expr}
		if fields, ok := rowOf(item.Expr); ok {
			nodes = fields
		}
		for _, n := range nodes {
			e, err := b.groupExpr(n, sc, list)
			if err != nil {
				return nil, err
			}
			if !containsExpr(groups, e) {
				groups = append(groups, e)
			}
			if err := checkTargets(len(groups)); err != nil {
				return nil, err
			}
		}
	}
	return groups, nil
}

func (b *binder) groupExpr(n tree.Expr, sc *scope, list *selectList) (expr.Expr, error) {
	e, err := b.ordinal(n, list, "GROUP BY")
	if e == nil && err == nil {
		e, err = b.expr(&place{scope: sc, clause: "GROUP BY"}, n)
		if name, ok := bareName(n); ok && err != nil && sqlerr.CodeOf(err) == sqlerr.UndefinedColumn {
			out, found := list.byName(name, b.pos(n), "GROUP BY")
			if found != nil {
				return nil, found
			}
			if out != nil {
				e, err = out, nil
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if hasAgg(e) {
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in GROUP BY").At(b.pos(n))
	}
	if e, err = expr.ResolveUnknown(e); err != nil {
		return nil, err
	}
	return e, hashable(e, b.pos(n))
}

// hashable refuses types whose values cannot be compared for equality.
func hashable(e expr.Expr, pos int) error {
	t := e.Type()
	if t.Kind == types.JSON || t.Kind == types.Array && t.Elem == types.JSON {
		return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", t).
			WithHint("Cast it to jsonb, or to text.").At(pos)
	}
	return nil
}

// ordinal gives the output column a bare number means; nil if n is no number.
func (b *binder) ordinal(n tree.Expr, list *selectList, clause string) (expr.Expr, error) {
	v, ok := n.(*tree.Const)
	if !ok || v.Kind == tree.Null {
		return nil, nil
	}
	// To Postgres's grammar a number whose digits pass integer's range is no integer.
	digits, minus := strings.CutPrefix(v.Text, "-")
	if i, err := strconv.ParseInt(digits, 10, 32); err == nil && v.Kind == tree.Int {
		if minus {
			i = -i
		}
		return list.at(int(i), clause, b.pos(n))
	}
	return nil, sqlerr.New(sqlerr.SyntaxError, "non-integer constant in %s", clause).At(b.pos(n))
}

func (l *selectList) at(number int, clause string, pos int) (expr.Expr, error) {
	if number < 1 || number > len(l.exprs) {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "%s position %d is not in select list", clause, number).At(pos)
	}
	return l.settled(number - 1)
}

// settled is output column i as ORDER BY and GROUP BY know it: of a type.
func (l *selectList) settled(i int) (expr.Expr, error) {
	e, err := expr.ResolveUnknown(l.exprs[i])
	if err == nil {
		l.exprs[i] = e
	}
	return e, err
}

// byName finds the output column of a name: nil if there is none, 42702 if
// several differ.
func (l *selectList) byName(name string, pos int, clause string) (expr.Expr, error) {
	var found expr.Expr
	for i, n := range l.names {
		if n != name {
			continue
		}
		e, err := l.settled(i)
		if err != nil {
			return nil, err
		}
		if found != nil && !equalExpr(found, e) {
			return nil, sqlerr.New(sqlerr.AmbiguousColumn, `%s "%s" is ambiguous`, clause, name).At(pos)
		}
		found = e
	}
	return found, nil
}

// bareName gives the name of an unqualified column reference.
func bareName(n tree.Expr) (string, bool) {
	c, ok := n.(*tree.ColumnRef)
	if !ok || c.Table != "" {
		return "", false
	}
	return c.Name, true
}

func hasAgg(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok && c.Index >= aggBase {
			found = true
		}
		return !found
	})
	return found
}

func aggText(a *plan.AggCall) string {
	var t strings.Builder
	t.WriteString(a.Agg.Name)
	t.WriteByte('(')
	if a.Distinct {
		t.WriteString("DISTINCT ")
	}
	if len(a.Args) == 0 {
		t.WriteByte('*')
	}
	for i, e := range a.Args {
		if i > 0 {
			t.WriteString(", ")
		}
		t.WriteString(expr.ToText(e))
	}
	for i, k := range a.OrderBy {
		if i == 0 {
			t.WriteString(" ORDER BY ")
		} else {
			t.WriteString(", ")
		}
		t.WriteString(expr.ToText(k.Expr))
		if k.Desc {
			t.WriteString(" DESC")
		}
	}
	t.WriteByte(')')
	if a.Filter != nil {
		t.WriteString(" FILTER (WHERE " + expr.ToText(a.Filter) + ")")
	}
	return t.String()
}
