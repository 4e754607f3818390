package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// grouping rewrites the expressions above a GroupBy from the rows below it to
// its own columns.
type grouping struct {
	binder *Binder
	level  *Level
	groups []expr.Expr
	sets   [][]int
	cols   []logical.ColumnID // of groups
	below  []bool             // which columns the rows below have, by ID
	// decided are the columns that follow from the groups, by ID: they hold a primary key.
	decided      []bool
	groupings    [][]int // GROUPING calls, by the groups that they name
	groupingCols []logical.ColumnID
	queries      map[*logical.Subquery]*logical.Subquery // those rewritten
	inside       int                                     // how many queries in expressions are around what is rewritten
}

// aggregate puts a GroupBy over node and rewrites what stands above it.
func (g *grouping) aggregate(node logical.Node, list *SelectList, having *expr.Expr, keys []plan.SortKey, on []expr.Expr) (logical.Node, error) {
	m := g.binder.Meta
	g.below = make([]bool, m.Len())
	for _, id := range node.Out() {
		g.below[id] = true
	}
	for _, e := range g.groups {
		if c, ok := e.(*expr.Col); ok && g.below[c.Index] && g.sets == nil {
			g.cols = append(g.cols, c.Index)
		} else {
			g.cols = append(g.cols, m.Add(logical.Column{Name: expr.ToText(e), Type: e.Type()}))
		}
	}
	g.decide()
	if err := g.resolveGroupings(); err != nil {
		return nil, err
	}
	if err := g.direct(); err != nil {
		return nil, err
	}
	var err error
	for i := range list.Exprs {
		if list.Exprs[i], err = g.rewrite(list.Exprs[i]); err != nil {
			return nil, err
		}
	}
	if *having != nil {
		if *having, err = g.rewrite(*having); err != nil {
			return nil, err
		}
	}
	for i := range keys {
		if keys[i].Expr, err = g.rewrite(keys[i].Expr); err != nil {
			return nil, err
		}
	}
	if err := g.rewriteAll(on); err != nil {
		return nil, err
	}
	if err := g.windows(); err != nil {
		return nil, err
	}
	for _, s := range g.level.sets.list {
		if s.done {
			continue
		}
		s.Call.Args = slices.Clone(s.Call.Args)
		if err := g.rewriteAll(s.Call.Args); err != nil {
			return nil, err
		}
	}
	out := &logical.GroupBy{Input: node, Groups: g.groups, GroupCols: g.cols,
		Aggs: g.level.aggs.Calls, AggCols: g.level.aggs.IDs, Sets: g.sets}
	if g.sets != nil {
		out.Groupings, out.GroupingCols = g.groupings, g.groupingCols
	}
	return out, nil
}

func isRow(x expr.Expr) bool {
	_, ok := builtin.RowFields(x)
	return ok
}

func (g *grouping) rewriteAll(list []expr.Expr) error {
	for i, e := range list {
		var err error
		if list[i], err = g.rewrite(e); err != nil {
			return err
		}
	}
	return nil
}

// direct holds the direct arguments of ordered-set aggregates to what is grouped by: they are
// computed of any of a group's rows.
func (g *grouping) direct() error {
	for i := range g.level.aggs.Calls {
		call := &g.level.aggs.Calls[i]
		for _, e := range call.Args[:call.Direct] {
			of, err := g.rewrite(e)
			if err != nil {
				return sqlerr.As(err).WithDetail("Direct arguments of an ordered-set aggregate must use only grouped columns.")
			}
			if g.sets == nil {
				continue
			}
			common := g.common()
			for _, id := range expr.Cols(of) {
				if at := slices.Index(g.cols, id); at >= 0 && !expr.ContainsExpr(common, g.groups[at]) {
					return sqlerr.Unsupported("a direct argument of "+call.Agg.Name+" that not all grouping sets have is not supported",
						"Write a query for each set, and a UNION ALL of them.").At(e.Pos())
				}
			}
		}
	}
	return nil
}

// windows rewrites what the windows above are over.
func (g *grouping) windows() error {
	for _, w := range g.level.windows.list {
		w.Partition, w.Order = slices.Clone(w.Partition), slices.Clone(w.Order)
		if err := g.rewriteAll(w.Partition); err != nil {
			return err
		}
		var err error
		for i := range w.Order {
			if w.Order[i].Expr, err = g.rewrite(w.Order[i].Expr); err != nil {
				return err
			}
		}
		for i := range w.Calls {
			c := &w.Calls[i]
			c.Args = slices.Clone(c.Args)
			if err := g.rewriteAll(c.Args); err != nil {
				return err
			}
			for _, e := range []*expr.Expr{&c.Filter, &c.Frame.Start.Shift, &c.Frame.End.Shift} {
				if *e == nil {
					continue
				}
				if *e, err = g.rewrite(*e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// resolveGroupings finds the groups that GROUPING calls name: 42803.
func (g *grouping) resolveGroupings() error {
	for _, call := range g.level.groupings {
		var at []int
		for _, a := range call.Args {
			i := expr.IndexExpr(g.groups, a)
			if i < 0 {
				return sqlerr.New(sqlerr.GroupingError,
					"arguments to GROUPING must be grouping expressions of the associated query level").At(a.Pos())
			}
			at = append(at, i)
		}
		g.groupings, g.groupingCols = append(g.groupings, at), append(g.groupingCols, call.ID)
	}
	return nil
}

// rewrite replaces what is a group by the group's column: 42803 for a column
// that is in none.
func (g *grouping) rewrite(e expr.Expr) (expr.Expr, error) {
	return expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		c, ok := x.(*expr.Col)
		// In a query within, PostgreSQL looks for plain columns and whole rows only.
		if i := expr.IndexExpr(g.groups, x); i >= 0 && (ok || g.inside == 0 || isRow(x)) {
			return &expr.Col{Index: g.cols[i], T: x.Type(), Name: expr.ToText(x), At: x.Pos()}, nil
		}
		if s, ok := x.(*logical.Subquery); ok {
			return g.inQuery(s)
		}
		switch {
		case !ok:
			return nil, nil
		case g.sets == nil && slices.Contains(g.groupingCols, c.Index):
			// One set leaves out none of its groups.
			return &expr.Const{Value: types.NewInt(0), T: c.T, At: c.At}, nil
		case c.Index >= len(g.below) || !g.below[c.Index]:
			return c, nil // an aggregate, or a column of a query around this one
		case g.decided != nil && g.decided[c.Index]:
			return g.add(c), nil
		}
		if g.inside > 0 {
			return nil, sqlerr.New(sqlerr.GroupingError,
				`subquery uses ungrouped column "%s" from outer query`, g.level.Scope.fullName(c)).At(c.At)
		}
		return nil, sqlerr.New(sqlerr.GroupingError,
			`column "%s" must appear in the GROUP BY clause or be used in an aggregate function`, g.level.Scope.fullName(c)).At(c.At)
	})
}

// inQuery rewrites what a query in an expression names of the rows around it.
func (g *grouping) inQuery(s *logical.Subquery) (expr.Expr, error) {
	if done, ok := g.queries[s]; ok {
		return done, nil // it stands in two places, and is one query
	}
	g.inside++
	defer func() { g.inside-- }()
	out := *s
	var err error
	if s.Cond != nil {
		g.inside-- // the left side stands outside of the query
		out.Cond, err = g.rewrite(s.Cond)
		g.inside++
		if err != nil {
			return nil, err
		}
	}
	if out.Query, err = mapQuery(s.Query, g.rewrite); err != nil {
		return nil, err
	}
	if g.queries == nil {
		g.queries = map[*logical.Subquery]*logical.Subquery{}
	}
	g.queries[s] = s
	if out.Query != s.Query || out.Cond != s.Cond {
		g.queries[s] = &out
	}
	return g.queries[s], nil
}

// mapQuery applies fn to each expression of a tree.
func mapQuery(n logical.Node, fn func(expr.Expr) (expr.Expr, error)) (logical.Node, error) {
	ins := slices.Clone(n.Inputs())
	for i, in := range ins {
		var err error
		if ins[i], err = mapQuery(in, fn); err != nil {
			return nil, err
		}
	}
	var failed error
	out := logical.MapExprs(logical.WithInputs(n, ins), func(e expr.Expr) expr.Expr {
		if failed != nil {
			return e
		}
		mapped, err := fn(e)
		if err != nil {
			failed = err
			return e
		}
		return mapped
	})
	return out, failed
}

// add groups by one more column, which the others decide.
func (g *grouping) add(c *expr.Col) expr.Expr {
	id := c.Index
	if g.sets != nil {
		id = g.binder.Meta.Add(*g.binder.Meta.Column(c.Index))
		for i := range g.sets {
			g.sets[i] = append(slices.Clip(g.sets[i]), len(g.groups))
		}
	}
	g.groups, g.cols = append(g.groups, c), append(g.cols, id)
	return &expr.Col{Index: id, T: c.T, Name: c.Name, At: c.At}
}

// common are the groups that are in every set.
func (g *grouping) common() []expr.Expr {
	if g.sets == nil {
		return g.groups
	}
	var out []expr.Expr
	for i, e := range g.groups {
		if !slices.ContainsFunc(g.sets, func(s []int) bool { return !slices.Contains(s, i) }) {
			out = append(out, e)
		}
	}
	return out
}

// decide finds the tables whose whole key is grouped by.
func (g *grouping) decide() {
	groups := g.common()
	if len(groups) == 0 {
		return
	}
	for _, r := range g.level.Scope.Rels {
		if r.Table == nil || r.Table.HiddenKey() != nil {
			continue
		}
		all := true
		for _, k := range r.Table.PrimaryKey {
			all = all && expr.ContainsExpr(groups, &expr.Col{Index: r.Cols[k].ID})
		}
		if !all {
			continue
		}
		if g.decided == nil {
			g.decided = make([]bool, len(g.below))
		}
		for i := range r.Cols {
			g.decided[r.Cols[i].ID] = true
		}
		if r.row != nil && r.row.Index < len(g.decided) {
			g.decided[r.row.Index] = true
		}
	}
}

// fullName prints a column as relation.column.
func (s *Scope) fullName(c *expr.Col) string {
	for _, r := range s.Rels {
		for i := range r.Cols {
			if r.Cols[i].ID == c.Index && r.Name != "" {
				return r.Name + "." + r.Cols[i].Name
			}
		}
	}
	return c.Name
}
