package grouping

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Rewriter rewrites the expressions above a GroupBy from the rows below it to
// its own columns.
type Rewriter struct {
	Meta   *logical.Meta
	Level  *scope.Level
	Groups []expr.Expr
	Sets   [][]int            // of Groups, by their places; nil where there is one, of all
	cols   []logical.ColumnID // of groups
	below  []bool             // which columns the rows below have, by ID
	// decided are the columns that follow from the groups, by ID: they hold a primary key.
	decided      []bool
	groupings    [][]int // GROUPING calls, by the groups that they name
	groupingCols []logical.ColumnID
	queries      map[*logical.Subquery]*logical.Subquery // those rewritten
	inside       int                                     // how many queries in expressions are around what is rewritten
}

// Over puts a GroupBy over node and rewrites what stands above it.
func (g *Rewriter) Over(node logical.Node, list []expr.Expr, having *expr.Expr, keys []plan.SortKey, on []expr.Expr) logical.Node {
	m := g.Meta
	g.below = make([]bool, m.Len())
	for _, id := range node.Out() {
		g.below[id] = true
	}
	for _, e := range g.Groups {
		if c, ok := e.(*expr.Col); ok && g.below[c.Index] && g.Sets == nil {
			g.cols = append(g.cols, c.Index)
		} else {
			g.cols = append(g.cols, m.Add(logical.Column{Name: expr.ToText(e), Type: e.Type()}))
		}
	}
	g.decide()
	g.resolveGroupings()
	g.direct()
	g.rewriteAll(list)
	if *having != nil {
		*having = g.rewrite(*having)
	}
	for i := range keys {
		keys[i].Expr = g.rewrite(keys[i].Expr)
	}
	g.rewriteAll(on)
	g.windows()
	for _, s := range g.Level.Sets.List {
		if s.Done {
			continue
		}
		s.Call.Args = slices.Clone(s.Call.Args)
		g.rewriteAll(s.Call.Args)
	}
	out := &logical.GroupBy{Input: node, Groups: g.Groups, GroupCols: g.cols,
		Aggs: g.Level.Aggs.Calls, AggCols: g.Level.Aggs.IDs, Sets: g.Sets}
	if g.Sets != nil {
		out.Groupings, out.GroupingCols = g.groupings, g.groupingCols
	}
	return out
}

func isRow(x expr.Expr) bool {
	_, ok := builtin.RowFields(x)
	return ok
}

func (g *Rewriter) rewriteAll(list []expr.Expr) {
	for i, e := range list {
		list[i] = g.rewrite(e)
	}
}

// direct holds the direct arguments of ordered-set aggregates to what is grouped by: they are
// computed of any of a group's rows.
func (g *Rewriter) direct() {
	for i := range g.Level.Aggs.Calls {
		call := &g.Level.Aggs.Calls[i]
		for _, e := range call.Args[:call.Direct] {
			var of expr.Expr
			if err := fail.Try(func() { of = g.rewrite(e) }); err != nil {
				panic(sqlerr.As(err).WithDetail("Direct arguments of an ordered-set aggregate must use only grouped columns."))
			}
			if g.Sets == nil {
				continue
			}
			common := g.common()
			for _, id := range expr.Cols(of) {
				if at := slices.Index(g.cols, id); at >= 0 && !expr.ContainsExpr(common, g.Groups[at]) {
					panic(sqlerr.Unsupported("a direct argument of "+call.Agg.Name+" that not all grouping sets have is not supported",
						"Write a query for each set, and a UNION ALL of them.").At(e.Pos()))
				}
			}
		}
	}
}

// windows rewrites what the windows above are over.
func (g *Rewriter) windows() {
	for _, w := range g.Level.Windows.List {
		w.Partition, w.Order = slices.Clone(w.Partition), slices.Clone(w.Order)
		g.rewriteAll(w.Partition)
		for i := range w.Order {
			w.Order[i].Expr = g.rewrite(w.Order[i].Expr)
		}
		for i := range w.Calls {
			c := &w.Calls[i]
			c.Args = slices.Clone(c.Args)
			g.rewriteAll(c.Args)
			for _, e := range []*expr.Expr{&c.Filter, &c.Frame.Start.Shift, &c.Frame.End.Shift} {
				if *e == nil {
					continue
				}
				*e = g.rewrite(*e)
			}
		}
	}
}

// resolveGroupings finds the groups that GROUPING calls name: 42803.
func (g *Rewriter) resolveGroupings() {
	for _, call := range g.Level.Groupings {
		var at []int
		for _, a := range call.Args {
			i := expr.IndexExpr(g.Groups, a)
			if i < 0 {
				panic(sqlerr.New(sqlerr.GroupingError,
					"arguments to GROUPING must be grouping expressions of the associated query level").At(a.Pos()))
			}
			at = append(at, i)
		}
		g.groupings, g.groupingCols = append(g.groupings, at), append(g.groupingCols, call.ID)
	}
}

// rewrite replaces what is a group by the group's column: 42803 for a column
// that is in none.
func (g *Rewriter) rewrite(e expr.Expr) expr.Expr {
	return fail.Must(expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		c, ok := x.(*expr.Col)
		// In a query within, PostgreSQL looks for plain columns and whole rows only.
		if i := expr.IndexExpr(g.Groups, x); i >= 0 && (ok || g.inside == 0 || isRow(x)) {
			return &expr.Col{Index: g.cols[i], T: x.Type(), Name: expr.ToText(x), At: x.Pos()}, nil
		}
		if s, ok := x.(*logical.Subquery); ok {
			return g.inQuery(s), nil
		}
		switch {
		case !ok:
			return nil, nil
		case g.Sets == nil && slices.Contains(g.groupingCols, c.Index):
			// One set leaves out none of its groups.
			return &expr.Const{Value: types.NewInt(0), T: c.T, At: c.At}, nil
		case c.Index >= len(g.below) || !g.below[c.Index]:
			return c, nil // an aggregate, or a column of a query around this one
		case g.decided != nil && g.decided[c.Index]:
			return g.add(c), nil
		}
		if g.inside > 0 {
			return nil, sqlerr.New(sqlerr.GroupingError,
				`subquery uses ungrouped column "%s" from outer query`, g.Level.Scope.FullName(c)).At(c.At)
		}
		return nil, sqlerr.New(sqlerr.GroupingError,
			`column "%s" must appear in the GROUP BY clause or be used in an aggregate function`, g.Level.Scope.FullName(c)).At(c.At)
	}))
}

// inQuery rewrites what a query in an expression names of the rows around it.
func (g *Rewriter) inQuery(s *logical.Subquery) expr.Expr {
	if done, ok := g.queries[s]; ok {
		return done // it stands in two places, and is one query
	}
	g.inside++
	defer func() { g.inside-- }()
	out := *s
	if s.Cond != nil {
		g.inside-- // the left side stands outside of the query
		out.Cond = g.rewrite(s.Cond)
		g.inside++
	}
	out.Query = mapQuery(s.Query, g.rewrite)
	if g.queries == nil {
		g.queries = map[*logical.Subquery]*logical.Subquery{}
	}
	g.queries[s] = s
	if out.Query != s.Query || out.Cond != s.Cond {
		g.queries[s] = &out
	}
	return g.queries[s]
}

// mapQuery applies fn to each expression of a tree.
func mapQuery(n logical.Node, fn func(expr.Expr) expr.Expr) logical.Node {
	return logical.MapExprs(logical.MapInputs(n, func(in logical.Node) logical.Node { return mapQuery(in, fn) }), fn)
}

// add groups by one more column, which the others decide.
func (g *Rewriter) add(c *expr.Col) expr.Expr {
	id := c.Index
	if g.Sets != nil {
		id = g.Meta.Add(*g.Meta.Column(c.Index))
		for i := range g.Sets {
			g.Sets[i] = append(slices.Clip(g.Sets[i]), len(g.Groups))
		}
	}
	g.Groups, g.cols = append(g.Groups, c), append(g.cols, id)
	return &expr.Col{Index: id, T: c.T, Name: c.Name, At: c.At}
}

// common are the groups that are in every set.
func (g *Rewriter) common() []expr.Expr {
	if g.Sets == nil {
		return g.Groups
	}
	var out []expr.Expr
	for i, e := range g.Groups {
		if !slices.ContainsFunc(g.Sets, func(s []int) bool { return !slices.Contains(s, i) }) {
			out = append(out, e)
		}
	}
	return out
}

// decide finds the tables whose whole key is grouped by.
func (g *Rewriter) decide() {
	groups := g.common()
	if len(groups) == 0 {
		return
	}
	for _, r := range g.Level.Scope.Rels {
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
		if r.Row != nil && r.Row.Index < len(g.decided) {
			g.decided[r.Row.Index] = true
		}
	}
}
