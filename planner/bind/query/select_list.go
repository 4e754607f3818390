package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
)

// SelectList is the bound list of a SELECT or a RETURNING.
type SelectList struct {
	Exprs []expr.Expr
	Names []string
	pos   []int
}

// columnList is a list of columns as they are.
func columnList(cols []scope.Column) *SelectList {
	list := &SelectList{}
	for i := range cols {
		list.Add(cols[i].Ref(0), cols[i].Name, 0)
	}
	return list
}

// BindItems binds a select list, expanding the stars.
func (b *Binder) BindItems(p *scope.Place, items []tree.Item, w *Want) *SelectList {
	list := &SelectList{}
	for i := range items {
		item := &items[i]
		if row, ok := item.Expr.(*tree.WholeRow); ok { // (t.*), which is t.*
			item = &tree.Item{Pos: row.Pos, Star: true, Schema: row.Schema, Table: row.Table}
		}
		if item.Star {
			b.expandStar(p, item, list)
			continue
		}
		if fields, ok := item.Expr.(*tree.FieldStar); ok {
			b.bindFieldStar(p, fields, list)
			continue
		}
		e := b.Expr(p, item.Expr)
		e = w.column(len(list.Exprs), e)
		list.Add(e, item.Name, b.Pos(item))
	}
	checkTargets(len(list.Exprs))
	return list
}

// maxTargets is Postgres's limit.
//
//saltsql:limit statements: columns of a select list (54011)
const maxTargets = 1664

// checkTargets bounds select lists, and the lists whose expressions Postgres adds to
// them: 54011.
func checkTargets(n int) {
	if n > maxTargets {
		panic(sqlerr.New(sqlerr.TooManyColumns, "target lists can have at most %d entries", maxTargets))
	}
}

func (l *SelectList) Add(e expr.Expr, name string, pos int) {
	l.Exprs, l.Names, l.pos = append(l.Exprs, e), append(l.Names, name), append(l.pos, pos)
}

func (b *Binder) expandStar(p *scope.Place, item *tree.Item, list *SelectList) {
	pos := b.Pos(item)
	if item.Table == "" {
		sc := p.Scope()
		if len(sc.Rels) == 0 {
			panic(sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid").At(pos))
		}
		list.star(sc.Cols, pos)
		return
	}
	for l := p.Level; l != nil; l = l.Parent {
		if r, in := l.Scope.Relation(item.Schema, item.Table); r != nil {
			if in.Barred {
				panic(scope.NotLateral(r.Name, pos))
			}
			in.Used = true
			list.star(r.Cols, pos)
			p.Level.NoteNamed(l)
			return
		}
	}
	panic(p.MissingRelation(item.Schema, item.Table, pos))
}

func (l *SelectList) star(cols []scope.Column, pos int) {
	for i := range cols {
		l.Add(cols[i].Ref(pos), cols[i].Name, pos)
	}
}

// Projection computes the list over node. A plain column of the node is passed on and
// keeps its ID, unless it stands twice.
func (b *Binder) Projection(l *scope.Level, node logical.Node, list *SelectList) *result {
	p := &logical.Project{Input: node, Exprs: list.Exprs, Cols: make([]logical.ColumnID, len(list.Exprs))}
	r := &result{Node: p, Cols: make([]scope.Column, len(list.Exprs))}
	given := givenBy(l, node)
	var seen map[logical.ColumnID]bool
	for i, e := range list.Exprs {
		c, passed := e.(*expr.Col)
		around := passed && given != nil && !given[c.Index] // of a query around this one
		twice := false
		switch {
		case !passed:
		case i < few:
			for _, id := range p.Cols[:i] {
				twice = twice || id == c.Index
			}
		default:
			if seen == nil {
				seen = make(map[logical.ColumnID]bool, len(list.Exprs))
				for _, id := range p.Cols[:i] {
					seen[id] = true
				}
			}
			twice = seen[c.Index]
		}
		switch {
		case passed && !twice && !around:
			p.Cols[i] = c.Index
		case passed:
			again := *b.Meta.Column(c.Index)
			again.Name = list.Names[i]
			p.Cols[i] = b.Meta.Add(again)
		default:
			p.Cols[i] = b.Meta.Add(logical.Column{Name: list.Names[i], Type: e.Type()})
		}
		if seen != nil {
			seen[p.Cols[i]] = true
		}
		r.Cols[i] = scope.Column{Name: list.Names[i], T: e.Type(), ID: p.Cols[i]}
	}
	return r
}

// givenBy says which columns a node gives, by ID; nil if any column that can be named is
// one of them, as in a statement's own query.
func givenBy(l *scope.Level, node logical.Node) map[logical.ColumnID]bool {
	if l.Parent == nil {
		return nil
	}
	out := node.Out()
	given := make(map[logical.ColumnID]bool, len(out))
	for _, id := range out {
		given[id] = true
	}
	return given
}

// few is up to how many columns a search from the front is the fastest one.
const few = 24
