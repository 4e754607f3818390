package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// accessPaths tells package physical what reading a table costs, by the same key machinery
// that makes the scan in the end. Columns of other relations are to it what parameters are:
// values that are known when the scan is opened.
type accessPaths struct{ ctx *Context }

var _ physical.Access = (*accessPaths)(nil)

// Rows is how many rows a table has.
func (a *accessPaths) Rows(get *logical.Get) float64 { return a.ctx.Known().TableRows(get.Table) }

// SeekRows is how many rows are read in the time of one seek.
func (a *accessPaths) SeekRows() float64 { return a.ctx.Known().SeekRows() }

// Distinct is how many values a column has: known of the key's columns, and of those that
// ANALYZE has looked at.
func (a *accessPaths) Distinct(get *logical.Get, col logical.ColumnID) float64 {
	rows := max(a.Rows(get), 1)
	at := -1
	for i, id := range get.Cols {
		if id == col {
			at = i
		}
	}
	if at < 0 {
		return rows
	}
	pos := get.Table.Columns[at].KeyPos
	if pos == 0 && len(get.Table.PrimaryKey) == 1 {
		return rows
	}
	if n, ok := a.values(get, at); ok {
		return n
	}
	if pos >= 0 && a.ctx.Estimator != nil {
		if sp, ok := a.ctx.Estimator.Spread(get.Table, nil, 0, a.ctx.Env); ok && pos+1 < len(sp.Distinct) && sp.Distinct[pos+1] > 0 {
			if pos == 0 {
				return sp.Distinct[1]
			}
			return max(sp.Distinct[pos+1]/max(sp.Distinct[pos], 1), 1)
		}
	}
	return max(rows*estimate.PercentGroups/100, 1)
}

// values is Distinct by what is known of the column.
func (a *accessPaths) values(get *logical.Get, at int) (float64, bool) {
	if a.ctx.Estimator == nil {
		return 0, false
	}
	c := a.ctx.Estimator.Column(get.Table, get.Table.Columns[at].ID)
	if c == nil {
		return 0, false
	}
	n := c.Values(a.Rows(get))
	return n, n > 0
}

// Scan is about reading a table under conditions.
func (a *accessPaths) Scan(get *logical.Get, conds []expr.Expr) physical.Path {
	s, mapped := scanOf(get, conds)
	plain := *s
	if len(mapped) > 0 && !constrain(a.ctx, s, mapped) {
		return physical.Path{Narrow: true}
	}
	if m, ok := chooseAccess(a.ctx, s).(*plan.Scan); ok {
		s = m
	}
	p := physical.Path{Rows: a.ctx.Known().Rows(s), Spans: a.ctx.Known().Spans(s), Narrow: s.Access != plan.FullScan}
	p.Read = p.Rows
	if s.Filter != nil {
		all := *s
		all.Filter = nil
		p.Read = a.ctx.Known().Rows(&all)
	}
	if !get.WithKey && get.Sample == nil {
		for _, path := range indexPaths(a.ctx, &plain) {
			if q, ok := a.byIndex(path, &plain, mapped); ok && a.cost(q) < a.cost(p) {
				q.Rows = min(q.Rows, p.Rows)
				p = q
			}
		}
	}
	return p
}

// scanOf is a scan of a table, and conditions over its columns: columns of other relations
// are parameters there.
func scanOf(get *logical.Get, conds []expr.Expr) (*plan.Scan, []expr.Expr) {
	s := &plan.Scan{Source: plan.Source{Table: get.Table, Alias: get.Alias, Cols: make([]int, len(get.Table.Columns))}}
	at := make(map[logical.ColumnID]int, len(get.Cols))
	for i, id := range get.Cols {
		s.Cols[i], at[id] = i, i
	}
	mapped := make([]expr.Expr, 0, len(conds))
	for _, c := range conds {
		if logical.VolatileExpr(c) {
			continue
		}
		mapped = append(mapped, expr.MapCols(c, func(c *expr.Col) expr.Expr {
			if i, ok := at[c.Index]; ok {
				return &expr.Col{Index: i, T: c.T, Name: c.Name}
			}
			return &expr.Param{N: 1 << 20, T: c.T, Name: c.Name}
		}))
	}
	return s, mapped
}

// Indexes are those by which a table may be read under conditions of its own.
func (a *accessPaths) Indexes(get *logical.Get, own []expr.Expr) []*catalog.Index {
	if len(get.Table.Indexes) == 0 {
		return nil
	}
	s, conds := scanOf(get, own)
	var list []*catalog.Index
	for _, path := range indexPaths(a.ctx, s) {
		if keycond.Implied(path.where, conds) && len(path.exprs) == 0 {
			list = append(list, path.index)
		}
	}
	return list
}

// Ordered says that the key gives rows in an order.
func (a *accessPaths) Ordered(get *logical.Get, own []expr.Expr, keys []plan.SortKey) bool {
	if get.Sample != nil || get.WithKey {
		return false
	}
	exprs := make([]expr.Expr, len(keys))
	for i, k := range keys {
		if c, ok := k.Expr.(*expr.Col); !ok || !slices.Contains(get.Cols, c.Index) {
			return false
		}
		exprs[i] = k.Expr
	}
	s, mapped := scanOf(get, append(own[:len(own):len(own)], exprs...))
	conds, cols := mapped[:len(mapped)-len(keys)], mapped[len(mapped)-len(keys):]
	if len(conds) > 0 && !constrain(a.ctx, s, conds) {
		return true // no rows
	}
	want := keyorder.Ordering{Keys: slices.Clone(keys)}
	for i := range want.Keys {
		want.Keys[i].Expr = cols[i]
	}
	return keyorder.InOrder(s, want) != nil
}

// ByIndex is about reading a table by one of its indexes.
func (a *accessPaths) ByIndex(get *logical.Get, ix *catalog.Index, conds []expr.Expr) physical.Path {
	s, mapped := scanOf(get, conds)
	p, _ := a.byIndex(newIndexPath(get.Table, ix), s, mapped)
	return p
}

func (a *accessPaths) cost(p physical.Path) float64 { return p.Read + p.Spans*a.ctx.Known().SeekRows() }

// byIndex is about reading a table by an index, and each row that it leads to by key.
func (a *accessPaths) byIndex(path *indexPath, s *plan.Scan, conds []expr.Expr) (p physical.Path, ok bool) {
	w, ok := path.widen(s, walk.AndAll(conds))
	if !ok {
		return p, false
	}
	in, onLeft := w.entriesUnder()
	if len(onLeft) > 0 && !constrain(a.ctx, in, onLeft) {
		return physical.Path{Narrow: true}, true
	}
	if m, ok := chooseAccess(a.ctx, in).(*plan.Scan); ok {
		in = m
	}
	c := estimate.Costing{By: a.ctx.Known()}
	rows, read := c.ScanRows(in)
	p = physical.Path{Rows: rows, Spans: a.ctx.Known().Spans(in), Narrow: in.Access != plan.FullScan}
	p.Read = read + rows*c.GetCost()
	return p, true
}
