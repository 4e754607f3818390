package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// cte is a WITH query. It is bound anew where it is named, as if written there.
type cte struct {
	name    string
	columns []string
	query   tree.Query
	pos     int
	visible []*cte // what the query itself may name
	uses    int
}

// bindUnused checks the WITH queries since the n-th that nobody has named, as PostgreSQL does:
// they are bound and never run.
func (b *binder) bindUnused(n int) error {
	list, outer := b.ctes[n:], b.unused
	b.unused = true
	defer func() { b.unused = outer }()
	for _, c := range slices.Backward(list) { // one may name those before it
		if c.uses > 0 {
			continue
		}
		node, err := b.bindVisible(c)
		if err != nil {
			return err
		}
		if err := nodeRelation(node, c.name).renameAs("WITH query", c.columns, c.pos); err != nil {
			return err
		}
	}
	return nil
}

// bindVisible binds a WITH query with the names that it may see.
func (b *binder) bindVisible(c *cte) (plan.Node, error) {
	if err := b.expand.enter(c.pos); err != nil {
		return nil, err
	}
	defer b.expand.leave()
	saved := b.ctes
	b.ctes = c.visible
	node, err := b.bindQuery(c.query, nil)
	b.ctes = saved
	return node, err
}

// bindWith adds the queries of a WITH clause to the names in sight.
func (b *binder) bindWith(w *tree.With) error {
	if w == nil {
		return nil
	}
	all := append(make([]*cte, 0, len(b.ctes)+len(w.CTEs)), b.ctes...)
	seen := make(map[string]bool, len(w.CTEs))
	for i := range w.CTEs {
		c := &w.CTEs[i]
		pos := b.pos(c)
		if w.Recursive {
			return sqlerr.Unsupported("WITH RECURSIVE is not supported", "Run one query per level.").At(pos)
		}
		if seen[c.Name] {
			return sqlerr.New(sqlerr.DuplicateAlias, `WITH query name "%s" specified more than once`, c.Name).At(pos)
		}
		seen[c.Name] = true
		all = append(all, &cte{name: c.Name, columns: c.Columns, query: c.Query, pos: pos, visible: all})
	}
	b.ctes = all
	return nil
}

// findCTE finds the WITH query a name means; nil if it means none.
func (b *binder) findCTE(name string) *cte {
	for i := len(b.ctes) - 1; i >= 0; i-- {
		if b.ctes[i].name == name {
			return b.ctes[i]
		}
	}
	return nil
}

// bindCTE puts a WITH query in the place of its name.
func (b *binder) bindCTE(c *cte, alias tree.Alias, pos int) (plan.Node, *relation, error) {
	node, err := b.bindVisible(c)
	if err != nil {
		return nil, nil, err
	}
	if c.uses++; c.uses > 1 && !b.unused && anyVolatile(node) {
		return nil, nil, sqlerr.Unsupported(`WITH query "`+c.name+`" calls a volatile function and is used more than once`,
			"Use it once, or store its rows in a table first.").At(pos)
	}
	rel := nodeRelation(node, c.name)
	if err := rel.renameAs("WITH query", c.columns, c.pos); err != nil {
		return nil, nil, err
	}
	if alias.Name != "" {
		rel.name, rel.real = alias.Name, c.name
	}
	if err := rel.rename(alias.Columns, pos); err != nil {
		return nil, nil, err
	}
	return node, rel, nil
}
