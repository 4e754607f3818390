package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// keyColumn gives the column of an ALTER TABLE that does nothing but ADD COLUMN … PRIMARY KEY.
func keyColumn(u *tree.AlterTable) *tree.ColumnDef {
	if len(u.Actions) != 1 || u.Actions[0].Kind != tree.AddColumn || len(u.Actions[0].Columns) != 1 {
		return nil
	}
	if c := &u.Actions[0].Columns[0]; c.PrimaryKey && !c.RowTime {
		return c
	}
	return nil
}

// addKeyColumn is ADD COLUMN … PRIMARY KEY of a table without a key. The column comes first, as
// where it counts the rows get their numbers so, and goes again where it cannot be the key.
func (r *Runner) addKeyColumn(ctx context.Context, u *tree.AlterTable, t *catalog.Table, c *tree.ColumnDef) (catalog.Notices, error) {
	plain, column := *u, *c
	column.PrimaryKey, column.NotNull = false, true
	add := u.Actions[0]
	add.Columns = []tree.ColumnDef{column}
	plain.Actions = []tree.AlterAction{add}
	there := t.VisibleColumn(c.Name) != nil
	notices, err := r.alterTable(ctx, &plain)
	if err != nil || there {
		return notices, err
	}
	keyed := *u
	keyed.Actions = []tree.AlterAction{{Kind: tree.AddConstraint, Pos: c.Pos, Constraint: &tree.TableConstraint{Primary: &tree.KeyConstraint{
		Name: c.ConstraintNames["primary key"], Columns: []tree.KeyCol{{Name: c.Name, Desc: c.Desc, Pos: c.Pos}}, Deferral: c.KeyDeferral, Pos: c.Pos,
	}}}}
	more, err := r.addKey(ctx, &keyed, t)
	notices = append(notices, more...)
	if err != nil {
		r.takeBack(ctx, u, t, map[string]bool{c.Name: true})
	}
	return notices, err
}
