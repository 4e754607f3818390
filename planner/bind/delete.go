package bind

import (
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindDelete binds DELETE, with Phoenix's ORDER BY and LIMIT.
func (b writer) bindDelete(v *tree.Delete) (*logical.Statement, error) {
	if err := b.BindWith(nil, v.With); err != nil {
		return nil, err
	}
	if v.CurrentOf != "" {
		return nil, currentOf(b.Pos(v.Table))
	}
	c, err := b.newChange(&v.Table, deletes, v.Using, nil)
	if err != nil {
		return nil, err
	}
	c.wants(c.table, acl.Delete, nil)
	n := &plan.Delete{Table: c.table, Mode: plan.ReadFirst}
	if err := c.where(v.Where); err != nil {
		return nil, err
	}
	limited := len(v.OrderBy) > 0 || v.Limit != nil
	if limited && c.from {
		return nil, sqlerr.Unsupported("ORDER BY and LIMIT of DELETE … USING are not supported",
			"Name the rows by a query: WHERE (key) IN (SELECT … ORDER BY … LIMIT …).").At(b.Pos(v.Using[0]))
	}
	ret, err := b.bindReturning(c.level, v.Returning)
	if err != nil {
		return nil, err
	}
	var input logical.Node
	input, n.Cond, n.Again = c.input(nil, ret.exprs)
	if limited {
		if input, err = c.firstRows(input, v); err != nil {
			return nil, err
		}
	}
	n.Table, n.Returning, n.Cols = c.get.Table, ret.exprs, ret.cols
	return ret.writing(b, "DELETE", n, input), nil
}

// firstRows limits the rows to those that come first.
func (c *change) firstRows(input logical.Node, v *tree.Delete) (logical.Node, error) {
	p := c.place("ORDER BY")
	p.NoQueries = query.NoQuery
	keys, err := c.BindOrderBy(v.OrderBy, p, &query.SelectList{})
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		input = &logical.Sort{Input: input, Keys: keys}
	}
	if v.Limit == nil {
		return input, nil
	}
	return c.AddLimit(c.level, input, &tree.Clauses{Limit: v.Limit}, nil)
}
