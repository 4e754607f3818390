package oracle

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// printer writes Postgres text from a decoded AST. Everything is parenthesised
// and quoted, so that it needs no rules of its own.
type printer struct {
	strings.Builder
	st *dialect.Statement
}

func print(st *dialect.Statement) string {
	p := &printer{st: st}
	switch n := st.AST.(type) {
	case *ast.InsertStmt:
		p.insert(marker.Insert(n))
	case *ast.UpdateStmt:
		p.update(marker.Update(n))
	case *ast.DeleteStmt:
		p.delete(marker.Delete(n))
	default:
		p.query(marker.DecodeQuery(n))
	}
	return p.String()
}

func (p *printer) w(format string, args ...any) {
	if len(args) == 0 {
		p.WriteString(format)
		return
	}
	fmt.Fprintf(p, format, args...)
}

func q(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func str(s string) string {
	s = strings.ReplaceAll(s, `'`, `''`)
	if strings.Contains(s, `\`) {
		return "E'" + strings.ReplaceAll(s, `\`, `\\`) + "'"
	}
	return "'" + s + "'"
}

func qq(schema, name string) string {
	if schema == "" {
		return q(name)
	}
	return q(schema) + "." + q(name)
}

func list[T any](p *printer, items []T, each func(T)) {
	for i, it := range items {
		if i > 0 {
			p.w(", ")
		}
		each(it)
	}
}

func (p *printer) names(n []string) {
	list(p, n, func(s string) { p.w("%s", q(s)) })
}

func (p *printer) with(w *marker.With) {
	if w == nil {
		return
	}
	p.w("WITH ")
	if w.Recursive {
		p.w("RECURSIVE ")
	}
	list(p, w.CTEs, func(c marker.CTE) {
		p.w("%s", q(c.Name))
		if c.Columns != nil {
			p.w(" (")
			p.names(c.Columns)
			p.w(")")
		}
		p.w(" AS %s (", [...]string{"NOT MATERIALIZED", "", "MATERIALIZED"}[c.Materialized+1])
		p.query(marker.DecodeQuery(c.Query))
		p.w(")")
	})
	p.w(" ")
}

func (p *printer) query(v marker.Query) {
	if v == nil {
		panic("nil query")
	}
	o := v.Outer()
	p.with(o.With)
	var windows []marker.NamedWindow
	switch x := v.(type) {
	case *marker.SelectView:
		p.selectView(x)
		windows = x.Windows
	case *marker.ValuesView:
		p.w("VALUES ")
		list(p, x.Rows, func(r []ast.ExprNode) {
			p.w("(")
			p.exprs(r)
			p.w(")")
		})
	case *marker.SetOpView:
		p.w("(")
		p.query(x.Left)
		p.w(") %s ", [...]string{"", "UNION", "INTERSECT", "EXCEPT"}[x.Op])
		if x.All {
			p.w("ALL ")
		}
		p.w("(")
		p.query(x.Right)
		p.w(")")
	}
	if len(windows) > 0 {
		p.w(" WINDOW ")
		list(p, windows, func(w marker.NamedWindow) {
			p.w("%s AS ", q(w.Name))
			p.window(&w.Window)
		})
	}
	if len(o.OrderBy) > 0 {
		p.w(" ORDER BY ")
		p.order(o.OrderBy)
	}
	if o.WithTies {
		p.offset(o)
		p.w(" FETCH FIRST (")
		p.expr(o.Limit)
		p.w(") ROWS WITH TIES")
	} else {
		if o.Limit != nil {
			p.w(" LIMIT ")
			if v, ok := marker.Const(o.Limit); ok && v.Kind == literal.Null {
				p.w("NULL")
			} else {
				p.expr(o.Limit)
			}
		}
		p.offset(o)
	}
	for _, l := range o.Locks {
		p.w(" FOR %s", [...]string{"", "KEY SHARE", "SHARE", "NO KEY UPDATE", "UPDATE"}[l.Strength])
		if l.Of != nil {
			p.w(" OF ")
			p.names(l.Of)
		}
		if l.NoWait {
			p.w(" NOWAIT")
		}
		if l.SkipLocked {
			p.w(" SKIP LOCKED")
		}
	}
}

func (p *printer) offset(o *marker.Outer) {
	if o.Offset != nil {
		p.w(" OFFSET ")
		p.expr(o.Offset)
	}
}

func (p *printer) selectView(v *marker.SelectView) {
	p.w("SELECT ")
	if v.DistinctOn != nil {
		p.w("DISTINCT ON (")
		p.exprs(v.DistinctOn)
		p.w(") ")
	} else if v.Distinct {
		p.w("DISTINCT ")
	}
	p.items(v.Items)
	if len(v.From) > 0 {
		p.w(" FROM ")
		list(p, v.From, p.from)
	}
	if v.Where != nil {
		p.w(" WHERE ")
		p.expr(v.Where)
	}
	if v.GroupBy != nil {
		p.w(" GROUP BY ")
		if v.GroupDistinct {
			p.w("DISTINCT ")
		}
		list(p, v.GroupBy, p.group)
	}
	if v.Having != nil {
		p.w(" HAVING ")
		p.expr(v.Having)
	}
}

func (p *printer) items(items []marker.Item) {
	list(p, items, func(it marker.Item) {
		switch {
		case it.Star && it.Table == "":
			p.w("*")
		case it.Star:
			p.w("%s.*", qq(it.Schema, it.Table))
		case it.Name == "":
			p.expr(it.Expr)
		default:
			p.expr(it.Expr)
			p.w(" AS %s", q(it.Name))
		}
	})
}

func (p *printer) group(g marker.GroupItem) {
	switch g.Kind {
	case marker.GroupExpr:
		p.expr(g.Expr)
		return
	case marker.GroupEmpty:
		p.w("()")
		return
	}
	p.w("%s (", [...]string{"", "", "GROUPING SETS", "CUBE", "ROLLUP"}[g.Kind])
	list(p, g.Items, p.group)
	p.w(")")
}

func (p *printer) order(items []marker.OrderItem) {
	list(p, items, func(o marker.OrderItem) {
		p.expr(o.Expr)
		switch {
		case o.Using != "" && o.UsingSchema != "":
			p.w(" USING OPERATOR(%s.%s)", q(o.UsingSchema), o.Using)
		case o.Using != "":
			p.w(" USING %s", o.Using)
		case o.Desc:
			p.w(" DESC")
		}
		p.w("%s", [...]string{"", " NULLS FIRST", " NULLS LAST"}[o.Nulls])
	})
}

func (p *printer) alias(a marker.Alias) {
	if a.Name != "" {
		p.w(" AS %s", q(a.Name))
	}
	if a.Columns != nil {
		p.w(" (")
		p.names(a.Columns)
		p.w(")")
	}
}

func (p *printer) table(t *marker.TableRef) {
	if t.Only {
		p.w("ONLY ")
	}
	p.w("%s", qq(t.Schema, t.Name))
	p.alias(t.Alias)
	if t.Sample != nil {
		p.w(" TABLESAMPLE %s (", q(t.Sample.Method))
		p.exprs(t.Sample.Args)
		p.w(")")
		if t.Sample.Repeatable != nil {
			p.w(" REPEATABLE (")
			p.expr(t.Sample.Repeatable)
			p.w(")")
		}
	}
}

func (p *printer) coldefs(d []marker.ColDef) {
	p.w("(")
	list(p, d, func(c marker.ColDef) {
		p.w("%s %s", q(c.Name), c.Type.String())
		if c.Collation != "" {
			p.w(" COLLATE %s", q(c.Collation))
		}
	})
	p.w(")")
}

func (p *printer) from(f marker.From) {
	switch x := f.(type) {
	case *marker.TableRef:
		p.table(x)
	case *marker.Derived:
		if x.Lateral {
			p.w("LATERAL ")
		}
		p.w("(")
		p.query(marker.DecodeQuery(x.Query))
		p.w(")")
		p.alias(x.Alias)
	case *marker.FuncRef:
		if x.Lateral {
			p.w("LATERAL ")
		}
		if x.RowsFrom {
			p.w("ROWS FROM (")
		}
		list(p, x.Funcs, func(it marker.FuncItem) {
			p.expr(it.Expr)
			if it.ColDefs != nil {
				p.w(" AS ")
				p.coldefs(it.ColDefs)
			}
		})
		if x.RowsFrom {
			p.w(")")
		}
		if x.Ordinality {
			p.w(" WITH ORDINALITY")
		}
		if x.ColDefs != nil {
			p.w(" AS ")
			if !x.Implicit {
				p.w("%s", q(x.Alias.Name))
			}
			p.coldefs(x.ColDefs)
		} else if !x.Implicit {
			p.alias(x.Alias)
		}
	case *marker.Join:
		p.w("(")
		p.from(x.Left)
		if x.Natural {
			p.w(" NATURAL")
		}
		p.w(" %s JOIN ", [...]string{"", "INNER", "LEFT", "RIGHT", "FULL", "CROSS"}[x.Kind])
		p.from(x.Right)
		if x.Using != nil {
			p.w(" USING (")
			p.names(x.Using)
			p.w(")")
			if x.UsingAlias != "" {
				p.w(" AS %s", q(x.UsingAlias))
			}
		}
		if x.On != nil {
			p.w(" ON ")
			p.expr(x.On)
		}
		p.w(")")
		p.alias(x.Alias)
	default:
		panic(fmt.Sprintf("from %T", f))
	}
}

func (p *printer) exprs(e []ast.ExprNode) { list(p, e, p.expr) }

var binary = map[opcode.Op]string{
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.Mod: "%",
	opcode.LT: "<", opcode.GT: ">", opcode.LE: "<=", opcode.GE: ">=", opcode.EQ: "=", opcode.NE: "<>",
	opcode.LogicAnd: "AND", opcode.LogicOr: "OR", opcode.NullEQ: "IS NOT DISTINCT FROM",
}

func (p *printer) expr(e ast.ExprNode) {
	e = marker.Unparen(e)
	if v, ok := marker.Const(e); ok {
		p.constant(v)
		return
	}
	if c, ok := marker.Decode(e); ok {
		p.call(c)
		return
	}
	switch n := e.(type) {
	case *literal.Param:
		p.w("$%d", p.st.ParamNumber(n))
	case *ast.ColumnNameExpr:
		if n.Name.Schema.O != "" {
			p.w("%s.", q(n.Name.Schema.O))
		}
		if n.Name.Table.O != "" {
			p.w("%s.", q(n.Name.Table.O))
		}
		p.w("%s", q(n.Name.Name.O))
	case *ast.BinaryOperationExpr:
		p.w("(")
		p.expr(n.L)
		p.w(" %s ", binary[n.Op])
		p.expr(n.R)
		p.w(")")
	case *ast.UnaryOperationExpr:
		p.unary(n)
	case *ast.IsNullExpr:
		p.w("(")
		p.expr(n.Expr)
		p.w(" IS %sNULL)", not(n.Not))
	case *ast.IsTruthExpr:
		p.w("(")
		p.expr(n.Expr)
		p.w(" IS %s%s)", not(n.Not), [...]string{"FALSE", "TRUE"}[n.True])
	case *ast.BetweenExpr:
		p.w("(")
		p.expr(n.Expr)
		p.w(" %sBETWEEN ", not(n.Not))
		p.expr(n.Left)
		p.w(" AND ")
		p.expr(n.Right)
		p.w(")")
	case *ast.PatternInExpr:
		p.w("(")
		p.expr(n.Expr)
		p.w(" %sIN ", not(n.Not))
		if n.Sel != nil {
			p.expr(n.Sel)
		} else {
			p.w("(")
			p.exprs(n.List)
			p.w(")")
		}
		p.w(")")
	case *ast.SubqueryExpr:
		p.w("(")
		p.query(marker.DecodeQuery(n.Query))
		p.w(")")
	case *ast.ExistsSubqueryExpr:
		p.w("(%sEXISTS ", not(n.Not))
		p.expr(n.Sel)
		p.w(")")
	case *ast.CaseExpr:
		p.w("CASE")
		if n.Value != nil {
			p.w(" ")
			p.expr(n.Value)
		}
		for _, w := range n.WhenClauses {
			p.w(" WHEN ")
			p.expr(w.Expr)
			p.w(" THEN ")
			p.expr(w.Result)
		}
		if n.ElseClause != nil {
			p.w(" ELSE ")
			p.expr(n.ElseClause)
		}
		p.w(" END")
	case *ast.DefaultExpr:
		p.w("DEFAULT")
	default:
		panic(fmt.Sprintf("expression %T", e))
	}
}

func not(n bool) string {
	if n {
		return "NOT "
	}
	return ""
}

func (p *printer) unary(n *ast.UnaryOperationExpr) {
	switch n.Op {
	case opcode.Minus:
		p.w("(- ")
	case opcode.Plus:
		p.w("(+ ")
	case opcode.Not, opcode.Not2:
		if b, ok := marker.Unparen(n.V).(*ast.BinaryOperationExpr); ok && b.Op == opcode.NullEQ {
			p.w("(")
			p.expr(b.L)
			p.w(" IS DISTINCT FROM ")
			p.expr(b.R)
			p.w(")")
			return
		}
		p.w("(NOT ")
	default:
		panic(fmt.Sprint("unary ", n.Op))
	}
	p.expr(n.V)
	p.w(")")
}

func (p *printer) constant(v literal.Value) {
	switch v.Kind {
	case literal.Null:
		p.w("NULL")
	case literal.Bool:
		p.w("%s", map[string]string{"t": "TRUE", "f": "FALSE"}[v.Text])
	case literal.String:
		p.w("%s", str(v.Text))
	case literal.Bits:
		p.w("%s'%s'", v.Text[:1], v.Text[1:])
	default:
		p.w("%s", v.Text)
	}
}

func opName(c marker.Call) string {
	if c.Schema != "" {
		return "OPERATOR(" + q(c.Schema) + "." + c.Name + ")"
	}
	return c.Name
}

func (p *printer) call(c marker.Call) {
	switch c.Kind {
	case marker.Func:
		p.function(c)
	case marker.Op:
		p.operator(c)
	case marker.Cast:
		if c.Syntax == "implicit" {
			p.expr(c.Args[0])
			p.w("::integer")
			return
		}
		p.w("CAST(")
		p.expr(c.Args[0])
		p.w(" AS %s)", c.Type.String())
	case marker.Any, marker.All:
		p.w("(")
		p.expr(c.Args[0])
		name := opName(c)
		switch c.Name {
		case "~~", "!~~", "~~*", "!~~*":
			name = map[string]string{"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE"}[c.Name]
		}
		p.w(" %s %s ", name, map[marker.Kind]string{marker.Any: "ANY", marker.All: "ALL"}[c.Kind])
		if _, ok := c.Args[1].(*ast.SubqueryExpr); ok {
			p.expr(c.Args[1])
		} else {
			p.w("(")
			p.expr(c.Args[1])
			p.w(")")
		}
		p.w(")")
	case marker.Array:
		p.w("ARRAY")
		p.array(c)
	case marker.ArrayQuery:
		p.w("ARRAY")
		p.expr(c.Args[0])
	case marker.Subscript:
		p.base(c.Args[0])
		p.w("[")
		p.expr(c.Args[1])
		p.w("]")
	case marker.Slice:
		p.base(c.Args[0])
		p.w("[")
		if c.Args[1] != nil {
			p.expr(c.Args[1])
		}
		p.w(":")
		if c.Args[2] != nil {
			p.expr(c.Args[2])
		}
		p.w("]")
	case marker.Field:
		p.composite(c.Args[0])
		p.w(".%s", q(c.Name))
	case marker.FieldStar:
		p.composite(c.Args[0])
		p.w(".*")
	case marker.WholeRow:
		p.w("%s.*", qq(c.Schema, c.Name))
	case marker.Row:
		if c.Syntax == "row" {
			p.w("ROW")
		}
		p.w("(")
		p.exprs(c.Args)
		p.w(")")
	case marker.Collate:
		p.w("(")
		p.expr(c.Args[0])
		p.w(" COLLATE %s)", qq(c.Schema, c.Name))
	case marker.Keyword:
		p.w("%s", c.Name)
		if len(c.Args) > 0 {
			p.w("(")
			p.exprs(c.Args)
			p.w(")")
		}
	case marker.Special:
		p.special(c)
	default:
		panic(fmt.Sprint("call ", c.Kind))
	}
}

// base writes what subscripts and fields apply to: a column or parameter, or a
// chain of them, needs no parentheses; anything else has them.
func (p *printer) base(e ast.ExprNode) {
	switch e.(type) {
	case *ast.ColumnNameExpr, *literal.Param:
		p.expr(e)
		return
	}
	if c, ok := marker.Decode(e); ok {
		switch c.Kind {
		case marker.Subscript, marker.Slice, marker.Field:
			p.expr(e)
			return
		}
	}
	p.w("(")
	p.expr(e)
	p.w(")")
}

// composite is base for a field: after a column's name alone, a dot would
// qualify the name.
func (p *printer) composite(e ast.ExprNode) {
	if _, ok := e.(*ast.ColumnNameExpr); ok {
		p.w("(")
		p.expr(e)
		p.w(")")
		return
	}
	p.base(e)
}

func (p *printer) array(c marker.Call) {
	p.w("[")
	list(p, c.Args, func(e ast.ExprNode) { p.expr(e) })
	p.w("]")
}

func (p *printer) special(c marker.Call) {
	p.w("(")
	p.expr(c.Args[0])
	switch c.Name {
	case "between symmetric", "not between symmetric":
		p.w(" %s ", c.Name)
		p.expr(c.Args[1])
		p.w(" AND ")
		p.expr(c.Args[2])
	default:
		p.w(" %s", c.Name)
	}
	p.w(")")
}

func (p *printer) operator(c marker.Call) {
	p.w("(")
	switch {
	case c.Syntax != "":
		p.expr(c.Args[0])
		p.w(" %s ", strings.ToUpper(c.Syntax))
		p.expr(c.Args[1])
		if len(c.Args) == 3 {
			p.w(" ESCAPE ")
			p.expr(c.Args[2])
		}
	case len(c.Args) == 1:
		p.w("%s ", opName(c))
		p.expr(c.Args[0])
	default:
		p.expr(c.Args[0])
		p.w(" %s ", opName(c))
		p.expr(c.Args[1])
	}
	p.w(")")
}

func (p *printer) function(c marker.Call) {
	p.w("%s(", qq(c.Schema, c.Name))
	switch {
	case c.Star:
		p.w("*")
	case c.Distinct:
		p.w("DISTINCT ")
	case c.All:
		p.w("ALL ")
	}
	for i, a := range c.Args {
		if i > 0 {
			p.w(", ")
		}
		if c.Variadic && i == len(c.Args)-1 {
			p.w("VARIADIC ")
		}
		if c.ArgNames != nil && c.ArgNames[i] != "" {
			p.w("%s => ", q(c.ArgNames[i]))
		}
		p.expr(a)
	}
	if c.OrderBy != nil && !c.Within {
		p.w(" ORDER BY ")
		p.order(c.OrderBy)
	}
	p.w(")")
	if c.Within {
		p.w(" WITHIN GROUP (ORDER BY ")
		p.order(c.OrderBy)
		p.w(")")
	}
	if c.Filter != nil {
		p.w(" FILTER (WHERE ")
		p.expr(c.Filter)
		p.w(")")
	}
	if c.Over != nil {
		p.w(" OVER ")
		p.window(c.Over)
	}
}

func (p *printer) window(w *marker.Window) {
	if w.Bare {
		p.w("%s", q(w.Ref))
		return
	}
	p.w("(")
	if w.Ref != "" {
		p.w("%s", q(w.Ref))
	}
	if w.PartitionBy != nil {
		p.w(" PARTITION BY ")
		p.exprs(w.PartitionBy)
	}
	if w.OrderBy != nil {
		p.w(" ORDER BY ")
		p.order(w.OrderBy)
	}
	if f := w.Frame; f != nil {
		p.w(" %s ", [...]string{"", "ROWS", "RANGE", "GROUPS"}[f.Mode])
		if f.Between {
			p.w("BETWEEN ")
		}
		p.bound(f.Start)
		if f.Between {
			p.w(" AND ")
			p.bound(f.End)
		}
		p.w("%s", [...]string{"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}[f.Exclude])
	}
	p.w(")")
}

func (p *printer) bound(b marker.Bound) {
	if b.Offset != nil {
		p.expr(b.Offset)
	}
	p.w(" %s", [...]string{"", "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[b.Kind])
}

func (p *printer) target(t marker.Target) {
	switch {
	case t.Subscript != nil:
		p.expr(t.Subscript)
	case t.Family != "":
		p.w("%s.%s", q(t.Family), q(t.Name))
	default:
		p.w("%s", q(t.Name))
	}
}

func (p *printer) set(s []marker.Assign) {
	list(p, s, func(a marker.Assign) {
		if a.Multi {
			p.w("(")
		}
		list(p, a.Targets, p.target)
		if a.Multi {
			p.w(")")
		}
		p.w(" = ")
		p.expr(a.Expr)
	})
}

func (p *printer) returning(items []marker.Item) {
	if items != nil {
		p.w(" RETURNING ")
		p.items(items)
	}
}

func (p *printer) where(e ast.ExprNode, cursor string) {
	switch {
	case cursor != "":
		p.w(" WHERE CURRENT OF %s", q(cursor))
	case e != nil:
		p.w(" WHERE ")
		p.expr(e)
	}
}

func (p *printer) insert(v *marker.InsertView) {
	p.with(v.With)
	p.w("INSERT INTO ")
	p.table(&v.Table)
	if v.Columns != nil {
		p.w(" (")
		list(p, v.Columns, p.target)
		p.w(")")
	}
	if v.Overriding != "" {
		p.w(" OVERRIDING %s VALUE", v.Overriding)
	}
	switch {
	case v.DefaultValues:
		p.w(" DEFAULT VALUES")
	case v.Query != nil:
		p.w(" ")
		p.query(marker.DecodeQuery(v.Query))
	default:
		p.w(" VALUES ")
		list(p, v.Rows, func(r []ast.ExprNode) {
			p.w("(")
			p.exprs(r)
			p.w(")")
		})
	}
	if c := v.Conflict; c != nil {
		p.conflict(c)
	}
	p.returning(v.Returning)
}

func (p *printer) conflict(c *marker.Conflict) {
	p.w(" ON CONFLICT ")
	if c.Targets != nil {
		p.w("(")
		list(p, c.Targets, func(t marker.ConflictTarget) {
			if _, ok := t.Expr.(*ast.ColumnNameExpr); ok {
				p.expr(t.Expr)
			} else {
				p.w("(")
				p.expr(t.Expr)
				p.w(")")
			}
			if t.Collation != "" {
				p.w(" COLLATE %s", q(t.Collation))
			}
			if t.OpClass != "" {
				p.w(" %s", q(t.OpClass))
			}
		})
		p.w(")")
	}
	if c.TargetWhere != nil {
		p.w(" WHERE ")
		p.expr(c.TargetWhere)
	}
	if c.Constraint != "" {
		p.w("ON CONSTRAINT %s", q(c.Constraint))
	}
	if c.DoNothing {
		p.w(" DO NOTHING")
		return
	}
	p.w(" DO UPDATE SET ")
	p.set(c.Set)
	p.where(c.Where, "")
}

func (p *printer) update(v *marker.UpdateView) {
	p.with(v.With)
	p.w("UPDATE ")
	p.table(&v.Table)
	p.w(" SET ")
	p.set(v.Set)
	if v.From != nil {
		p.w(" FROM ")
		list(p, v.From, p.from)
	}
	p.where(v.Where, v.CurrentOf)
	p.returning(v.Returning)
}

func (p *printer) delete(v *marker.DeleteView) {
	p.with(v.With)
	p.w("DELETE FROM ")
	p.table(&v.Table)
	if v.Using != nil {
		p.w(" USING ")
		list(p, v.Using, p.from)
	}
	p.where(v.Where, v.CurrentOf)
	p.returning(v.Returning)
}
