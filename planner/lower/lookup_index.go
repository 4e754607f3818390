package lower

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
)

// lookupByIndex reads the entries of an index for each left row, and then the rows that they
// lead to. What the index has is taken from there and tested before a row is read; a
// second step that nothing is asked of is pruned.
func (l *lowering) lookupByIndex(n *logical.Join, left *rel, get *logical.Get, conds []expr.Expr, choice *physical.Choice) *rel {
	ix := choice.Index
	e := ix.Entries()
	entries := &plan.Scan{Source: plan.Source{Table: e.Table, Of: get.Table, Alias: get.Alias}}
	has := &rel{node: entries}
	for i, c := range e.Source {
		if c >= 0 && !slices.Contains(has.cols, get.Cols[c]) {
			entries.Cols, has.cols = append(entries.Cols, i), append(has.cols, get.Cols[c])
		}
	}
	table := &plan.Scan{Source: plan.Source{Table: get.Table, Alias: get.Alias}}
	rows := &rel{node: table}
	need := func(c int) int {
		if i := slices.Index(table.Cols, c); i >= 0 {
			return i
		}
		table.Cols, rows.cols = append(table.Cols, c), append(rows.cols, get.Cols[c])
		return len(table.Cols) - 1
	}
	for c, id := range get.Cols {
		if !slices.Contains(has.cols, id) {
			need(c)
		}
	}
	// inIndex says that a condition is about what the index has, and the left side.
	inIndex := func(cond expr.Expr) bool {
		for _, c := range expr.Cols(cond) {
			if slices.Contains(rows.cols, c) {
				return false
			}
		}
		return true
	}
	var ofEntry, ofRow, restFirst, rest []expr.Expr
	for _, c := range conds {
		if inIndex(c) {
			ofEntry = append(ofEntry, c)
		} else {
			ofRow = append(ofRow, c)
		}
	}
	for _, c := range choice.Rest {
		if inIndex(c) {
			restFirst = append(restFirst, c)
		} else {
			rest = append(rest, c)
		}
	}
	first := &plan.LookupJoin{Kind: plan.Inner, Left: left.node, Right: entries}
	entries.Filter = l.expr(has, logical.AndAll(ofEntry))
	first.Values = l.exprs(left, choice.Values)
	first.Filter = l.overBoth(&pair{left: left, right: has}, restFirst)
	found := &rel{node: first, cols: slices.Concat(left.cols, has.cols)}
	second := &plan.LookupJoin{Kind: plan.Inner, Left: first, Right: table, Index: ix.Name}
	at := func(c int) expr.Expr { // of what the index has
		col := &get.Table.Columns[c]
		return &expr.Col{Index: len(left.cols) + slices.Index(has.cols, get.Cols[c]), T: col.Type, Name: l.name(l.meta.Ref(get.Cols[c]))}
	}
	for _, c := range get.Table.PrimaryKey {
		second.Values = append(second.Values, at(c))
	}
	for i := range ix.Parts {
		c := e.Source[i]
		if col := &get.Table.Columns[c]; col.KeyPos < 0 {
			second.Same = append(second.Same, plan.JoinKey{Left: at(c), Right: &expr.Col{Index: need(c), T: col.Type, Name: col.Name}})
		}
	}
	if e.Where != nil {
		holds := expr.MapCols(e.Where, func(c *expr.Col) expr.Expr {
			m := *c
			m.Index = need(c.Index)
			return &m
		})
		second.Same = append(second.Same, plan.JoinKey{Left: &expr.Const{Value: types.NewBool(true), T: types.Of(types.Bool)}, Right: holds})
	}
	if get.WithKey { // behind the columns, of which there are no more to come
		for _, c := range get.Table.PrimaryKey {
			need(c)
		}
		table.WithKey, table.WithVersion = true, true
		rows.cols = append(rows.cols, get.Key, get.Version)
	}
	// What both have is taken from the index, which stands first.
	second.Filter = l.overBoth(&pair{left: found, right: rows}, append(ofRow, rest...))
	return &rel{node: second, cols: slices.Concat(found.cols, rows.cols)}
}
