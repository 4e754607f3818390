package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindDelete binds DELETE, with Phoenix's ORDER BY and LIMIT.
func (b *binder) bindDelete(v *tree.Delete) (*plan.Plan, error) {
	if err := b.bindWith(v.With); err != nil {
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
	sc := tableScope(t, alias)
	scan := scanForWrite(t, alias)
	n := &plan.Delete{Table: t, Mode: plan.ReadFirst, Input: gathered(scan)}
	if v.Where != nil {
		if n.Cond, err = b.boolExpr(&place{scope: sc, clause: "WHERE"}, v.Where); err != nil {
			return nil, err
		}
		n.Input = &plan.Filter{Input: n.Input, Cond: n.Cond}
	}
	keys, err := b.bindOrderBy(v.OrderBy, &place{scope: sc, clause: "ORDER BY"}, &selectList{})
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		n.Input = &plan.Sort{Input: n.Input, Keys: keys}
	}
	if v.Limit != nil {
		if n.Input, err = b.addLimit(n.Input, &tree.Clauses{Limit: v.Limit}); err != nil {
			return nil, err
		}
	}
	if n.Returning, n.Cols, err = b.bindReturning(t, alias, v.Returning); err != nil {
		return nil, err
	}
	scan.Unread = unread(t, addCols(addCols(colsOf(n.Returning), n.Cond), keyExprs(keys)...))
	return &plan.Plan{Root: n, Columns: n.Cols, Tag: "DELETE"}, nil
}

// unread lists the columns of t but those needed. The rows of tables made by Phoenix
// may lack the marker cell, and are told by any of their cells.
func unread(t *catalog.Table, need []int) []int {
	if t.Adopted {
		return nil
	}
	var cols []int
	for i := range t.Columns {
		if !slices.Contains(need, i) {
			cols = append(cols, i)
		}
	}
	return cols
}
