package bind

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// getForWrite reads whole rows with their keys and versions.
func (b *binder) getForWrite(rel *relation, alias string) *logical.Get {
	return &logical.Get{
		Table: rel.table, Alias: alias, Cols: rel.ids(), ForUpdate: true, WithKey: true,
		Key:     b.meta.Add(logical.Column{Name: plan.RowKeyColumn, Type: types.Of(types.Bytea)}),
		Version: b.meta.Add(logical.Column{Name: plan.VersionColumn, Type: types.Of(types.Int8)}),
	}
}

// bindUpdate binds UPDATE.
func (b *binder) bindUpdate(v *tree.Update) (*logical.Statement, error) {
	if err := b.bindWith(nil, v.With); err != nil {
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
	rel := b.tableRelation(t, alias)
	n := &plan.Update{Table: t, Mode: plan.ReadFirst}
	var input logical.Node = b.getForWrite(rel, alias)
	if n.Set, err = b.bindSet(t, v.Set, rel); err != nil {
		return nil, err
	}
	for _, s := range n.Set {
		n.MovesKey = n.MovesKey || t.Columns[s.Column].KeyPos >= 0
	}
	if v.Where != nil {
		cond, err := b.boolExpr(rowPlace("WHERE", rel), v.Where)
		if err != nil {
			return nil, err
		}
		input, n.Cond = &logical.Select{Input: input, Cond: cond}, positions(cond, rel)
	}
	if n.Checks, err = b.bindChecks(t); err != nil {
		return nil, err
	}
	ret, err := b.bindReturning(rel, v.Returning)
	if err != nil {
		return nil, err
	}
	n.Returning, n.Cols = ret.exprs, ret.cols
	return ret.writing("UPDATE", n, input), nil
}

func currentOf(pos int) error {
	return sqlerr.Unsupported("WHERE CURRENT OF is not supported", "Name the row by its key columns.").At(pos)
}
