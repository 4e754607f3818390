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
func (b writer) bindUpdate(v *tree.Update) (*logical.Statement, error) {
	if err := b.BindWith(nil, v.With); err != nil {
		return nil, err
	}
	if v.CurrentOf != "" {
		return nil, currentOf(b.Pos(v.Table))
	}
	c, err := b.newChange(&v.Table, updates, v.From, v.Set)
	if err != nil {
		return nil, err
	}
	n := &plan.Update{Table: c.table, Mode: plan.ReadFirst}
	if err := c.where(v.Where); err != nil { // before SET, as in PostgreSQL: the first use of a parameter gives it its type
		return nil, err
	}
	if n.Set, err = c.bindSet(c.table, c.rel, v.Set, c.setPlace()); err != nil {
		return nil, err
	}
	c.wants(c.table, acl.Update, query.SetPlaces(n.Set))
	for _, s := range n.Set {
		n.MovesKey = n.MovesKey || c.table.Columns[s.Column].KeyPos >= 0
	}
	if n.RowRules, err = c.bindRules(c.table, n.Set); err != nil {
		return nil, err
	}
	ret, err := b.bindReturning(c.level, v.Returning)
	if err != nil {
		return nil, err
	}
	var input logical.Node
	input, n.Cond, n.Again = c.input(n.Set, ret.exprs)
	n.Table, n.Returning, n.Cols = c.get.Table, ret.exprs, ret.cols
	return ret.writing(b, "UPDATE", n, input), nil
}

func currentOf(pos int) error {
	return sqlerr.Unsupported("WHERE CURRENT OF is not supported", "Name the row by its key columns.").At(pos)
}
