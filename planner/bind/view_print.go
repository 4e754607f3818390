package bind

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// viewPrinter prints a captured query with the line breaks of PostgreSQL's ruleutils, and
// with marks in the place of names that may change.
type viewPrinter struct {
	*capture
	env    *expr.Env // literals that depend on settings have their values of now
	pretty bool
	b      []byte
	indent int
	levels []*printedLevel
	items  []catalog.ViewItem
	reads  map[uint32]bool
	uses   map[[2]int]bool // relation and column: its name is fixed
	err    error
}

// printedLevel is one query of the text, with the items of its FROM clause.
type printedLevel struct {
	n      int
	parent *printedLevel
	sel    *capturedSelect
	items  []printedItem
}

type printedItem struct {
	n    int
	from tree.From
	rel  *relation
	read catalog.Relation
}

// define prints q, both ways, into def.
func (c *capture) define(def *catalog.ViewDef, q tree.Query, env *expr.Env) error {
	for _, pretty := range []bool{true, false} {
		p := &viewPrinter{capture: c, env: env, pretty: pretty, reads: map[uint32]bool{}, uses: map[[2]int]bool{}}
		p.query(q, nil, outputNames{own: true}, true, nil)
		if p.err != nil {
			return p.err
		}
		if pretty {
			def.Query.Pretty = string(p.b)
			continue
		}
		def.Query.Text, def.Query.Items = string(p.b), p.items
		for _, l := range p.levels {
			around := -1
			if l.parent != nil {
				around = l.parent.n
			}
			def.Query.Around = append(def.Query.Around, around)
		}
		for id := range p.reads {
			def.DependsOn = append(def.DependsOn, id)
		}
		slices.Sort(def.DependsOn)
		for u, fixed := range p.uses {
			def.Uses = append(def.Uses, catalog.ViewColumnUse{Relation: uint32(u[0]), Column: u[1], Fixed: fixed})
		}
		slices.SortFunc(def.Uses, func(a, b catalog.ViewColumnUse) int {
			if a.Relation != b.Relation {
				return int(int64(a.Relation) - int64(b.Relation))
			}
			return a.Column - b.Column
		})
	}
	return nil
}

const indentStep = 8

// keyword begins a line with a clause.
func (p *viewPrinter) keyword(word string, before, after, plus int) {
	p.indent += before
	p.b = bytes.TrimRight(p.b, " ")
	p.w("\n" + strings.Repeat(" ", max(p.indent, 0)+plus) + word)
	p.indent = max(p.indent+after, 0)
}

// clause is keyword for one of a query's own clauses.
func (p *viewPrinter) clause(word string, plus int) { p.keyword(word, -indentStep, indentStep, plus) }

func (p *viewPrinter) w(s string) { p.b = append(p.b, s...) }

func (p *viewPrinter) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// nested prints a query within another, whose lines begin where those of this one do.
func (p *viewPrinter) nested(q tree.Query, around *printedLevel, named bool) {
	saved := p.indent
	p.query(q, around, outputNames{}, named, nil)
	p.indent = saved
}

// outputNames are what a query's columns are called: as it calls them, by a list, or
// after the view's own columns.
type outputNames struct {
	own  bool
	list []string
}

// query prints a query; named says that they are seen from outside. ts are their types as a branch of a set
// operation.
func (p *viewPrinter) query(q tree.Query, around *printedLevel, names outputNames, named bool, ts []types.T) {
	l := &printedLevel{n: len(p.levels), parent: around}
	p.levels = append(p.levels, l)
	if s, ok := q.(*tree.Select); ok {
		l.sel = p.selects[s]
		if l.sel == nil {
			p.fail(notKept(nil))
			return
		}
		for _, f := range s.From {
			p.enter(l, f)
		}
	}
	o := q.Outer()
	if len(o.Locks) > 0 {
		p.fail(sqlerr.Unsupported("FOR UPDATE and FOR SHARE in a view are not supported", "Write it in the statement that reads the view."))
		return
	}
	p.with(o.With, l)
	var keys []plan.SortKey
	var ordinals []column
	switch q := q.(type) {
	case *tree.Select:
		keys = l.sel.keys
		p.selectBody(q, l, names, named, ts)
	case *tree.Values:
		v := p.values[q]
		if v == nil {
			p.fail(notKept(nil))
			return
		}
		keys, ordinals = v.keys, v.cols
		p.indent += indentStep
		p.w(" VALUES ")
		for i, row := range v.rows {
			if i > 0 {
				p.w(", ")
			}
			p.w("(" + p.list(row, l, ",") + ")")
		}
	case *tree.SetOp:
		s := p.setOps[q]
		if s == nil {
			p.fail(notKept(nil))
			return
		}
		keys, ordinals = s.keys, s.cols
		own := make([]types.T, len(s.cols))
		for i := range s.cols {
			own[i] = s.cols[i].t
			if !names.own && i >= len(names.list) {
				names.list = append(names.list[:i:i], s.cols[i].name)
			}
		}
		p.setOp(q, l, names, named, own)
	}
	if len(keys) > 0 {
		p.clause(" ORDER BY ", 1)
		p.w(p.keys(keys, l, ordinals))
	}
	if e := p.limits[o.Offset]; o.Offset != nil && e != nil {
		p.clause(" OFFSET ", 0)
		p.w(p.limit(e, l))
	}
	if e := p.limits[o.Limit]; o.Limit != nil && e != nil {
		if o.WithTies {
			p.clause(" FETCH FIRST ", 0)
			p.w("(" + p.limit(e, l) + ") ROWS WITH TIES")
		} else {
			p.clause(" LIMIT ", 0)
			p.w(p.limit(e, l))
		}
	}
}

// limit prints the argument of LIMIT: a number of rows needs no type.
func (p *viewPrinter) limit(e expr.Expr, l *printedLevel) string {
	if x, ok := e.(*expr.Cast); ok && !x.Explicit {
		e = x.X
	}
	if c, ok := e.(*expr.Const); ok && !c.Value.Null && c.Value.Int >= 0 && c.T.Phys() == types.PhysInt {
		return strconv.FormatInt(c.Value.Int, 10)
	}
	return p.expr(e, l)
}

func (p *viewPrinter) with(w *tree.With, l *printedLevel) {
	if w == nil {
		return
	}
	p.indent += indentStep
	p.w(" ")
	sep := "WITH "
	if w.Recursive {
		sep = "WITH RECURSIVE "
	}
	for i := range w.CTEs {
		c := &w.CTEs[i]
		p.w(sep + ident.Quote(c.Name))
		sep = ", "
		if len(c.Columns) > 0 {
			p.w("(" + quotedList(c.Columns) + ")")
		}
		p.w(" AS ")
		switch {
		case c.Materialized > 0:
			p.w("MATERIALIZED ")
		case c.Materialized < 0:
			p.w("NOT MATERIALIZED ")
		}
		p.w("(")
		p.keyword("", 0, 0, 0)
		p.nested(c.Query, l, true)
		p.keyword("", 0, 0, 0)
		p.w(")")
	}
	p.keyword("", -indentStep, 0, 0)
}

func quotedList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ident.Quote(n)
	}
	return strings.Join(out, ", ")
}

func (p *viewPrinter) setOp(q *tree.SetOp, l *printedLevel, names outputNames, named bool, ts []types.T) {
	left, nested := q.Left.(*tree.SetOp)
	parens := nested && (left.Op != q.Op || left.All != q.All)
	p.branch(q.Left, l, names, named, ts, parens)
	if parens {
		p.w(" ")
	} else {
		p.keyword("", 0, 0, 0)
	}
	p.w([...]string{tree.Union: "UNION ", tree.Intersect: "INTERSECT ", tree.Except: "EXCEPT "}[q.Op])
	if q.All {
		p.w("ALL ")
	}
	_, nested = q.Right.(*tree.SetOp)
	if !nested {
		p.keyword("", 0, 0, 0)
	}
	p.branch(q.Right, l, names, false, ts, nested)
}

// branch prints a branch of a set operation.
func (p *viewPrinter) branch(q tree.Query, l *printedLevel, names outputNames, named bool, ts []types.T, nested bool) {
	o := q.Outer()
	parens := nested || o.With != nil || len(o.OrderBy) > 0 || o.Limit != nil || o.Offset != nil
	saved := p.indent
	if parens {
		p.w("(")
	}
	if nested {
		p.keyword("", indentStep, 0, 0)
	}
	p.query(q, l, names, named, ts)
	p.indent = saved
	if nested {
		p.keyword("", 0, 0, 0)
	}
	if parens {
		p.w(")")
	}
}

func (p *viewPrinter) selectBody(q *tree.Select, l *printedLevel, names outputNames, named bool, ts []types.T) {
	s := l.sel
	p.indent += indentStep
	p.w(" SELECT")
	switch {
	case len(s.on) > 0:
		p.w(" DISTINCT ON (")
		for i, e := range s.on {
			if i > 0 {
				p.w(", ")
			}
			p.w(p.sortItem(e, l))
		}
		p.w(")")
	case q.Distinct:
		p.w(" DISTINCT")
	}
	sep := " "
	for i, e := range s.exprs {
		p.w(sep)
		sep = ", "
		if i > 0 {
			p.clause("", 4)
		}
		name := s.names[i]
		if i < len(names.list) {
			name = names.list[i]
		}
		if c, ok := e.(*expr.Const); ok && c.T.Kind == types.Unknown && i < len(ts) {
			if typed, err := expr.ResolveCast(e, ts[i], expr.Implicit, 0); err == nil {
				p.w(p.expr(typed, l))
			}
		} else {
			p.w(p.expr(e, l))
		}
		own := -1
		if names.own {
			own = i
		}
		p.w(p.target(e, l, name, own, named))
	}
	for i, f := range q.From {
		if i == 0 {
			p.clause(" FROM ", 2)
		} else {
			p.w(", ")
			p.clause("", 4)
		}
		p.from(f, l)
	}
	if s.where != nil {
		p.clause(" WHERE ", 1)
		p.w(p.expr(s.where, l))
	}
	if len(q.GroupBy) > 0 {
		p.clause(" GROUP BY ", 1)
		for i, e := range s.groups {
			if i > 0 {
				p.w(", ")
			}
			p.w(p.sortItem(e, l))
		}
	}
	if s.having != nil {
		p.clause(" HAVING ", 0)
		p.w(p.expr(s.having, l))
	}
}

// target is AS name where the column would not be called so; own is which column of the
// view gives the name, -1 for none.
func (p *viewPrinter) target(e expr.Expr, l *printedLevel, name string, own int, named bool) string {
	if c, ok := e.(*expr.Col); ok {
		if it, col := l.find(c.Index); it != nil {
			rel, n, ok := it.stored(col)
			switch {
			case ok && own >= 0:
				return catalog.MarkOwnTarget(rel, n, own)
			case ok:
				return catalog.MarkTarget(rel, n, name)
			case own >= 0:
				return catalog.MarkOwnName(own, it.column(col).name)
			}
			if it.column(col).name == name {
				return ""
			}
			return " AS " + ident.Quote(name)
		}
	}
	switch {
	case own >= 0 && named:
		return catalog.MarkOwnName(own, "")
	case own >= 0:
		return catalog.MarkOwnName(own, "?column?")
	}
	if !named && name == "?column?" {
		return ""
	}
	return " AS " + ident.Quote(name)
}

// sortItem prints an expression of GROUP BY, ORDER BY or DISTINCT ON, which must be no bare
// number and nothing that begins like a name.
func (p *viewPrinter) sortItem(e expr.Expr, l *printedLevel) string {
	text := p.expr(e, l)
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
func (p *viewPrinter) keys(keys []plan.SortKey, l *printedLevel, ordinals []column) string {
	var parts []string
	for _, k := range keys {
		text := ""
		if c, ok := k.Expr.(*expr.Col); ok && ordinals != nil {
			i := slices.IndexFunc(ordinals, func(o column) bool { return o.id == c.Index })
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
		case *expr.Not:
			if s, ok := x.X.(*logical.Subquery); ok && p.subs[s] != nil && p.subs[s].all {
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
	return expr.Print(out, p.pretty)
}

// find gives the item of l whose column has an ID, and which column; nil for none.
func (l *printedLevel) find(id logical.ColumnID) (*printedItem, int) {
	for i := range l.items {
		n := 0
		for c := range l.items[i].rel.all {
			if c.id == id && c.merged == nil {
				return &l.items[i], n
			}
			n++
		}
	}
	return nil, 0
}

func (it *printedItem) column(i int) *column {
	if i < len(it.rel.cols) {
		return &it.rel.cols[i]
	}
	return &it.rel.system[i-len(it.rel.cols)]
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
			name := ident.Quote(it.column(i).name)
			if rel, n, ok := it.stored(i); ok {
				name = catalog.MarkColumn(rel, n)
			}
			return catalog.MarkItem(it.n) + "." + name
		}
		s := l.sel
		if s == nil {
			continue
		}
		if i := slices.Index(s.aggs.ids, c.Index); i >= 0 {
			return p.agg(&s.aggs.calls[i], l)
		}
		for _, w := range s.windows {
			if i := slices.Index(w.Cols, c.Index); i >= 0 {
				return p.window(w, &w.Calls[i], l)
			}
		}
		for i := range s.sets {
			if s.sets[i].id == c.Index {
				return s.sets[i].call.Name + "(" + p.list(s.sets[i].call.Args, l, ", ") + ")"
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
	args := a.Args
	within := expr.IsWithin(a.Agg.Name) && len(a.OrderBy) > 0
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
	c := p.subs[s]
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
	case len(c.left) > 0:
		left := p.list(c.left, l, ", ")
		if len(c.left) > 1 {
			left = "(" + left + ")"
		}
		open, end = "("+left, "))"
		switch {
		case s.Kind == logical.Scalar:
			open += " " + c.op + " ("
		case c.all:
			open += " " + c.op + " ALL ("
		case c.op == "=":
			open += " IN ("
		default:
			open += " " + c.op + " ANY ("
		}
	}
	saved := p.b
	p.b = nil
	p.nested(c.query, l, false)
	text := string(p.b)
	p.b = saved
	return open + text + end
}

// enter gives the items of a FROM clause their numbers, in the order of the text.
func (p *viewPrinter) enter(l *printedLevel, f tree.From) {
	item := catalog.ViewItem{Level: l.n}
	it := printedItem{n: len(p.items), from: f, rel: p.capture.items[f], read: p.capture.reads[f]}
	switch f := f.(type) {
	case *tree.Join:
		if f.Alias.Name != "" || f.UsingAlias != "" {
			p.fail(sqlerr.Unsupported("an alias of a join in a view is not supported", "Give the tables their aliases, or write the join as a query in FROM."))
			return
		}
		p.enter(l, f.Left)
		p.enter(l, f.Right)
		return
	case *tree.TableRef:
		if f.Sample != nil {
			p.fail(sqlerr.Unsupported("TABLESAMPLE in a view is not supported", "Write it in the statement that reads the table."))
			return
		}
		item.Name = f.Alias.Name
		if it.read != nil {
			item.Relation = it.read.RelID()
			p.reads[item.Relation] = true
		} else if item.Name == "" {
			item.Name = f.Name // a WITH query
		}
	case *tree.Derived:
		item.Name = f.Alias.Name
	case *tree.FuncRef:
		item.Name = f.Alias.Name
	}
	if it.rel == nil {
		p.fail(notKept(nil))
		return
	}
	p.items = append(p.items, item)
	l.items = append(l.items, it)
}

func (l *printedLevel) item(f tree.From) *printedItem {
	i := slices.IndexFunc(l.items, func(it printedItem) bool { return it.from == f })
	if i < 0 {
		return nil
	}
	return &l.items[i]
}

func (p *viewPrinter) from(f tree.From, l *printedLevel) {
	if j, ok := f.(*tree.Join); ok {
		p.join(j, l)
		return
	}
	it := l.item(f)
	if it == nil {
		p.fail(notKept(nil))
		return
	}
	var names []string // of an alias
	switch f := f.(type) {
	case *tree.TableRef:
		names = f.Alias.Columns
		if it.read == nil {
			p.w(ident.Quote(f.Name))
			if f.Alias.Name != "" {
				p.w(" " + catalog.MarkItem(it.n))
			}
			break
		}
		p.w(catalog.MarkRelation(it.read.RelID()))
		p.w(catalog.MarkAlias(it.n))
	case *tree.Derived:
		names = f.Alias.Columns
		if f.Lateral {
			p.w("LATERAL ")
		}
		p.w("(")
		p.nested(f.Query, l, true)
		p.w(") " + catalog.MarkItem(it.n))
	case *tree.FuncRef:
		c := p.funcs[f]
		if c == nil {
			p.fail(notKept(nil))
			return
		}
		if f.Lateral {
			p.w("LATERAL ")
		}
		if c.expr != nil {
			p.w(p.expr(c.expr, l))
		} else {
			p.w(c.name + "(" + p.list(c.args, l, ", ") + ")")
		}
		if f.Ordinality {
			p.w(" WITH ORDINALITY")
		}
		p.w(" " + catalog.MarkItem(it.n))
		for i := range it.rel.cols {
			names = append(names, it.rel.cols[i].name)
		}
		names = names[len(names)-len(it.rel.cols):]
	}
	if len(names) == 0 {
		return
	}
	p.w("(")
	for i := range it.rel.cols {
		if i > 0 {
			p.w(", ")
		}
		if rel, n, ok := it.stored(i); ok {
			p.w(catalog.MarkColumn(rel, n))
			p.use(it, i, false)
			continue
		}
		p.w(ident.Quote(it.rel.cols[i].name))
	}
	p.w(")")
}

func (p *viewPrinter) join(j *tree.Join, l *printedLevel) {
	if !p.pretty {
		p.w("(")
	}
	p.from(j.Left, l)
	on, names := p.on[j], p.using[j]
	word := [...]string{tree.Inner: " JOIN ", tree.Left: " LEFT JOIN ", tree.Right: " RIGHT JOIN ", tree.Full: " FULL JOIN ", tree.Cross: " CROSS JOIN "}[j.Kind]
	if j.Kind == tree.Inner && on == nil {
		word = " CROSS JOIN "
	}
	p.clause(word, 4)
	_, nested := j.Right.(*tree.Join)
	if nested && p.pretty {
		p.w("(")
	}
	p.from(j.Right, l)
	if nested && p.pretty {
		p.w(")")
	}
	switch {
	case len(names) > 0:
		p.w(" USING (" + quotedList(names) + ")")
		p.fix(j, l, names)
	case on != nil && p.pretty:
		p.w(" ON " + p.expr(on, l))
	case on != nil:
		p.w(" ON (" + p.expr(on, l) + ")")
	case j.Kind != tree.Inner && j.Kind != tree.Cross:
		p.w(" ON TRUE")
	}
	if !p.pretty {
		p.w(")")
	}
}

// fix notes the columns that USING names: the text is right only while they have
// their names.
func (p *viewPrinter) fix(f tree.From, l *printedLevel, names []string) {
	if j, ok := f.(*tree.Join); ok {
		p.fix(j.Left, l, names)
		p.fix(j.Right, l, names)
		return
	}
	it := l.item(f)
	if it == nil {
		return
	}
	for i := range it.rel.cols {
		if slices.Contains(names, it.rel.cols[i].name) {
			p.use(it, i, true)
		}
	}
}
