package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
)

// cte is a WITH query. It is bound once, where it stands; where it is named, its rows are
// read by its ID, unless the one name can be replaced by the query.
type cte struct {
	name    string
	columns []string
	query   tree.Query
	writes  tree.DML // in the place of query
	silent  bool     // it writes, and gives no rows
	pos     int
	place   *scope.Place // where the WITH clause stands
	visible []*cte       // what the query itself may name
	// materialized is the written choice, as tree.CTE has it.
	materialized int
	clause       *tree.With
	search       *tree.Search
	cycle        *tree.Cycle
	nested       int  // how many queries the clause stands in
	added        int  // the columns, behind the others, that SEARCH and CYCLE add
	around       *cte // that is being bound around this one; nil if this is not

	bound   *result // nil until it is bound
	binding bool
	self    *selfReference // while the second term of a recursive query is bound
	id      int
	uses    int
	depth   int // how many WITH queries it reads that read one another
}

// BindWith adds the queries of a WITH clause to the names in sight, and binds them.
func (b *Binder) BindWith(p *scope.Place, w *tree.With) {
	if w == nil {
		return
	}
	var at *scope.Place
	if p != nil {
		copied := *p // see Place
		at = &copied
	}
	all := append(make([]*cte, 0, len(b.ctes)+len(w.CTEs)), b.ctes...)
	seen := make(map[string]bool, len(w.CTEs))
	first := len(all)
	for i := range w.CTEs {
		c := &w.CTEs[i]
		if seen[c.Name] {
			panic(sqlerr.New(sqlerr.DuplicateAlias, `WITH query name "%s" specified more than once`, c.Name).At(b.Pos(c)))
		}
		seen[c.Name] = true
		if c.Writes != nil && w != b.TopWith {
			panic(sqlerr.Unsupported("WITH clause containing a data-modifying statement must be at the top level",
				"Write the WITH clause before the outermost statement.").At(b.Pos(c)))
		}
		all = append(all, &cte{name: c.Name, columns: c.Columns, query: c.Query, writes: c.Writes, pos: b.Pos(c), place: at,
			visible: all, materialized: c.Materialized, clause: w,
			search: c.Search, cycle: c.Cycle, nested: b.nested})
	}
	if w.Recursive {
		for _, c := range all[first:] {
			c.visible = all
		}
	}
	b.ctes = all
	for _, c := range all[first:] {
		b.bindCTE(c)
	}
}

// bindCTE binds a WITH query with the names that it may see, once.
func (b *Binder) bindCTE(c *cte) {
	if c.bound != nil {
		return
	}
	if c.binding {
		panic(mutual(c))
	}
	r := b.bindVisible(c)
	own := &scope.Relation{Name: c.name, Cols: r.Cols[:len(r.Cols)-c.added]}
	own.RenameAs("WITH query", c.columns, c.pos)
	c.bound, c.id = r, b.Meta.NewWith()
}

func mutual(c *cte) *sqlerr.Error {
	return sqlerr.Unsupported("mutual recursion between WITH items is not implemented", "Write one recursive query.").At(c.pos)
}

func (b *Binder) bindVisible(c *cte) *result {
	b.expand.enter(c.pos)
	defer b.expand.leave()
	saved := b.ctes
	b.ctes, c.binding, c.around, b.inside = c.visible, true, b.inside, c
	defer func() { b.ctes, c.binding, b.inside, c.around = saved, false, c.around, nil }()
	switch {
	case (c.search != nil || c.cycle != nil) && (c.writes != nil || !c.clause.Recursive):
		panic(notRecursive(c))
	case c.writes != nil:
		return b.bindWriting(c)
	case c.clause.Recursive:
		return b.bindRecursive(c)
	}
	return b.BindQuery(c.place, c.query, nil)
}

// bindWriting binds a WITH query that writes.
func (b *Binder) bindWriting(c *cte) *result {
	b.shared.Writes = true
	known := len(b.ctes)
	s := b.Write(b, c.writes)
	r := &result{Cols: make([]scope.Column, len(s.Out))}
	for i, id := range s.Out {
		r.Cols[i] = scope.Column{Name: s.Names[i], T: b.Meta.Column(id).Type, ID: id}
	}
	c.silent = len(s.Out) == 0
	r.Node = b.Withs(known, s.Root)
	return r
}

// findCTE finds the WITH query a name means; nil if it means none.
func (b *Binder) findCTE(name string) *cte {
	for i := len(b.ctes) - 1; i >= 0; i-- {
		if b.ctes[i].name == name {
			return b.ctes[i]
		}
	}
	return nil
}

// bindCTERef reads a WITH query.
func (b *Binder) bindCTERef(c *cte, alias tree.Alias, pos int) (logical.Node, *scope.Relation) {
	node, rel := b.cteRows(c, pos)
	if alias.Name != "" {
		rel.Name, rel.OwnName = alias.Name, c.name
	}
	for i := range rel.Cols {
		b.Meta.Column(rel.Cols[i].ID).Relation = rel.Name
	}
	b.Meta.AddRelation()
	rel.Rename(alias.Columns, pos)
	return node, rel
}

func (b *Binder) cteRows(c *cte, pos int) (logical.Node, *scope.Relation) {
	if c.self != nil && c.binding {
		for in := b.inside; in != c; in = in.around {
			if in.clause == c.clause {
				panic(mutual(c))
			}
		}
		return b.selfRows(c, pos)
	}
	b.bindCTE(c)
	if c.silent {
		panic(sqlerr.New(sqlerr.FeatureNotSupported, `WITH query "%s" does not have a RETURNING clause`, c.name).At(pos))
	}
	c.uses++
	if in := b.inside; in != nil {
		if in.depth = max(in.depth, c.depth+1); in.depth > MaxExpansionDepth {
			panic(TooDeep(pos))
		}
	}
	if c.uses == 1 {
		// The first name takes the query's own columns, so that the query can take its place.
		ref := &logical.WithRef{ID: c.id, Name: c.name, Cols: c.bound.Node.Out()}
		return ref, b.withoutAdded(c, &scope.Relation{Name: c.name, Cols: slices.Clone(c.bound.Cols)})
	}
	if c.writes == nil && c.materialized < 0 && !logical.Volatile(c.bound.Node) {
		// NOT MATERIALIZED: it is bound anew, with columns of its own.
		r := b.bindVisible(c)
		own := &scope.Relation{Name: c.name, Cols: r.Cols[:len(r.Cols)-c.added]}
		own.RenameAs("WITH query", c.columns, c.pos)
		return r.Node, b.withoutAdded(c, r.relation(c.name))
	}
	rel := b.copyOf(c.name, c.bound.Cols)
	return &logical.WithRef{ID: c.id, Name: c.name, Cols: rel.IDs()}, b.withoutAdded(c, rel)
}

// withoutAdded keeps what SEARCH and CYCLE add out of * in queries within the one that has
// the WITH clause, as PostgreSQL does.
func (b *Binder) withoutAdded(c *cte, r *scope.Relation) *scope.Relation {
	if c.added > 0 && b.nested > c.nested {
		n := len(r.Cols) - c.added
		r.Cols, r.System = r.Cols[:n:n], r.Cols[n:]
	}
	return r
}

// copyOf gives new columns like those given.
func (b *Binder) copyOf(name string, cols []scope.Column) *scope.Relation {
	rel := &scope.Relation{Name: name}
	for i := range cols {
		c := *b.Meta.Column(cols[i].ID)
		c.Name, c.Type, c.Relation = cols[i].Name, cols[i].T, name
		rel.Cols = append(rel.Cols, scope.Column{Name: cols[i].Name, T: cols[i].T, ID: b.Meta.Add(c)})
	}
	return rel
}

// Withs puts the queries since the n-th that are read by their ID above a node, and notes
// those that take the place of their one name.
func (b *Binder) Withs(n int, node logical.Node) logical.Node {
	for _, c := range slices.Backward(b.ctes[n:]) { // one may name those before it
		switch {
		case c.writes != nil:
			node = &logical.With{ID: c.id, Name: c.name, Query: c.bound.Node, Body: node, Writes: true}
		case c.uses == 0:
			continue // it is bound, and never run
		case c.materialized < 0 && !logical.Volatile(c.bound.Node),
			c.materialized == 0 && c.uses == 1 && !logical.Volatile(c.bound.Node):
			if b.Inlined == nil {
				b.Inlined = map[int]logical.Node{}
			}
			b.Inlined[c.id] = c.bound.Node
		default:
			if b.expand.kept++; b.expand.kept > MaxExpansionDepth {
				panic(TooDeep(c.pos))
			}
			node = &logical.With{ID: c.id, Name: c.name, Query: c.bound.Node, Body: node}
		}
	}
	return node
}

// Facts gives the properties of what is bound so far.
func (b *Binder) Facts() *logical.Facts { return logical.NewFacts(b.Meta).Naming(b.Inlined) }

// banning runs bind where a recursive query cannot be named.
func (b *Binder) banning(where string, bind func()) {
	saved := b.banned
	if b.banned == "" {
		b.banned = where
	}
	defer func() { b.banned = saved }()
	bind()
}
