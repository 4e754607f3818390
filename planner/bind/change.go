package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// change is what UPDATE and DELETE have in common while they are bound: the rows of a
// table, perhaps joined with those of FROM or USING, some of which are written. It makes
// the input of the node that writes:
//
//	table's columns | row key | version | what else the node asks for
//
// What else are columns of FROM, and queries in SET: both are computed once, with the
// row as the statement finds it. Where the row has changed by the time it is written, the
// node looks at it again: plan.Again says by what.
type change struct {
	writer
	table *catalog.Table
	rel   *scope.Relation
	named *scope.Relation // what the statement may name: rel, or the view's columns
	get   *logical.Get
	level *scope.Level
	node  logical.Node // get, perhaps joined
	from  bool         // it is
	merge logical.Node // of an action of MERGE: the rows that it is due for

	cond  expr.Expr      // the whole WHERE; nil is true
	rows  []logical.Node // the queries of SET (…) = (SELECT …)
	facts *logical.Facts
	again plan.Again
	ids   []logical.ColumnID // of the input, where it is not get's alone
	exprs []expr.Expr        // one for each of ids
}

// newChange begins with the target of a statement and what it is joined with.
func (b writer) newChange(ref *tree.TableRef, does verb, from []tree.From, set []tree.Assign) *change {
	t := b.bindTarget(ref, does)
	for i := range set {
		t = b.widen(t, set[i].Targets)
	}
	alias := ref.Alias.Name
	c := &change{writer: b, table: t, level: scope.NewLevel(nil)}
	b.Meta.Reserve(len(t.Columns) + keyColumns)
	c.rel, c.named = b.targetOf(t, alias)
	c.get = b.getForWrite(c.rel, alias)
	c.rel.ReadBy(c.get)
	c.node, c.level.Scope = c.get, scope.ScopeOf(c.named)
	if len(from) == 0 {
		return c
	}
	c.level.Scope = &scope.Scope{Unseen: []*scope.Relation{c.named}}
	node := b.BindFrom(c.level, from)
	sources := c.level.Scope
	query.NoSameNames(scope.ScopeOf(c.named), sources)
	c.level.Scope = &scope.Scope{Rels: append([]*scope.Relation{c.named}, sources.Rels...), Cols: append(slices.Clip(c.named.Cols), sources.Cols...)}
	c.node, c.from = &logical.Join{Kind: plan.Inner, Left: c.get, Right: node}, true
	return c
}

// keyColumns is how many columns getForWrite reads beside those of the table.
const keyColumns = 2

// getForWrite reads whole rows with their keys and versions.
func (b writer) getForWrite(rel *scope.Relation, alias string) *logical.Get {
	return &logical.Get{
		Table: rel.Table, Alias: alias, Cols: rel.IDs(), ForUpdate: true, WithKey: true,
		Key:     b.Meta.Add(logical.Column{Name: plan.RowKeyColumn, Type: types.Of(types.Bytea)}),
		Version: b.Meta.Add(logical.Column{Name: plan.VersionColumn, Type: types.Of(types.Int8)}),
	}
}

// place is where an expression over the rows stands.
func (c *change) place(clause string) *scope.Place {
	return &scope.Place{Level: c.level, Clause: clause}
}

// setPlace is where SET stands.
func (c *change) setPlace() *scope.Place {
	p := c.place("UPDATE")
	p.RowQueries = &c.rows
	return p
}

// where binds WHERE.
func (c *change) where(n tree.Expr) {
	if n != nil {
		c.cond = c.BoolExpr(c.place("WHERE"), n)
	}
	if c.view == nil {
		return
	}
	all := c.view.Conds()
	if c.cond != nil {
		all = append(all, c.cond)
	}
	if len(all) > 0 {
		c.cond = logical.AndAll(all)
	}
}

// plain says that the rows are the table's, under a condition without queries, and what is
// computed of them has no queries either.
func (c *change) plain(set []plan.SetColumn) bool {
	if c.from || c.merge != nil || len(c.rows) > 0 || c.cond != nil && logical.HoldsQuery(c.cond) {
		return false
	}
	return !slices.ContainsFunc(set, func(s plan.SetColumn) bool { return logical.HoldsQuery(s.Value) })
}

// input gives the rows that are written, and puts positions in them in the place of
// columns in set and ret. cond is the part of WHERE that can be evaluated again on a row
// that has changed.
func (c *change) input(set []plan.SetColumn, ret []expr.Expr) (in logical.Node, cond expr.Expr, again *plan.Again) {
	switch in = c.node; {
	case c.merge != nil:
		in = c.merge
	case c.cond != nil:
		in = &logical.Select{Input: in, Cond: c.cond}
	}
	if c.plain(set) {
		for i := range set {
			set[i].Value = scope.Positions(set[i].Value, c.rel)
		}
		for i := range ret {
			ret[i] = scope.Positions(ret[i], c.rel)
		}
		return in, scope.Positions(c.cond, c.rel), nil
	}
	c.facts = c.Facts()
	if c.from {
		// A row is written once, however many rows it is joined with.
		key := c.Meta.Ref(c.get.Key)
		in = &logical.DistinctOn{Input: in, Exprs: []expr.Expr{key}, Keys: []plan.SortKey{{Expr: key}}, AnyOrder: true}
	}
	for _, q := range c.rows {
		free := c.facts.Of(q).Free
		c.dependsOn(free)
		in = &logical.Join{Kind: plan.Single, Left: in, Right: q, Apply: free.Intersects(c.facts.Of(in).Out)}
	}
	for _, id := range c.get.Out() {
		c.ids, c.exprs = append(c.ids, id), append(c.exprs, c.Meta.Ref(id))
	}
	var evaluable []expr.Expr
	for _, x := range logical.Conjuncts(c.cond) {
		if logical.HoldsQuery(x) {
			c.depends(x)
		} else {
			evaluable = append(evaluable, c.at(x))
		}
	}
	for i := range set {
		set[i].Value = c.at(c.computed(set[i].Value))
	}
	for i := range ret {
		ret[i] = c.at(ret[i])
	}
	c.again.Joined = c.from
	return &logical.Project{Input: in, Exprs: c.exprs, Cols: c.ids}, logical.AndAll(evaluable), &c.again
}

// depends notes the columns of the row that something computed once depends on.
func (c *change) depends(e expr.Expr) { c.dependsOn(c.facts.ColsOf(e)) }

func (c *change) dependsOn(cols logical.ColSet) {
	for i := range c.rel.Cols {
		if cols.Has(c.rel.Cols[i].ID) && !slices.Contains(c.again.Columns, i) {
			c.again.Columns = append(c.again.Columns, i)
		}
	}
}

// computed has the queries in e computed below, once.
func (c *change) computed(e expr.Expr) expr.Expr {
	return withoutQueries(e, func(x expr.Expr) expr.Expr {
		c.depends(x)
		id := c.Meta.Add(logical.Column{Name: "query", Type: x.Type()})
		c.ids, c.exprs = append(c.ids, id), append(c.exprs, x)
		return c.Meta.Ref(id)
	})
}

// withoutQueries puts what below makes of them in the place of the queries in e, each with
// what decides whether it is run at all.
func withoutQueries(e expr.Expr, below func(expr.Expr) expr.Expr) expr.Expr {
	if e == nil || !logical.HoldsQuery(e) {
		return e
	}
	out, _ := expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		switch x.(type) {
		case *logical.Subquery, *expr.Case, *expr.Coalesce, *expr.And, *expr.Or:
		default:
			return nil, nil
		}
		if !logical.HoldsQuery(x) {
			return x, nil
		}
		return below(x), nil
	})
	return out
}

// at puts positions in the input in the place of columns, which are added to it where
// they are not there yet.
func (c *change) at(e expr.Expr) expr.Expr {
	return expr.MapCols(e, func(col *expr.Col) expr.Expr {
		i := slices.Index(c.ids, col.Index)
		if i < 0 {
			i = len(c.ids)
			c.ids, c.exprs = append(c.ids, col.Index), append(c.exprs, c.Meta.Ref(col.Index))
		}
		moved := *col
		moved.Index = i
		return &moved
	})
}
