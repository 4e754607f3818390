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
func (b writer) bindDelete(v *tree.Delete) *logical.Statement {
	b.BindWith(nil, v.With)
	if v.CurrentOf != "" {
		panic(currentOf(b.Pos(v.Table)))
	}
	c := b.newChange(&v.Table, deletes, v.Using, nil)
	c.wants(c.table, acl.Delete, nil)
	n := &plan.Delete{Table: c.table, Mode: plan.ReadFirst}
	c.where(v.Where)
	limited := len(v.OrderBy) > 0 || v.Limit != nil
	if limited && c.from {
		panic(sqlerr.Unsupported("ORDER BY and LIMIT of DELETE … USING are not supported",
			"Name the rows by a query: WHERE (key) IN (SELECT … ORDER BY … LIMIT …).").At(b.Pos(v.Using[0])))
	}
	ret := b.bindReturning(c.level, v.Returning)
	var input logical.Node
	input, n.Cond, n.Again = c.input(nil, ret.exprs)
	if limited {
		input = c.firstRows(input, v)
	}
	n.Table, n.Returning, n.Cols = c.get.Table, ret.exprs, ret.cols
	return ret.writing(b, "DELETE", n, input)
}

// firstRows limits the rows to those that come first.
func (c *change) firstRows(input logical.Node, v *tree.Delete) logical.Node {
	p := c.place("ORDER BY")
	p.NoQueries = query.NoQuery
	keys := c.BindOrderBy(v.OrderBy, p, &query.SelectList{})
	if len(keys) > 0 {
		input = &logical.Sort{Input: input, Keys: keys}
	}
	if v.Limit == nil {
		return input
	}
	return c.AddLimit(c.level, input, &tree.Clauses{Limit: v.Limit}, nil)
}
