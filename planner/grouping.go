package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// grouping rewrites the expressions above an Aggregate from the rows below it to
// its own columns.
type grouping struct {
	binder *binder
	scope  *scope
	groups []expr.Expr
	aggs   *aggs
	// byKey says that the groups hold the primary key, which decides all other columns.
	byKey bool
}

// aggregate puts an Aggregate over node and rewrites what stands above it.
func (g *grouping) aggregate(node plan.Node, list *selectList, having *expr.Expr, keys []plan.SortKey, on []expr.Expr) (plan.Node, error) {
	g.byKey = g.groupedByKey()
	var err error
	for i := range list.exprs {
		if list.exprs[i], err = g.rewrite(list.exprs[i]); err != nil {
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
	for i := range on {
		if on[i], err = g.rewrite(on[i]); err != nil {
			return nil, err
		}
	}
	// Only now is the number of groups known, and with it where the aggregates lie.
	final := func(e expr.Expr) expr.Expr {
		return mapCols(e, func(c *expr.Col) expr.Expr {
			if c.Index < aggBase {
				return c
			}
			moved := *c
			moved.Index = len(g.groups) + c.Index - aggBase
			return &moved
		})
	}
	for i := range list.exprs {
		list.exprs[i] = final(list.exprs[i])
	}
	*having = final(*having)
	for i := range keys {
		keys[i].Expr = final(keys[i].Expr)
	}
	for i := range on {
		on[i] = final(on[i])
	}
	below := node.Columns()
	agg := &plan.Aggregate{Input: node, Groups: g.groups, Aggs: g.aggs.calls}
	for _, e := range g.groups {
		col := plan.Column{Name: expr.ToText(e), Type: e.Type()}
		if c, ok := e.(*expr.Col); ok {
			col = below[c.Index]
		}
		agg.Cols = append(agg.Cols, col)
	}
	for _, a := range g.aggs.calls {
		agg.Cols = append(agg.Cols, plan.Column{Name: a.Text, Type: a.Agg.T})
	}
	return agg, nil
}

// rewrite replaces what is a group by the group's column: 42803 for a column
// that is in none.
func (g *grouping) rewrite(e expr.Expr) (expr.Expr, error) {
	return mapExpr(e, func(x expr.Expr) (expr.Expr, error) {
		if i := indexExpr(g.groups, x); i >= 0 {
			return &expr.Col{Index: i, T: x.Type(), Name: expr.ToText(x), At: x.Pos()}, nil
		}
		c, ok := x.(*expr.Col)
		switch {
		case !ok:
			return nil, nil
		case c.Index >= aggBase:
			return c, nil
		case g.byKey:
			g.groups = append(g.groups, c)
			return &expr.Col{Index: len(g.groups) - 1, T: c.T, Name: c.Name, At: c.At}, nil
		}
		return nil, sqlerr.New(sqlerr.GroupingError,
			`column "%s" must appear in the GROUP BY clause or be used in an aggregate function`, g.scope.fullName(c)).At(c.At)
	})
}

func (g *grouping) groupedByKey() bool {
	for _, r := range g.scope.rels {
		if r.table == nil || len(g.groups) == 0 {
			continue
		}
		all := true
		for _, k := range r.table.PrimaryKey {
			all = all && containsExpr(g.groups, &expr.Col{Index: r.first + k})
		}
		if all {
			return true
		}
	}
	return false
}

// fullName prints a column as relation.column.
func (s *scope) fullName(c *expr.Col) string {
	for _, r := range s.rels {
		if c.Index >= r.first && c.Index < r.first+len(r.cols) && r.name != "" {
			return r.name + "." + r.cols[c.Index-r.first].name
		}
	}
	return c.Name
}
