package bind

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
)

// selectList is the bound list of a SELECT or a RETURNING.
type selectList struct {
	exprs []expr.Expr
	names []string
	pos   []int
}

// columnList is a list of columns as they are.
func columnList(cols []column) *selectList {
	list := &selectList{}
	for i := range cols {
		list.add(cols[i].ref(0), cols[i].name, 0)
	}
	return list
}

// bindItems binds a select list, expanding the stars.
func (b *binder) bindItems(p *place, items []tree.Item, w *want) (*selectList, error) {
	list := &selectList{}
	for i := range items {
		item := &items[i]
		if item.Star {
			if err := b.expandStar(p, item, list); err != nil {
				return nil, err
			}
			continue
		}
		if fields, ok := item.Expr.(*tree.FieldStar); ok {
			if err := b.bindFieldStar(p, fields, list); err != nil {
				return nil, err
			}
			continue
		}
		e, err := b.expr(p, item.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = w.column(len(list.exprs), e); err != nil {
			return nil, err
		}
		list.add(e, item.Name, b.pos(item))
	}
	if err := checkTargets(len(list.exprs)); err != nil {
		return nil, err
	}
	return list, nil
}

// maxTargets is Postgres's limit.
const maxTargets = 1664

// checkTargets bounds select lists, and the lists whose expressions Postgres adds to
// them: 54011.
func checkTargets(n int) error {
	if n > maxTargets {
		return sqlerr.New(sqlerr.TooManyColumns, "target lists can have at most %d entries", maxTargets)
	}
	return nil
}

func (l *selectList) add(e expr.Expr, name string, pos int) {
	l.exprs, l.names, l.pos = append(l.exprs, e), append(l.names, name), append(l.pos, pos)
}

func (b *binder) expandStar(p *place, item *tree.Item, list *selectList) error {
	pos := b.pos(item)
	if item.Table == "" {
		sc := p.scope()
		if len(sc.rels) == 0 {
			return sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid").At(pos)
		}
		list.star(sc.cols, pos)
		return nil
	}
	for l := p.level; l != nil; l = l.parent {
		if r, in := l.scope.relation(item.Schema, item.Table); r != nil {
			if in.barred {
				return barred(r.name, pos)
			}
			in.used = true
			list.star(r.cols, pos)
			p.level.names(l)
			return nil
		}
	}
	return p.missingRelation(item.Schema, item.Table, pos)
}

func (l *selectList) star(cols []column, pos int) {
	for i := range cols {
		l.add(cols[i].ref(pos), cols[i].name, pos)
	}
}

// projection computes the list over node. A plain column of the node is passed on and
// keeps its ID, unless it stands twice.
func (b *binder) projection(l *level, node logical.Node, list *selectList) *result {
	p := &logical.Project{Input: node, Exprs: list.exprs, Cols: make([]logical.ColumnID, len(list.exprs))}
	r := &result{node: p, cols: make([]column, len(list.exprs))}
	given := givenBy(l, node)
	var seen map[logical.ColumnID]bool
	for i, e := range list.exprs {
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
				seen = make(map[logical.ColumnID]bool, len(list.exprs))
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
			again := *b.meta.Column(c.Index)
			again.Name = list.names[i]
			p.Cols[i] = b.meta.Add(again)
		default:
			p.Cols[i] = b.meta.Add(logical.Column{Name: list.names[i], Type: e.Type()})
		}
		if seen != nil {
			seen[p.Cols[i]] = true
		}
		r.cols[i] = column{name: list.names[i], t: e.Type(), id: p.Cols[i]}
	}
	return r
}

// givenBy says which columns a node gives, by ID; nil if any column that can be named is
// one of them, as in a statement's own query.
func givenBy(l *level, node logical.Node) map[logical.ColumnID]bool {
	if l.parent == nil {
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
