package viewtext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// sortItem prints an expression of GROUP BY, ORDER BY or DISTINCT ON, which must be no bare
// number and nothing that begins like a name.
func (p *viewPrinter) sortItem(e expr.Expr, l *printedLevel) string {
	text := p.expr(e, l)
	if p.rowType(e, l) != "" {
		return text
	}
	switch x := e.(type) {
	case *expr.Col:
		if it, _ := l.find(x.Index); it != nil {
			return text
		}
		return "(" + text + ")"
	case *expr.Const:
		if !strings.Contains(text, "::") {
			text += "::" + x.T.Label()
		}
		return text
	case *expr.Call:
		if !p.pretty && strings.HasPrefix(text, "(") {
			return text
		}
		return "(" + text + ")"
	}
	if p.pretty {
		return "(" + text + ")"
	}
	return text
}

// keys prints ORDER BY; ordinals are the columns that must go by number.
func (p *viewPrinter) keys(keys []plan.SortKey, l *printedLevel, ordinals []scope.Column) string {
	var parts []string
	for _, k := range keys {
		text := ""
		if c, ok := k.Expr.(*expr.Col); ok && ordinals != nil {
			i := slices.IndexFunc(ordinals, func(o scope.Column) bool { return o.ID == c.Index })
			text = strconv.Itoa(i + 1)
		} else {
			text = p.sortItem(k.Expr, l)
		}
		switch {
		case k.Desc && k.NullsFirst:
			text += " DESC"
		case k.Desc:
			text += " DESC NULLS LAST"
		case k.NullsFirst:
			text += " NULLS FIRST"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func (p *viewPrinter) list(es []expr.Expr, l *printedLevel, sep string) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = p.expr(e, l)
	}
	return strings.Join(parts, sep)
}

// expr prints an expression. What stands for another thing by its ID, and queries, become
// atoms of their text.
func (p *viewPrinter) expr(e expr.Expr, l *printedLevel) string {
	e, err := eval.Settle(p.env, e)
	if err != nil {
		p.fail(err)
		return ""
	}
	atom := func(text string, t types.T) expr.Expr { return &expr.Col{Name: text, T: t} }
	out, err := expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		switch x := x.(type) {
		case *expr.Col:
			return atom(p.column(x, l), x.T), nil
		case *logical.Subquery:
			return atom(p.sub(x, l), x.T), nil
		case *expr.Call:
			if text, ok := p.record(x, l); ok {
				return atom(text, x.T), nil
			}
		case *expr.IsNull:
			if x.X.Type().Kind == types.Record { // IS NULL would ask for its fields
				return atom("("+p.expr(x.X, l)+" IS NOT DISTINCT FROM NULL)", types.Of(types.Bool)), nil
			}
		case *expr.Not:
			if n, ok := x.X.(*expr.IsNull); ok && n.X.Type().Kind == types.Record {
				return atom("("+p.expr(n.X, l)+" IS DISTINCT FROM NULL)", types.Of(types.Bool)), nil
			}
			if s, ok := x.X.(*logical.Subquery); ok && p.Subs[s] != nil && p.Subs[s].All {
				return atom(p.sub(s, l), types.Of(types.Bool)), nil
			}
		case *expr.Const:
			if x.T.Kind == types.Regclass && !x.Value.Null {
				id := uint32(x.Value.Int)
				p.reads[id] = true
				named := *x
				named.Name = catalog.MarkRelation(id)
				return &named, nil
			}
		}
		return nil, nil
	})
	if err != nil {
		p.fail(err)
		return ""
	}
	return expr.Print(out, p.pretty, p)
}

// TypeName marks a type of users, which may be renamed.
func (p *viewPrinter) TypeName(t types.T) string {
	if d := t.Domain(); d != nil {
		p.reads[d.ID] = true
	} else {
		p.reads[t.User().ID] = true
	}
	return catalog.MarkType(t)
}

// EnumValue marks a value of an enum, which may be renamed.
func (p *viewPrinter) EnumValue(t types.T, code int64) string {
	p.reads[t.User().ID] = true
	return catalog.MarkLabel(t, code)
}

// find gives the item of l whose column has an ID, and which column; nil for none.
func (l *printedLevel) find(id logical.ColumnID) (*printedItem, int) {
	for i := range l.items {
		n := 0
		for c := range l.items[i].rel.All {
			if c.ID == id && c.Merged == nil {
				return &l.items[i], n
			}
			n++
		}
	}
	return nil, 0
}

func (it *printedItem) column(i int) *scope.Column {
	if i < len(it.rel.Cols) {
		return &it.rel.Cols[i]
	}
	return &it.rel.System[i-len(it.rel.Cols)]
}

// name is what the text calls a column: of two with one name the second has a number.
func (it *printedItem) name(i int) string {
	if i < len(it.names) {
		return it.names[i]
	}
	return it.column(i).Name
}

// uniqueNames are names for columns, each once; nil where they have such names.
func uniqueNames(cols []scope.Column) []string {
	seen := make(map[string]bool, len(cols))
	for i := range cols {
		seen[cols[i].Name] = true
	}
	if len(seen) == len(cols) {
		return nil
	}
	out := make([]string, len(cols))
	given := map[string]bool{}
	for i := range cols {
		out[i] = cols[i].Name
		for n := 1; given[out[i]] || out[i] != cols[i].Name && seen[out[i]]; n++ {
			out[i] = cols[i].Name + "_" + strconv.Itoa(n)
		}
		given[out[i]] = true
	}
	return out
}

// stored gives the relation and the number of a column that goes by its own name.
func (it *printedItem) stored(i int) (relation uint32, column int, ok bool) {
	if f, named := it.from.(*tree.TableRef); !named || i < len(f.Alias.Columns) {
		return 0, 0, false
	}
	switch r := it.read.(type) {
	case *catalog.Table:
		return r.ID, r.Columns[i].ID, true
	case *catalog.View:
		return r.ID, i + 1, true
	}
	return 0, 0, false
}

// column prints what stands for a column, an aggregate, a window function or a set.
func (p *viewPrinter) column(c *expr.Col, at *printedLevel) string {
	for l := at; l != nil; l = l.parent {
		if it, i := l.find(c.Index); it != nil {
			p.use(it, i, false)
			name := ident.Quote(it.name(i))
			if rel, n, ok := it.stored(i); ok {
				name = catalog.MarkColumn(rel, n)
			}
			return catalog.MarkItem(it.n) + "." + name
		}
		if it := l.rowColumn(c.Index); it != nil {
			return catalog.MarkItem(it.n) + ".*"
		}
		s := l.sel
		if s == nil {
			continue
		}
		if i := slices.Index(s.Aggs.IDs, c.Index); i >= 0 {
			return p.agg(&s.Aggs.Calls[i], l)
		}
		for _, g := range s.Groupings {
			if g.ID == c.Index {
				return "GROUPING(" + p.list(g.Args, l, ", ") + ")"
			}
		}
		for _, w := range s.Windows {
			if i := slices.Index(w.Cols, c.Index); i >= 0 {
				return p.window(w, &w.Calls[i], l)
			}
		}
		for i := range s.Sets {
			if s.Sets[i].ID == c.Index {
				return s.Sets[i].Call.Name + "(" + p.list(s.Sets[i].Call.Args, l, ", ") + ")"
			}
		}
	}
	p.fail(notKept(fmt.Errorf("the column %q cannot be named there", c.Name)))
	return ""
}

// use notes a column of a stored relation that the text names.
func (p *viewPrinter) use(it *printedItem, i int, fixed bool) {
	switch r := it.read.(type) {
	case *catalog.Table:
		k := [2]int{int(r.ID), r.Columns[i].ID}
		p.uses[k] = p.uses[k] || fixed
	case *catalog.View:
		k := [2]int{int(r.ID), i + 1}
		p.uses[k] = p.uses[k] || fixed
	}
}

func (p *viewPrinter) agg(a *plan.AggCall, l *printedLevel) string {
	var b strings.Builder
	args := a.Agg.Written(a.Args)
	within := (expr.IsWithin(a.Agg.Name) || expr.IsHypothetical(a.Agg.Name)) && len(a.OrderBy) > 0
	if within {
		args = args[:len(args)-len(a.OrderBy)]
	}
	b.WriteString(a.Agg.Name + "(")
	if a.Distinct {
		b.WriteString("DISTINCT ")
	}
	if len(args) == 0 && !within {
		b.WriteString("*")
	}
	b.WriteString(p.list(args, l, ", "))
	if within {
		b.WriteString(") WITHIN GROUP (ORDER BY " + p.keys(a.OrderBy, l, nil))
	} else if len(a.OrderBy) > 0 {
		b.WriteString(" ORDER BY " + p.keys(a.OrderBy, l, nil))
	}
	b.WriteString(")")
	if a.Filter != nil {
		b.WriteString(" FILTER (WHERE " + p.expr(a.Filter, l) + ")")
	}
	return b.String()
}

func (p *viewPrinter) window(w *logical.Window, c *plan.WindowCall, l *printedLevel) string {
	var b strings.Builder
	if c.Agg != nil {
		b.WriteString(p.agg(&plan.AggCall{Agg: c.Agg, Args: c.Args, Filter: c.Filter}, l))
	} else {
		b.WriteString(c.Func.Name + "(" + p.list(c.Args, l, ", ") + ")")
	}
	var parts []string
	if len(w.Partition) > 0 {
		keys := make([]plan.SortKey, len(w.Partition))
		for i, e := range w.Partition {
			keys[i].Expr = e
		}
		parts = append(parts, "PARTITION BY "+p.keys(keys, l, nil))
	}
	if len(w.Order) > 0 {
		parts = append(parts, "ORDER BY "+p.keys(w.Order, l, nil))
	}
	if f := p.frame(&c.Frame, l); f != "" {
		parts = append(parts, f)
	}
	return b.String() + " OVER (" + strings.Join(parts, " ") + ")"
}

// frame prints a frame; "" for the one that is meant where none is written.
func (p *viewPrinter) frame(f *plan.Frame, l *printedLevel) string {
	if f.Mode == plan.FrameRange && f.Start.Kind == plan.UnboundedPreceding && f.End.Kind == plan.CurrentRow && f.Exclude == plan.ExcludeNoOthers {
		return ""
	}
	bound := func(b *plan.Bound) string {
		switch b.Kind {
		case plan.UnboundedPreceding:
			return "UNBOUNDED PRECEDING"
		case plan.OffsetPreceding:
			return p.expr(b.Offset, l) + " PRECEDING"
		case plan.OffsetFollowing:
			return p.expr(b.Offset, l) + " FOLLOWING"
		case plan.UnboundedFollowing:
			return "UNBOUNDED FOLLOWING"
		}
		return "CURRENT ROW"
	}
	return [...]string{plan.FrameRows: "ROWS", plan.FrameRange: "RANGE", plan.FrameGroups: "GROUPS"}[f.Mode] +
		" BETWEEN " + bound(&f.Start) + " AND " + bound(&f.End) +
		[...]string{plan.ExcludeNoOthers: "", plan.ExcludeCurrentRow: " EXCLUDE CURRENT ROW", plan.ExcludeGroup: " EXCLUDE GROUP", plan.ExcludeTies: " EXCLUDE TIES"}[f.Exclude]
}

// sub prints a query in an expression.
func (p *viewPrinter) sub(s *logical.Subquery, l *printedLevel) string {
	c := p.Subs[s]
	if c == nil {
		p.fail(notKept(nil))
		return ""
	}
	open, end := "(", ")"
	switch {
	case s.Kind == logical.Array:
		open = "ARRAY("
	case s.Kind == logical.Exists:
		open, end = "(EXISTS (", "))"
	case len(c.Left) > 0:
		left := p.list(c.Left, l, ", ")
		if len(c.Left) > 1 {
			left = "(" + left + ")"
		}
		open, end = "("+left, "))"
		switch {
		case s.Kind == logical.Scalar:
			open += " " + c.Op + " ("
		case c.All:
			open += " " + c.Op + " ALL ("
		case c.Op == "=":
			open += " IN ("
		default:
			open += " " + c.Op + " ANY ("
		}
	}
	saved := p.b
	p.b = nil
	p.nested(c.Query, l, false)
	text := string(p.b)
	p.b = saved
	return open + text + end
}
