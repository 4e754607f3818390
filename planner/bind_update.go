package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// scanForWrite reads whole rows with their keys and versions.
func scanForWrite(t *catalog.Table, alias string) *plan.Scan {
	return &plan.Scan{Table: t, Alias: alias, Cols: allOf(t), ForUpdate: true, WithKey: true, WithVersion: true}
}

// bindUpdate binds UPDATE.
func (b *binder) bindUpdate(v *tree.Update) (*plan.Plan, error) {
	if err := b.bindWith(v.With); err != nil {
		return nil, err
	}
	if len(v.From) > 0 {
		return nil, sqlerr.Unsupported("UPDATE … FROM is not supported", "Read the values first, then update with parameters or UPSERT … VALUES.").At(b.pos(v.From[0]))
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
	n := &plan.Update{Table: t, Mode: plan.ReadFirst, Input: gathered(scanForWrite(t, alias))}
	if n.Set, err = b.bindSet(t, v.Set, sc); err != nil {
		return nil, err
	}
	for _, s := range n.Set {
		n.MovesKey = n.MovesKey || t.Columns[s.Column].KeyPos >= 0
	}
	if v.Where != nil {
		if n.Cond, err = b.boolExpr(&place{scope: sc, clause: "WHERE"}, v.Where); err != nil {
			return nil, err
		}
		n.Input = &plan.Filter{Input: n.Input, Cond: n.Cond}
	}
	if n.Checks, err = b.bindChecks(t); err != nil {
		return nil, err
	}
	if n.Returning, n.Cols, err = b.bindReturning(t, alias, v.Returning); err != nil {
		return nil, err
	}
	return &plan.Plan{Root: n, Columns: n.Cols, Tag: "UPDATE"}, nil
}

func currentOf(pos int) error {
	return sqlerr.Unsupported("WHERE CURRENT OF is not supported", "Name the row by its key columns.").At(pos)
}
