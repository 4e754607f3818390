package bind

import (
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindUpdate binds UPDATE.
func (b writer) bindUpdate(v *tree.Update) *logical.Statement {
	b.BindWith(nil, v.With)
	if v.CurrentOf != "" {
		panic(currentOf(b.Pos(v.Table)))
	}
	c := b.newChange(&v.Table, updates, v.From, v.Set)
	n := &plan.Update{Table: c.table, Mode: plan.ReadFirst}
	c.where(v.Where)
	n.Set = c.bindSet(c.table, c.rel, v.Set, c.setPlace())
	c.wants(c.table, acl.Update, query.SetPlaces(n.Set))
	for _, s := range n.Set {
		n.MovesKey = n.MovesKey || c.table.Columns[s.Column].KeyPos >= 0
	}
	n.RowRules = c.bindRules(c.table, n.Set)
	ret := b.bindReturning(c.level, v.Returning)
	var input logical.Node
	input, n.Cond, n.Again = c.input(n.Set, ret.exprs)
	n.Table, n.Returning, n.Cols = c.get.Table, ret.exprs, ret.cols
	return ret.writing(b, "UPDATE", n, input)
}

func currentOf(pos int) *sqlerr.Error {
	return sqlerr.Unsupported("WHERE CURRENT OF is not supported", "Name the row by its key columns.").At(pos)
}
