package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
)

// bindSetItem binds a call in an expression and gives the column that stands for it.
func (b *Binder) bindSetItem(p *scope.Place, c *tree.Func) expr.Expr {
	pos := b.Pos(c)
	if p.Level == nil || !p.Sets {
		panic(p.NoSets(pos))
	}
	set := b.setCall(p, c)
	if len(set.cols) > 1 {
		if set.Set == nil || set.Name == "unnest" {
			panic(sqlerr.Unsupported("a row as one value is not supported", "Call "+c.Name+" in FROM.").At(pos))
		}
		row := types.RecordOf(expr.ShapeOf(set.cols))
		set.Set = set.Set.Records(set.cols)
		set.cols = []expr.SetColumn{{Name: c.Name, T: row}}
	}
	s := &p.Level.Sets
	item := &scope.SetItem{Call: set.SetCall}
	for _, x := range s.List {
		if x.Call.Name == set.Name && x.Call.Set == set.Set && expr.EqualLists(x.Call.Args, set.Args) && !slices.ContainsFunc(set.Args, logical.VolatileExpr) {
			return &expr.Col{Index: x.ID, T: set.cols[0].T, Name: c.Name, At: pos}
		}
		for _, a := range set.Args {
			if scope.HoldsColumn(a, x.ID) {
				item.Depth = max(item.Depth, x.Depth+1)
			}
		}
	}
	item.ID = b.Meta.Add(logical.Column{Name: c.Name, Type: set.cols[0].T})
	s.List = append(s.List, item)
	return &expr.Col{Index: item.ID, T: set.cols[0].T, Name: c.Name, At: pos}
}
