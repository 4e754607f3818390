package viewtext

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
)

// enter gives the items of a FROM clause their numbers, in the order of the text.
func (p *viewPrinter) enter(l *printedLevel, f tree.From) {
	f = p.asQuery(f)
	item := catalog.ViewItem{Level: l.n}
	it := printedItem{n: len(p.items), from: f, rel: p.Capture.Items[f], read: p.Capture.Reads[f]}
	switch f := f.(type) {
	case *tree.Join:
		p.enter(l, f.Left)
		p.enter(l, f.Right)
		return
	case *tree.TableRef:
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
	if _, table := f.(*tree.TableRef); !table {
		it.names = uniqueNames(it.rel.Cols)
	}
	p.items = append(p.items, item)
	l.items = append(l.items, it)
}

// asQuery is f, but the query that a join with an alias is bound as.
func (p *viewPrinter) asQuery(f tree.From) tree.From {
	if j, ok := f.(*tree.Join); ok {
		if q := p.Joins[j]; q != nil {
			return q
		}
	}
	return f
}

func (l *printedLevel) item(f tree.From) *printedItem {
	i := slices.IndexFunc(l.items, func(it printedItem) bool { return it.from == f })
	if i < 0 {
		return nil
	}
	return &l.items[i]
}

func (p *viewPrinter) from(f tree.From, l *printedLevel) {
	f = p.asQuery(f)
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
			p.w(ident.Quote(f.Name) + catalog.MarkQueryAlias(it.n, f.Name))
			break
		}
		p.w(catalog.MarkRelation(it.read.RelID()))
		p.w(catalog.MarkAlias(it.n))
	case *tree.Derived:
		names = f.Alias.Columns
		if it.names != nil {
			names = it.names
		}
		if f.Lateral {
			p.w("LATERAL ")
		}
		p.w("(")
		p.nested(f.Query, l, true)
		p.w(") " + catalog.MarkItem(it.n))
	case *tree.FuncRef:
		if f.Lateral || p.readsLevel(f, l) {
			p.w("LATERAL ")
		}
		p.functions(f, l)
		p.w(" " + catalog.MarkItem(it.n))
		if c := p.Funcs[f]; len(c) == 1 && c[0].Defs != nil && !f.Ordinality {
			p.definitions(c[0].Defs, it.rel.Cols)
			return
		}
		for i := range it.rel.Cols {
			names = append(names, it.rel.Cols[i].Name)
		}
		names = names[len(names)-len(it.rel.Cols):]
	}
	if len(names) > 0 {
		p.columnNames(it, names)
	}
	if t, ok := f.(*tree.TableRef); ok && t.Sample != nil {
		p.sample(t, l)
	}
}

// sample prints TABLESAMPLE, without the casts to what its arguments are.
func (p *viewPrinter) sample(f *tree.TableRef, l *printedLevel) {
	of := p.Samples[f]
	if of == nil {
		p.fail(notKept(nil))
		return
	}
	p.w(" TABLESAMPLE " + ident.Quote(f.Sample.Method) + " (" + p.expr(written(of.Percent), l) + ")")
	if of.Seed != nil {
		p.w(" REPEATABLE (" + p.expr(written(of.Seed), l) + ")")
	}
}

// written is e without the casts that nobody wrote.
func written(e expr.Expr) expr.Expr {
	for {
		c, ok := e.(*expr.Cast)
		if !ok || c.Explicit {
			return e
		}
		e = c.X
	}
}

// readsLevel says that arguments of functions in FROM are columns of what stands before them.
func (p *viewPrinter) readsLevel(f *tree.FuncRef, l *printedLevel) bool {
	found := false
	for _, c := range p.Funcs[f] {
		args := c.Args
		if c.Expr != nil {
			args = []expr.Expr{c.Expr}
		}
		for _, e := range args {
			expr.Walk(e, func(x expr.Expr) bool {
				if col, ok := x.(*expr.Col); ok {
					it, _ := l.find(col.Index)
					found = found || it != nil
				}
				return !found
			})
		}
	}
	return found
}

// functions prints one function of FROM, or ROWS FROM of several.
func (p *viewPrinter) functions(f *tree.FuncRef, l *printedLevel) {
	list := p.Funcs[f]
	if len(list) == 0 {
		p.fail(notKept(nil))
		return
	}
	several := len(list) > 1 || list[0].Defs != nil && f.Ordinality
	if several {
		p.w("ROWS FROM(")
	}
	for i, c := range list {
		if i > 0 {
			p.w(", ")
		}
		if c.Expr != nil {
			p.w(p.expr(c.Expr, l))
		} else {
			name := c.Name
			if name == "unnest" && len(c.Args) > 1 {
				name = "UNNEST" // not a function, but a way to write several
			}
			p.w(name + "(" + p.list(c.Args, l, ", ") + ")")
		}
		if several && c.Defs != nil {
			p.w(" AS ")
			p.definitions(c.Defs, nil)
		}
	}
	if several {
		p.w(")")
	}
	if f.Ordinality {
		p.w(" WITH ORDINALITY")
	}
}

// definitions prints a column definition list, under other names where there are some.
func (p *viewPrinter) definitions(defs []types.Field, names []scope.Column) {
	p.w("(")
	for i, d := range defs {
		if i > 0 {
			p.w(", ")
		}
		if i < len(names) {
			d.Name = names[i].Name
		}
		p.w(ident.Quote(d.Name) + " ")
		if d.T.User() != nil || d.T.Domain() != nil {
			p.w(p.TypeName(d.T))
		} else {
			p.w(d.T.Label())
		}
	}
	p.w(")")
}

func (p *viewPrinter) columnNames(it *printedItem, names []string) {
	p.w("(")
	for i := range names {
		if i > 0 {
			p.w(", ")
		}
		if rel, n, ok := it.stored(i); ok {
			p.w(catalog.MarkColumn(rel, n))
			p.use(it, i, false)
			continue
		}
		p.w(ident.Quote(it.name(i)))
	}
	p.w(")")
}

func (p *viewPrinter) join(j *tree.Join, l *printedLevel) {
	if !p.pretty {
		p.w("(")
	}
	p.from(j.Left, l)
	on, names := p.On[j], p.Using[j]
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
	f = p.asQuery(f)
	if j, ok := f.(*tree.Join); ok {
		p.fix(j.Left, l, names)
		p.fix(j.Right, l, names)
		return
	}
	it := l.item(f)
	if it == nil {
		return
	}
	for i := range it.rel.Cols {
		if slices.Contains(names, it.rel.Cols[i].Name) {
			p.use(it, i, true)
		}
	}
}
