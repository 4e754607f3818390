package oracle

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// printer writes Postgres text from a tree. Everything is parenthesised
// and quoted, so that it needs no rules of its own.
type printer struct{ strings.Builder }

func print(st *tree.Statement) string {
	p := &printer{}
	switch n := st.DML.(type) {
	case *tree.Insert:
		p.insert(n)
	case *tree.Update:
		p.update(n)
	case *tree.Delete:
		p.delete(n)
	case tree.Query:
		p.query(n)
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

func (p *printer) with(w *tree.With) {
	if w == nil {
		return
	}
	p.w("WITH ")
	if w.Recursive {
		p.w("RECURSIVE ")
	}
	list(p, w.CTEs, func(c tree.CTE) {
		p.w("%s", q(c.Name))
		if c.Columns != nil {
			p.w(" (")
			p.names(c.Columns)
			p.w(")")
		}
		p.w(" AS %s (", [...]string{"NOT MATERIALIZED", "", "MATERIALIZED"}[c.Materialized+1])
		p.query(c.Query)
		p.w(")")
	})
	p.w(" ")
}

func (p *printer) query(v tree.Query) {
	if v == nil {
		panic("nil query")
	}
	o := v.Outer()
	p.with(o.With)
	var windows []tree.NamedWindow
	switch x := v.(type) {
	case *tree.Select:
		p.selectView(x)
		windows = x.Windows
	case *tree.Values:
		p.w("VALUES ")
		list(p, x.Rows, func(r []tree.Expr) {
			p.w("(")
			p.exprs(r)
			p.w(")")
		})
	case *tree.SetOp:
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
		list(p, windows, func(w tree.NamedWindow) {
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
			if v, ok := o.Limit.(*tree.Const); ok && v.Kind == tree.Null {
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

func (p *printer) offset(o *tree.Clauses) {
	if o.Offset != nil {
		p.w(" OFFSET ")
		p.expr(o.Offset)
	}
}

func (p *printer) selectView(v *tree.Select) {
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

func (p *printer) items(items []tree.Item) {
	list(p, items, func(it tree.Item) {
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

func (p *printer) group(g tree.GroupItem) {
	switch g.Kind {
	case tree.GroupExpr:
		p.expr(g.Expr)
		return
	case tree.GroupEmpty:
		p.w("()")
		return
	}
	p.w("%s (", [...]string{"", "", "GROUPING SETS", "CUBE", "ROLLUP"}[g.Kind])
	list(p, g.Items, p.group)
	p.w(")")
}

func (p *printer) order(items []tree.OrderItem) {
	list(p, items, func(o tree.OrderItem) {
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

func (p *printer) alias(a tree.Alias) {
	if a.Name != "" {
		p.w(" AS %s", q(a.Name))
	}
	if a.Columns != nil {
		p.w(" (")
		p.names(a.Columns)
		p.w(")")
	}
}

func (p *printer) table(t *tree.TableRef) {
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

func (p *printer) coldefs(d []tree.ColDef) {
	p.w("(")
	list(p, d, func(c tree.ColDef) {
		p.w("%s %s", q(c.Name), c.Type.String())
		if c.Collation != "" {
			p.w(" COLLATE %s", q(c.Collation))
		}
	})
	p.w(")")
}

func (p *printer) from(f tree.From) {
	switch x := f.(type) {
	case *tree.TableRef:
		p.table(x)
	case *tree.Derived:
		if x.Lateral {
			p.w("LATERAL ")
		}
		p.w("(")
		p.query(x.Query)
		p.w(")")
		p.alias(x.Alias)
	case *tree.FuncRef:
		if x.Lateral {
			p.w("LATERAL ")
		}
		if x.RowsFrom {
			p.w("ROWS FROM (")
		}
		list(p, x.Funcs, func(it tree.FuncItem) {
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
	case *tree.Join:
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

func (p *printer) exprs(e []tree.Expr) { list(p, e, p.expr) }

func (p *printer) expr(e tree.Expr) {
	switch n := e.(type) {
	case *tree.Const:
		p.constant(n)
	case *tree.Param:
		p.w("$%d", n.Number)
	case *tree.ColumnRef:
		if n.Schema != "" {
			p.w("%s.", q(n.Schema))
		}
		if n.Table != "" {
			p.w("%s.", q(n.Table))
		}
		p.w("%s", q(n.Name))
	case *tree.Op:
		p.operator(n)
	case *tree.And:
		p.chain("AND", n.Args)
	case *tree.Or:
		p.chain("OR", n.Args)
	case *tree.Not:
		p.w("(NOT ")
		p.expr(n.X)
		p.w(")")
	case *tree.Distinct:
		p.w("(")
		p.expr(n.Left)
		p.w(" IS %sDISTINCT FROM ", not(n.Not))
		p.expr(n.Right)
		p.w(")")
	case *tree.NullTest:
		p.is(n.X, n.Not, "NULL")
	case *tree.BoolTest:
		p.is(n.X, n.Not, n.Test)
	case *tree.IsDocument:
		p.is(n.X, n.Not, "DOCUMENT")
	case *tree.Between:
		p.w("(")
		p.expr(n.X)
		p.w(" %sBETWEEN ", not(n.Not))
		if n.Symmetric {
			p.w("SYMMETRIC ")
		}
		p.expr(n.Low)
		p.w(" AND ")
		p.expr(n.High)
		p.w(")")
	case *tree.In:
		p.w("(")
		p.expr(n.X)
		p.w(" %sIN ", not(n.Not))
		if n.Query != nil {
			p.expr(n.Query)
		} else {
			p.w("(")
			p.exprs(n.List)
			p.w(")")
		}
		p.w(")")
	case *tree.AnyAll:
		p.anyAll(n)
	case *tree.Subquery:
		p.subquery("", n.Query)
	case *tree.Exists:
		p.subquery("EXISTS ", n.Query)
	case *tree.ArrayQuery:
		p.subquery("ARRAY", n.Query)
	case *tree.Case:
		p.caseExpr(n)
	case *tree.Cast:
		if n.Spelling == "implicit" {
			p.expr(n.X)
			p.w("::integer")
			return
		}
		p.w("CAST(")
		p.expr(n.X)
		p.w(" AS %s)", n.Type.String())
	case *tree.Collate:
		p.w("(")
		p.expr(n.X)
		p.w(" COLLATE %s)", qq(n.Schema, n.Name))
	case *tree.Func:
		p.function(n)
	case *tree.Keyword:
		p.w("%s", n.Name)
		if len(n.Args) > 0 {
			p.w("(")
			p.exprs(n.Args)
			p.w(")")
		}
	case *tree.Default:
		p.w("DEFAULT")
	default:
		p.composite(e)
	}
}

// composite prints rows, arrays and what takes parts of them.
func (p *printer) composite(e tree.Expr) {
	switch n := e.(type) {
	case *tree.Array:
		p.w("ARRAY[")
		p.exprs(n.Elems)
		p.w("]")
	case *tree.Subscript:
		p.base(n.X)
		p.w("[")
		p.expr(n.Index)
		p.w("]")
	case *tree.Slice:
		p.base(n.X)
		p.w("[")
		if n.Low != nil {
			p.expr(n.Low)
		}
		p.w(":")
		if n.High != nil {
			p.expr(n.High)
		}
		p.w("]")
	case *tree.Field:
		p.record(n.X)
		p.w(".%s", q(n.Name))
	case *tree.FieldStar:
		p.record(n.X)
		p.w(".*")
	case *tree.WholeRow:
		p.w("%s.*", qq(n.Schema, n.Table))
	case *tree.Row:
		if n.Named {
			p.w("ROW")
		}
		p.w("(")
		p.exprs(n.Fields)
		p.w(")")
	default:
		panic(fmt.Sprintf("expression %T", e))
	}
}

func (p *printer) chain(op string, args []tree.Expr) {
	p.w("%s", strings.Repeat("(", len(args)-1))
	for i, a := range args {
		if i > 0 {
			p.w(" %s ", op)
		}
		p.expr(a)
		if i > 0 {
			p.w(")")
		}
	}
}

func (p *printer) is(x tree.Expr, n bool, what string) {
	p.w("(")
	p.expr(x)
	p.w(" IS %s%s)", not(n), what)
}

func (p *printer) subquery(before string, query tree.Query) {
	p.w("(%s(", before)
	p.query(query)
	p.w("))")
}

func (p *printer) caseExpr(n *tree.Case) {
	p.w("CASE")
	if n.Operand != nil {
		p.w(" ")
		p.expr(n.Operand)
	}
	for _, w := range n.Whens {
		p.w(" WHEN ")
		p.expr(w.Cond)
		p.w(" THEN ")
		p.expr(w.Result)
	}
	if n.Else != nil {
		p.w(" ELSE ")
		p.expr(n.Else)
	}
	p.w(" END")
}

func (p *printer) anyAll(n *tree.AnyAll) {
	p.w("(")
	p.expr(n.Left)
	name := opName(n.Schema, n.Name)
	switch n.Name {
	case "~~", "!~~", "~~*", "!~~*":
		name = map[string]string{"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE"}[n.Name]
	}
	quantifier := "ANY"
	if n.All {
		quantifier = "ALL"
	}
	p.w(" %s %s (", name, quantifier)
	if sub, ok := n.Right.(*tree.Subquery); ok {
		p.query(sub.Query)
	} else {
		p.expr(n.Right)
	}
	p.w("))")
}

func not(n bool) string {
	if n {
		return "NOT "
	}
	return ""
}

func (p *printer) constant(v *tree.Const) {
	switch v.Kind {
	case tree.Null:
		p.w("NULL")
	case tree.Bool:
		p.w("%s", map[string]string{"t": "TRUE", "f": "FALSE"}[v.Text])
	case tree.String:
		p.w("%s", str(v.Text))
	case tree.Bits:
		p.w("%s'%s'", v.Text[:1], v.Text[1:])
	default:
		p.w("%s", v.Text)
	}
}

func opName(schema, name string) string {
	if schema != "" {
		return "OPERATOR(" + q(schema) + "." + name + ")"
	}
	return name
}

// base writes what subscripts and fields apply to: a column or parameter, or a
// chain of them, needs no parentheses; anything else has them.
func (p *printer) base(e tree.Expr) {
	switch e.(type) {
	case *tree.ColumnRef, *tree.Param, *tree.Subscript, *tree.Slice, *tree.Field:
		p.expr(e)
		return
	}
	p.w("(")
	p.expr(e)
	p.w(")")
}

// record is base for a field: after a column's name alone, a dot would qualify
// the name.
func (p *printer) record(e tree.Expr) {
	if _, ok := e.(*tree.ColumnRef); ok {
		p.w("(")
		p.expr(e)
		p.w(")")
		return
	}
	p.base(e)
}

func (p *printer) operator(n *tree.Op) {
	p.w("(")
	name := opName(n.Schema, n.Name)
	if n.Spelling != "" {
		name = strings.ToUpper(n.Spelling)
	}
	if n.Left != nil {
		p.expr(n.Left)
		p.w(" ")
	}
	p.w("%s ", name)
	p.expr(n.Right)
	if n.Escape != nil {
		p.w(" ESCAPE ")
		p.expr(n.Escape)
	}
	p.w(")")
}

func (p *printer) function(c *tree.Func) {
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

func (p *printer) window(w *tree.Window) {
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

func (p *printer) bound(b tree.Bound) {
	if b.Offset != nil {
		p.expr(b.Offset)
	}
	p.w(" %s", [...]string{"", "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[b.Kind])
}

func (p *printer) target(t tree.Target) {
	switch {
	case t.Subscript != nil:
		p.expr(t.Subscript)
	case t.Family != "":
		p.w("%s.%s", q(t.Family), q(t.Name))
	default:
		p.w("%s", q(t.Name))
	}
}

func (p *printer) set(s []tree.Assign) {
	list(p, s, func(a tree.Assign) {
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

func (p *printer) returning(items []tree.Item) {
	if items != nil {
		p.w(" RETURNING ")
		p.items(items)
	}
}

func (p *printer) where(e tree.Expr, cursor string) {
	switch {
	case cursor != "":
		p.w(" WHERE CURRENT OF %s", q(cursor))
	case e != nil:
		p.w(" WHERE ")
		p.expr(e)
	}
}

func (p *printer) insert(v *tree.Insert) {
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
		p.query(v.Query)
	default:
		p.w(" VALUES ")
		list(p, v.Rows, func(r []tree.Expr) {
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

func (p *printer) conflict(c *tree.Conflict) {
	p.w(" ON CONFLICT ")
	if c.Targets != nil {
		p.w("(")
		list(p, c.Targets, func(t tree.ConflictTarget) {
			if _, ok := t.Expr.(*tree.ColumnRef); ok {
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

func (p *printer) update(v *tree.Update) {
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

func (p *printer) delete(v *tree.Delete) {
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
