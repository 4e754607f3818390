package viewtext

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// enter gives the items of a FROM clause their numbers, in the order of the text.
func (p *viewPrinter) enter(l *printedLevel, f tree.From) {
	item := catalog.ViewItem{Level: l.n}
	it := printedItem{n: len(p.items), from: f, rel: p.Capture.Items[f], read: p.Capture.Reads[f]}
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
			p.w(ident.Quote(f.Name) + catalog.MarkQueryAlias(it.n, f.Name))
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
		c := p.Funcs[f]
		if c == nil {
			p.fail(notKept(nil))
			return
		}
		if f.Lateral {
			p.w("LATERAL ")
		}
		if c.Expr != nil {
			p.w(p.expr(c.Expr, l))
		} else {
			p.w(c.Name + "(" + p.list(c.Args, l, ", ") + ")")
		}
		if f.Ordinality {
			p.w(" WITH ORDINALITY")
		}
		p.w(" " + catalog.MarkItem(it.n))
		for i := range it.rel.Cols {
			names = append(names, it.rel.Cols[i].Name)
		}
		names = names[len(names)-len(it.rel.Cols):]
	}
	if len(names) == 0 {
		return
	}
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
		p.w(ident.Quote(it.rel.Cols[i].Name))
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
