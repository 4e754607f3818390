package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/grouping"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// groupBy is a bound GROUP BY.
type groupBy struct {
	exprs []expr.Expr
	// sets are grouping sets, each a list of indexes into exprs; nil where there is one, of all.
	sets [][]int
	// items are the output columns that the exprs are, or -1. Two that are written alike are
	// two groups, of which a set may leave out one: the second has a column of its own, again.
	items []int
	again logical.Project
	// of are the expressions of each that is written, for the text of a view; else it is nil.
	of map[tree.Expr][]expr.Expr
}

// noGroups is a SELECT's without a GROUP BY.
var noGroups groupBy

// Postgres's limits.
const (
	//saltsql:limit statements: elements of CUBE (54011)
	maxCube = 12
	//saltsql:limit statements: arguments of GROUPING (54023)
	maxGrouping = 31 // arguments of GROUPING
)

// bindGroupBy binds GROUP BY.
func (b *Binder) bindGroupBy(q *tree.Select, l *scope.Level, list *SelectList) *groupBy {
	if len(q.GroupBy) == 0 {
		return &noGroups
	}
	g := &groupBy{}
	if b.Capture != nil {
		g.of = map[tree.Expr][]expr.Expr{}
	}
	l.Several = slices.ContainsFunc(q.GroupBy, func(i tree.GroupItem) bool { return i.Kind != tree.GroupExpr })
	sets := [][]int{nil}
	for i := range q.GroupBy {
		of := b.groupItem(g, &q.GroupBy[i], l, list)
		sets = fail.Must(grouping.Product(sets, of))
	}
	if q.GroupDistinct {
		sets = grouping.DistinctSets(sets)
	}
	if len(sets) > 1 {
		g.sets = sets
	}
	return g
}

// groupItem gives the sets that one item stands for.
func (b *Binder) groupItem(g *groupBy, item *tree.GroupItem, l *scope.Level, list *SelectList) [][]int {
	switch item.Kind {
	case tree.GroupEmpty:
		return [][]int{nil}
	case tree.GroupExpr:
		set := b.groupSet(g, item.Expr, l, list)
		return [][]int{set}
	case tree.GroupSets:
		var all [][]int
		for i := range item.Items {
			sets := b.groupItem(g, &item.Items[i], l, list)
			if all = append(all, sets...); len(all) > grouping.MaxGroupingSets {
				panic(grouping.TooManySets())
			}
		}
		return all
	}
	if item.Kind == tree.GroupCube && len(item.Items) > maxCube {
		panic(sqlerr.New(sqlerr.TooManyColumns, "CUBE is limited to %d elements", maxCube))
	}
	parts := make([][]int, len(item.Items))
	for i := range item.Items {
		set := b.groupSet(g, item.Items[i].Expr, l, list)
		parts[i] = set
	}
	var sets [][]int
	if item.Kind == tree.GroupRollup {
		for n := len(parts); n >= 0; n-- {
			sets = append(sets, grouping.Union(parts[:n]...))
		}
		return sets
	}
	for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
		var set []int
		for i, p := range parts {
			if mask&(1<<i) != 0 {
				set = grouping.Union(set, p)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// groupSet binds an expression, or a list of them in parentheses, of GROUP BY.
func (b *Binder) groupSet(g *groupBy, written tree.Expr, l *scope.Level, list *SelectList) []int {
	nodes := []tree.Expr{written}
	if row, ok := written.(*tree.Row); ok && !row.Named {
		nodes = row.Fields
	}
	var set []int
	for _, n := range nodes {
		e, item := b.groupExpr(n, l, list)
		i := expr.IndexExpr(g.exprs, e)
		if i >= 0 && g.items[i] != item && item >= 0 && g.items[i] >= 0 && l.Several {
			id := b.Meta.Add(logical.Column{Name: list.Names[item], Type: e.Type()})
			g.again.Exprs, g.again.Cols = append(g.again.Exprs, e), append(g.again.Cols, id)
			e = b.Meta.Ref(id)
			list.Exprs[item], i = e, -1
		}
		if i < 0 {
			i = len(g.exprs)
			g.exprs, g.items = append(g.exprs, e), append(g.items, item)
		}
		checkTargets(len(g.exprs))
		if !slices.Contains(set, i) {
			set = append(set, i)
		}
		if g.of != nil {
			g.of[written] = append(g.of[written], e)
		}
	}
	return set
}

// bindGrouping binds GROUPING(…), which belongs to a query as an aggregate does.
func (b *Binder) bindGrouping(p *scope.Place, n *tree.Keyword) expr.Expr {
	pos := b.Pos(n)
	if len(n.Args) > maxGrouping {
		panic(sqlerr.New(sqlerr.TooManyArguments, "GROUPING must have fewer than %d arguments", maxGrouping+1).At(pos))
	}
	if p.Level == nil {
		panic(sqlerr.New(sqlerr.GroupingError, "grouping operations are not allowed in %s", p.Clause).At(pos))
	}
	var args []expr.Expr
	level := p.Level.NamedBy(func() {
		args = b.exprs(&scope.Place{Level: p.Level, Clause: scope.NestedAgg}, n.Args)

	})
	at := p
	if level != p.Level {
		at = &level.At
	}
	if !at.Aggs {
		panic(sqlerr.New(sqlerr.GroupingError, "grouping operations are not allowed in %s", at.Clause).At(pos))
	}
	p.Level.NoteNamed(level)
	id := b.Meta.Add(logical.Column{Name: "grouping", Type: types.Of(types.Int4)})
	level.Groupings = append(level.Groupings, scope.GroupingCall{Args: args, ID: id})
	return &expr.Col{Index: id, T: types.Of(types.Int4), Name: "grouping", At: pos}
}
