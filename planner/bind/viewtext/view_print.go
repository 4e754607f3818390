package viewtext

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/plan"
)

// viewPrinter prints a captured query with the line breaks of PostgreSQL's ruleutils, and
// with marks in the place of names that may change.
type viewPrinter struct {
	*query.Capture
	env    *expr.Env // literals that depend on settings have their values of now
	pretty bool
	// bare leaves out names of columns that nothing sees, as those of the right branch of a set
	// operation: what is read again calls them after its casts.
	bare   bool
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
	sel    *query.CapturedSelect
	named  []tree.NamedWindow
	items  []printedItem
}

type printedItem struct {
	n    int
	from tree.From
	rel  *scope.Relation
	read catalog.Relation
	// names are those of the columns, where the text must give some others.
	names []string
}

// define prints q, both ways, into def. bare is q as two texts of one query are compared.
func define(c *query.Capture, def *catalog.ViewDef, q tree.Query, env *expr.Env) (bare string, err error) {
	for _, way := range []viewPrinter{{bare: true}, {pretty: true}, {}} {
		p := &viewPrinter{Capture: c, env: env, pretty: way.pretty, bare: way.bare, reads: map[uint32]bool{}, uses: map[[2]int]bool{}}
		p.query(q, nil, true, true, nil)
		switch {
		case p.err != nil:
			return "", p.err
		case p.bare:
			bare = string(p.b)
			continue
		case p.pretty:
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
	return bare, nil
}

const indentStep = 8

// keyword begins a line with a clause.
func (p *viewPrinter) keyword(word string, before, after, plus int) {
	p.indent += before
	p.w("\n" + strings.Repeat(" ", max(p.indent, 0)+plus) + word)
	p.indent = max(p.indent+after, 0)
}

// clause is keyword for one of a query's own clauses.
func (p *viewPrinter) clause(word string, plus int) { p.keyword(word, -indentStep, indentStep, plus) }

// w writes s; no blanks stay before a line break.
func (p *viewPrinter) w(s string) {
	if strings.HasPrefix(s, "\n") {
		p.b = bytes.TrimRight(p.b, " ")
	}
	p.b = append(p.b, s...)
}

func (p *viewPrinter) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// nested prints a query within another, whose lines begin where those of this one do.
func (p *viewPrinter) nested(q tree.Query, around *printedLevel, named bool) {
	saved := p.indent
	p.query(q, around, false, named, nil)
	p.indent = saved
}

// query prints a query. own says that its columns are called after the view's, named that their
// names are seen from outside. ts are their types as a branch of a set operation.
func (p *viewPrinter) query(q tree.Query, around *printedLevel, own, named bool, ts []types.T) {
	l := &printedLevel{n: len(p.levels), parent: around}
	p.levels = append(p.levels, l)
	if s, ok := q.(*tree.Select); ok {
		l.sel, l.named = p.Selects[s], s.Windows
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
	var ordinals []scope.Column
	switch q := q.(type) {
	case *tree.Select:
		keys = l.sel.Keys
		p.selectBody(q, l, own, named, ts)
	case *tree.Values:
		v := p.Values[q]
		if v == nil {
			p.fail(notKept(nil))
			return
		}
		keys, ordinals = v.Keys, v.Cols
		p.indent += indentStep
		p.w(" VALUES ")
		for i, row := range v.Rows {
			if i > 0 {
				p.w(", ")
			}
			p.w("(" + p.list(row, l, ",") + ")")
		}
	case *tree.SetOp:
		s := p.SetOps[q]
		if s == nil {
			p.fail(notKept(nil))
			return
		}
		keys, ordinals = s.Keys, s.Cols
		ts := make([]types.T, len(s.Cols))
		for i := range s.Cols {
			ts[i] = s.Cols[i].T
		}
		p.setOp(q, l, own, named, ts)
	}
	if len(keys) > 0 {
		p.clause(" ORDER BY ", 1)
		p.w(p.keys(keys, l, ordinals))
	}
	if e := p.Limits[o.Offset]; o.Offset != nil && e != nil {
		p.clause(" OFFSET ", 0)
		p.w(p.number(e, l))
	}
	if e := p.Limits[o.Limit]; o.Limit != nil && e != nil {
		if o.WithTies {
			p.clause(" FETCH FIRST ", 0)
			p.w("(" + p.number(e, l) + ") ROWS WITH TIES")
		} else {
			p.clause(" LIMIT ", 0)
			p.w(p.number(e, l))
		}
	}
}

// number prints a number of rows, as LIMIT has, which needs no type.
func (p *viewPrinter) number(e expr.Expr, l *printedLevel) string {
	if x, ok := e.(*expr.Cast); ok && !x.Explicit {
		e = x.X
	}
	if c, ok := e.(*expr.Const); ok && !c.Value.Null && c.Value.Int >= 0 && c.T.Phys() == types.PhysInt {
		return strconv.FormatInt(c.Value.Int, 10)
	}
	return p.expr(e, l)
}

func (p *viewPrinter) setOp(q *tree.SetOp, l *printedLevel, own, named bool, ts []types.T) {
	left, nested := q.Left.(*tree.SetOp)
	parens := nested && (left.Op != q.Op || left.All != q.All)
	p.branch(q.Left, l, own, named, ts, parens)
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
	p.branch(q.Right, l, own, false, ts, nested)
}

// branch prints a branch of a set operation.
func (p *viewPrinter) branch(q tree.Query, l *printedLevel, own, named bool, ts []types.T, nested bool) {
	o := q.Outer()
	parens := nested || o.With != nil || len(o.OrderBy) > 0 || o.Limit != nil || o.Offset != nil
	saved := p.indent
	if parens {
		p.w("(")
	}
	if nested {
		p.keyword("", indentStep, 0, 0)
	}
	p.query(q, l, own, named, ts)
	p.indent = saved
	if nested {
		p.keyword("", 0, 0, 0)
	}
	if parens {
		p.w(")")
	}
}

func (p *viewPrinter) selectBody(q *tree.Select, l *printedLevel, own, named bool, ts []types.T) {
	s := l.sel
	p.indent += indentStep
	p.w(" SELECT")
	switch {
	case len(s.On) > 0:
		p.w(" DISTINCT ON (")
		for i, e := range s.On {
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
	for i, e := range s.Exprs {
		p.w(sep)
		sep = ", "
		if c, ok := e.(*expr.Const); ok && c.T.Kind == types.Unknown && i < len(ts) {
			if typed, err := expr.ResolveCast(e, ts[i], expr.Implicit, 0); err == nil {
				e = typed
			}
		}
		text := p.expr(e, l) + p.rowType(e, l)
		if i > 0 && !strings.HasPrefix(text, "\n") {
			p.clause("", 4)
		}
		p.w(text)
		column := -1
		if own {
			column = i
		}
		p.w(p.target(e, l, s.Names[i], column, named))
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
	if s.Where != nil {
		p.clause(" WHERE ", 1)
		p.w(p.expr(s.Where, l))
	}
	if len(q.GroupBy) > 0 {
		p.groupBy(q, l)
	}
	if s.Having != nil {
		p.clause(" HAVING ", 0)
		p.w(p.expr(s.Having, l))
	}
	p.windows(l)
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
			case ok && p.bare && !named:
				return ""
			case ok:
				return catalog.MarkTarget(rel, n, name)
			case own >= 0:
				return catalog.MarkOwnName(own, it.name(col))
			}
			if it.name(col) == name || p.bare && !named {
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
	if !named && (name == "?column?" || p.bare) {
		return ""
	}
	return " AS " + ident.Quote(name)
}
