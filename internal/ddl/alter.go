package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

func (r *Runner) alterTable(ctx context.Context, u *tree.AlterTable) (catalog.Notices, error) {
	if owner := ownerTo(u); owner != nil {
		return r.changeOwner(ctx, u, *owner)
	}
	if u.Object == "sequence" {
		return r.alterSequence(ctx, u)
	}
	if u.Object == "index" {
		return r.alterIndex(ctx, u)
	}
	if u.Object == "view" {
		return r.alterView(ctx, u)
	}
	if u.Object != "table" {
		return nil, unsupportedAt(u.Name.Pos, "DROP it and create it anew.", "ALTER %s is not supported", u.Object)
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.SetIdentity && u.Actions[0].Identity == "" {
		return r.alterIdentity(ctx, u, &u.Actions[0])
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.AddConstraint && u.Actions[0].Constraint.Unique != nil && r.target(u) != nil {
		return r.addUnique(ctx, u, u.Actions[0].Constraint)
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.AddConstraint && u.Actions[0].Constraint.Primary != nil {
		if t := r.target(u); t != nil && t.HiddenKey() != nil {
			return r.addKey(ctx, u, t)
		}
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.SetOptions {
		if defs := optionDefs(u.Actions[0].Options); live.OfSalt(defs) {
			return r.Catalog.Resalt(ctx, r.catalogName(u.Name), u.IfExists, defs, r.backfillRate())
		}
	}
	var actions []live.AlterAction
	for i := range u.Actions {
		list, err := r.alterActions(ctx, u, &u.Actions[i])
		if err != nil {
			return nil, err
		}
		actions = append(actions, list...)
	}
	return r.Catalog.AlterTable(ctx, r.catalogName(u.Name), u.IfExists, actions, r.alterHooks())
}

// alterActions turns one action as written into the catalog's.
func (r *Runner) alterActions(ctx context.Context, u *tree.AlterTable, a *tree.AlterAction) ([]live.AlterAction, error) {
	switch a.Kind {
	case tree.AddColumn:
		return r.addColumns(u, a)
	case tree.DropColumn:
		if len(a.Columns) == 0 {
			return []live.AlterAction{live.DropColumn{Name: a.Column, IfExists: a.IfExists, Cascade: a.Cascade, Pos: a.Pos}}, nil
		}
		var out []live.AlterAction
		for _, c := range a.Columns {
			out = append(out, live.DropColumn{Name: c.Name, IfExists: a.IfExists, Cascade: a.Cascade, Pos: c.Pos})
		}
		return out, nil
	case tree.RenameColumn:
		return one(live.RenameColumn{From: a.Column, To: a.NewName, Pos: a.Pos})
	case tree.RenameTable:
		return one(live.RenameTable{To: a.NewName, Pos: a.Pos})
	case tree.SetSchema:
		return one(live.SetSchema{Schema: a.NewName, Pos: a.Pos})
	case tree.AlterType:
		if a.Using != nil {
			return nil, unsupportedAt(a.Pos, "Add a column, UPDATE it, drop the old one.", "ALTER COLUMN … TYPE … USING is not supported")
		}
		t, store, err := storedTypeOf(a.Type)
		if err != nil {
			return nil, err
		}
		return one(live.AlterType{Column: a.Column, Type: t, Store: store, Pos: a.Pos})
	case tree.SetDefault:
		d, err := r.newDefault(u, a)
		if err != nil {
			return nil, err
		}
		return one(live.SetDefault{Column: a.Column, Default: d, Pos: a.Pos})
	case tree.DropDefault:
		return one(live.SetDefault{Column: a.Column, Pos: a.Pos})
	case tree.SetNotNull:
		return one(live.SetNotNull{Column: a.Column, Pos: a.Pos})
	case tree.DropNotNull:
		return one(live.DropNotNull{Column: a.Column, Pos: a.Pos})
	case tree.AddConstraint:
		if k := a.Constraint.ForeignKey; k != nil {
			def, err := r.foreignKey(k, k.Columns)
			return []live.AlterAction{live.AddForeignKey{Def: def}}, err
		}
		if k := a.Constraint.Primary; k != nil {
			act, err := primaryKey(k, a.Constraint.Name)
			return []live.AlterAction{act}, err
		}
		if a.Constraint.Unique != nil {
			if r.target(u) == nil {
				return nil, nil // the catalog says so
			}
			return nil, unsupportedAt(a.Pos, "Write an ALTER TABLE of its own for it.", "ADD UNIQUE beside other actions is not supported")
		}
		if a.Constraint.Check == nil {
			return nil, unsupportedAt(a.Pos, "CHECK, UNIQUE and FOREIGN KEY constraints can be added.", "this constraint is not supported")
		}
		act, err := r.newCheck(u, a)
		return []live.AlterAction{act}, err
	case tree.DropConstraint:
		return one(live.DropConstraint{Name: a.Column, IfExists: a.IfExists, Cascade: a.Cascade, Pos: a.Pos})
	case tree.RenameConstraint:
		return one(live.RenameConstraint{From: a.Column, To: a.NewName, Pos: a.Pos})
	case tree.SetOptions:
		return one(live.SetOptions{Options: optionDefs(a.Options)})
	case tree.ResetOptions:
		return one(live.ResetOptions{Names: optionDefs(a.Options)})
	case tree.AddIdentity:
		act := live.AddIdentity{Column: a.Column, Identity: identityOf(a.Identity), Pos: a.Pos}
		var err error
		act.Sequence, err = r.sequenceOptions(a.Sequence, types.Unknown)
		return []live.AlterAction{act}, err
	case tree.DropIdentity:
		return one(live.DropIdentity{Column: a.Column, IfExists: a.IfExists, Pos: a.Pos})
	case tree.OwnerTo:
		return nil, unsupportedAt(a.Pos, "Write ALTER TABLE … OWNER TO by itself.", "OWNER TO beside other actions is not supported")
	}
	return nil, unsupportedAt(a.Pos, "Create a new table as it should be, and UPSERT INTO … SELECT.", "this ALTER TABLE action is not supported")
}

func one(a live.AlterAction) ([]live.AlterAction, error) {
	return []live.AlterAction{a}, nil
}

func (r *Runner) addColumns(u *tree.AlterTable, a *tree.AlterAction) ([]live.AlterAction, error) {
	var out []live.AlterAction
	for i := range a.Columns {
		c := &a.Columns[i]
		if c.Unique {
			return nil, unsupportedAt(c.Pos, "Add the column, then ADD CONSTRAINT … UNIQUE.", "ADD COLUMN with UNIQUE is not supported")
		}
		if c.PrimaryKey {
			return nil, unsupportedAt(c.Pos, "Create a table with the new key, and UPSERT INTO … SELECT.", "adding a key column is not supported")
		}
		def, err := r.columnDef(c, storedTypeOf)
		if err != nil {
			return nil, err
		}
		if c.Default != nil {
			if def.Missing, def.Settled, err = planner.SettledDefault(r.Host.Planner(), c.Default, c.Name, def.Type); err != nil {
				return nil, err
			}
		}
		out = append(out, live.AddColumn{Column: *def, IfNotExists: a.IfNotExists})
		checks, err := r.columnChecks(u, c, def)
		if err != nil {
			return nil, err
		}
		out = append(out, checks...)
		if c.References != nil {
			key, err := r.foreignKey(c.References, []string{c.Name})
			if err != nil {
				return nil, err
			}
			out = append(out, live.AddForeignKey{Def: key})
		}
	}
	return out, nil
}

// columnChecks are the CHECKs of a column to add, over the columns that there are and it.
func (r *Runner) columnChecks(u *tree.AlterTable, c *tree.ColumnDef, def *catalog.ColumnDef) ([]live.AlterAction, error) {
	t := r.target(u)
	if t == nil || len(c.Checks) == 0 {
		return nil, nil // the catalog says so
	}
	if t.ColumnByName(c.Name) != nil || len(u.Actions) > 1 || len(u.Actions[0].Columns) > 1 {
		return nil, unsupportedAt(c.Pos, "Write an ALTER TABLE of its own for it.", "ADD COLUMN with a CHECK beside other actions is not supported")
	}
	cols := append(planner.TableScope(t), planner.ScopeColumn{ID: t.NextColumnID, Name: c.Name, Type: def.Type})
	var out []live.AlterAction
	for _, k := range c.Checks {
		act := live.AddCheck{Check: catalog.Check{Name: k.Name}, Table: t.ID, Pos: k.Pos}
		var err error
		if act.Check.Cond, act.Check.Columns, err = planner.BindCheck(r.Host.Planner(), k.Expr, t.Name, cols); err != nil {
			return nil, err
		}
		out = append(out, act)
	}
	return out, nil
}

// target finds the table an ALTER is about; nil where it does not exist, which
// the catalog reports.
func (r *Runner) target(u *tree.AlterTable) *catalog.Table {
	t, _ := r.Catalog.Seen().ResolveTable(r.Host.SearchPath(), u.Name.Schema, u.Name.Name)
	return t
}

// newDefault binds a new DEFAULT; where there is no such column the catalog says so.
func (r *Runner) newDefault(u *tree.AlterTable, a *tree.AlterAction) (d catalog.ColumnDefault, err error) {
	t := r.target(u)
	if t == nil {
		return d, nil
	}
	c := t.ColumnByName(a.Column)
	if c == nil {
		return d, nil
	}
	return planner.BindDefault(r.Host.Planner(), a.Default, c.Name, c.Type)
}

// newCheck binds a new CHECK.
func (r *Runner) newCheck(u *tree.AlterTable, a *tree.AlterAction) (live.AlterAction, error) {
	c := a.Constraint.Check
	act := live.AddCheck{Check: catalog.Check{Name: c.Name}, Pos: a.Pos}
	if act.Check.Name == "" {
		act.Check.Name = a.Constraint.Name
	}
	t := r.target(u)
	if t == nil {
		return act, nil // the catalog says so
	}
	var err error
	act.Table = t.ID
	act.Check.Cond, act.Check.Columns, err = planner.BindCheck(r.Host.Planner(), c.Expr, t.Name, planner.TableScope(t))
	return act, err
}

// alterHooks lets the catalog ask for the rows that a new CHECK would refuse.
func (r *Runner) alterHooks() live.AlterHooks {
	return live.AlterHooks{ValidateCheck: func(ctx context.Context, t *catalog.Table, check catalog.Check) error {
		p, err := planner.PlanViolations(r.Host.Planner(), t, &check)
		if err != nil {
			return err
		}
		violated, err := r.Host.AnyRow(ctx, p)
		if err != nil || !violated {
			return err
		}
		return sqlerr.New(sqlerr.CheckViolation, "check constraint %q of relation %q is violated by some row", check.Name, t.Name).
			WithConstraint(t.Name, check.Name)
	}}
}

// addUnique is ADD CONSTRAINT … UNIQUE, of columns or USING INDEX.
func (r *Runner) addUnique(ctx context.Context, u *tree.AlterTable, c *tree.TableConstraint) (catalog.Notices, error) {
	k := c.Unique
	name := k.Name
	if name == "" {
		name = c.Name
	}
	if k.UsingIndex != "" {
		return r.Catalog.UseIndex(ctx, r.catalogName(u.Name), k.UsingIndex, name, k.Pos)
	}
	def, err := uniqueDef(k)
	if err != nil {
		return nil, err
	}
	def.Name, def.On = name, r.catalogName(u.Name)
	notices, err := r.Catalog.CreateIndex(ctx, def, r.buildOptions())
	return notices, r.Host.StorageError(ctx, err)
}
