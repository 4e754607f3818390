package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/plan"
)

// groupExpr binds one expression of GROUP BY: an output column's number, an input
// column, an output column's name, or an expression, in this order. item is the output column
// that it is, or else -1.
func (b *Binder) groupExpr(n tree.Expr, l *scope.Level, list *SelectList) (e expr.Expr, item int) {
	if e = b.ordinal(n, list, "GROUP BY"); e == nil {
		e = b.outputName(n, l, list)
	}
	if item = slices.Index(list.Exprs, e); e == nil {
		e = b.Expr(&scope.Place{Level: l, Clause: "GROUP BY", Sets: true}, n)
		item = expr.IndexExpr(list.Exprs, e)
	}
	if l.Aggs.In(e) {
		panic(sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in GROUP BY").At(b.Pos(n)))
	}
	if l.Windows.In(e) {
		panic(sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in GROUP BY").At(b.Pos(n)))
	}
	e = fail.Must(expr.ResolveUnknown(e))
	hashable(e, b.Pos(n))
	return e, item
}

// outputName gives the output column that a bare name means where no input column has it.
func (b *Binder) outputName(n tree.Expr, l *scope.Level, list *SelectList) expr.Expr {
	name, ok := bareName(n)
	if !ok {
		return nil
	}
	if scope.FindColumn(l.Scope.Cols, name, b.Pos(n)) != nil {
		return nil
	}
	return list.byName(name, b.Pos(n), "GROUP BY")
}

// hashable refuses types whose values cannot be compared for equality.
func hashable(e expr.Expr, pos int) {
	t := e.Type()
	kind := t.Kind
	if kind == types.Array {
		kind = t.Elem
	}
	switch kind {
	case types.JSONPath:
		panic(sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", t).
			WithHint("Cast it to text.").At(pos))
	case types.JSON:
		panic(sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", t).
			WithHint("Cast it to jsonb, or to text.").At(pos))
	}
}

// ordinal gives the output column a bare number means; nil if n is no number.
func (b *Binder) ordinal(n tree.Expr, list *SelectList, clause string) expr.Expr {
	v, ok := n.(*tree.Const)
	if !ok {
		return nil
	}
	// To Postgres's grammar a number whose digits pass integer's range is no integer.
	digits, minus := strings.CutPrefix(v.Text, "-")
	if i, err := strconv.ParseInt(digits, 10, 32); err == nil && v.Kind == tree.Int {
		if minus {
			i = -i
		}
		return list.at(int(i), clause, b.Pos(n))
	}
	panic(sqlerr.New(sqlerr.SyntaxError, "non-integer constant in %s", clause).At(b.Pos(n)))
}

func (l *SelectList) at(number int, clause string, pos int) expr.Expr {
	if number < 1 || number > len(l.Exprs) {
		panic(sqlerr.New(sqlerr.InvalidColumnReference, "%s position %d is not in select list", clause, number).At(pos))
	}
	return l.settled(number - 1)
}

// settled is output column i as ORDER BY and GROUP BY know it: of a type.
func (l *SelectList) settled(i int) expr.Expr {
	l.Exprs[i] = fail.Must(expr.ResolveUnknown(l.Exprs[i]))
	return l.Exprs[i]
}

// byName finds the output column of a name: nil if there is none, 42702 if
// several differ.
func (l *SelectList) byName(name string, pos int, clause string) expr.Expr {
	var found expr.Expr
	for i, n := range l.Names {
		if n != name {
			continue
		}
		e := l.settled(i)
		if found != nil && !expr.Equal(found, e) {
			panic(sqlerr.New(sqlerr.AmbiguousColumn, `%s "%s" is ambiguous`, clause, name).At(pos))
		}
		found = e
	}
	return found
}

// bareName gives the name of an unqualified column reference.
func bareName(n tree.Expr) (string, bool) {
	c, ok := n.(*tree.ColumnRef)
	if !ok || c.Table != "" {
		return "", false
	}
	return c.Name, true
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
