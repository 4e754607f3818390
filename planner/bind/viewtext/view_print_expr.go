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
		return joined("(", text) + ")"
	}
	if p.pretty || expr.CastByFunction(e) {
		return joined("(", text) + ")"
	}
	return text
}

// keys prints ORDER BY; ordinals are the columns that must go by number.
func (p *viewPrinter) keys(keys []plan.SortKey, l *printedLevel, ordinals []scope.Column) string {
	out := ""
	for i, k := range keys {
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
		if i > 0 {
			out += ", "
		}
		out = joined(out, text)
	}
	return out
}

func (p *viewPrinter) list(es []expr.Expr, l *printedLevel, sep string) string {
	text := ""
	for i, e := range es {
		if i > 0 {
			text += sep
		}
		text = joined(text, p.expr(e, l))
	}
	return text
}

// joined is a and b; no blanks stay before a line break.
func joined(a, b string) string {
	if strings.HasPrefix(b, "\n") {
		a = strings.TrimRight(a, " ")
	}
	return a + b
}

// expr prints an expression. What stands for another thing by its ID, and queries, become
// atoms of their text.
func (p *viewPrinter) expr(e expr.Expr, l *printedLevel) string {
	e, err := eval.Settle(p.env, e)
	if err != nil {
		p.fail(err)
		return ""
	}
	atom := func(text func() string, t types.T) expr.Expr { return &printed{p: p, text: text, t: t} }
	cols := map[int]expr.Expr{} // one for each, which is equal to itself
	out, err := expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		switch x := x.(type) {
		case *expr.Col:
			if cols[x.Index] == nil {
				cols[x.Index] = atom(func() string { return p.column(x, l) }, x.T)
			}
			return cols[x.Index], nil
		case *logical.Subquery:
			return atom(func() string { return p.sub(x, l) }, x.T), nil
		case *expr.Call:
			if text := p.record(x, l); text != nil {
				return atom(text, x.T), nil
			}
		case *expr.IsNull:
			if x.X.Type().Kind == types.Record { // IS NULL would ask for its fields
				return atom(func() string { return "(" + p.expr(x.X, l) + " IS NOT DISTINCT FROM NULL)" }, types.Of(types.Bool)), nil
			}
		case *expr.Not:
			if n, ok := x.X.(*expr.IsNull); ok && n.X.Type().Kind == types.Record {
				return atom(func() string { return "(" + p.expr(n.X, l) + " IS DISTINCT FROM NULL)" }, types.Of(types.Bool)), nil
			}
			if s, ok := x.X.(*logical.Subquery); ok && p.Subs[s] != nil && p.Subs[s].All {
				return atom(func() string { return p.sub(s, l) }, types.Of(types.Bool)), nil
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
	style := expr.Full
	switch {
	case p.pretty:
		style = expr.Pretty
	case p.bare:
		style = expr.Bare
	}
	return expr.Print(out, style, p, p.indent)
}

// printed is a part of an expression that the view's printer prints itself.
type printed struct {
	p    *viewPrinter
	text func() string
	t    types.T
}

var _ expr.LineTexter = (*printed)(nil)

func (x *printed) Type() types.T { return x.t }
func (x *printed) Pos() int      { return 0 }

// TextAt prints it below lines that begin with blanks.
func (x *printed) TextAt(indent int) string {
	saved := x.p.indent
	x.p.indent = indent
	text := x.text()
	x.p.indent = saved
	return text
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
				return p.window(w, i, l)
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
	text := joined(b.String(), p.list(args, l, ", "))
	if within {
		text = joined(text+") WITHIN GROUP (ORDER BY ", p.keys(a.OrderBy, l, nil))
	} else if len(a.OrderBy) > 0 {
		text = joined(text+" ORDER BY ", p.keys(a.OrderBy, l, nil))
	}
	text += ")"
	if a.Filter != nil {
		text = joined(text+" FILTER (WHERE ", p.expr(a.Filter, l)) + ")"
	}
	return text
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
