package bind

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindDelete binds DELETE, with Phoenix's ORDER BY and LIMIT.
func (b *binder) bindDelete(v *tree.Delete) (*logical.Statement, error) {
	if err := b.bindWith(nil, v.With); err != nil {
		return nil, err
	}
	if len(v.Using) > 0 {
		return nil, sqlerr.Unsupported("DELETE … USING is not supported", "Read the keys first, then delete with = ANY($1).").At(b.pos(v.Using[0]))
	}
	if v.CurrentOf != "" {
		return nil, currentOf(b.pos(v.Table))
	}
	t, err := b.bindTarget(&v.Table)
	if err != nil {
		return nil, err
	}
	alias := v.Table.Alias.Name
	rel := b.tableRelation(t, alias)
	n := &plan.Delete{Table: t, Mode: plan.ReadFirst}
	var input logical.Node = b.getForWrite(rel, alias)
	if v.Where != nil {
		cond, err := b.boolExpr(rowPlace("WHERE", rel), v.Where)
		if err != nil {
			return nil, err
		}
		input, n.Cond = &logical.Select{Input: input, Cond: cond}, positions(cond, rel)
	}
	p := rowPlace("ORDER BY", rel)
	keys, err := b.bindOrderBy(v.OrderBy, p, &selectList{})
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		input = &logical.Sort{Input: input, Keys: keys}
	}
	if v.Limit != nil {
		if input, err = b.addLimit(p.level, input, &tree.Clauses{Limit: v.Limit}, nil); err != nil {
			return nil, err
		}
	}
	ret, err := b.bindReturning(rel, v.Returning)
	if err != nil {
		return nil, err
	}
	n.Returning, n.Cols = ret.exprs, ret.cols
	return ret.writing("DELETE", n, input), nil
}
