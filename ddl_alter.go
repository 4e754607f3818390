package saltsql

import (
	"context"
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

func (s *Session) alterTable(ctx context.Context, u *tree.AlterTable) (catalog.Notices, error) {
	if u.Object == "sequence" {
		return s.alterSequence(ctx, u)
	}
	if u.Object != "table" {
		return nil, unsupportedAt(u.Name.Pos, "DROP it and create it anew.", "ALTER %s is not supported", u.Object)
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.SetIdentity && u.Actions[0].Identity == "" {
		return s.alterIdentity(ctx, u, &u.Actions[0])
	}
	var actions []catalog.AlterAction
	for i := range u.Actions {
		list, err := s.alterActions(ctx, u, &u.Actions[i])
		if err != nil {
			return nil, err
		}
		actions = append(actions, list...)
	}
	return s.db.catalog.AlterTable(ctx, s.catalogName(u.Name), u.IfExists, actions, s.alterHooks())
}

// alterActions turns one action as written into the catalog's.
func (s *Session) alterActions(ctx context.Context, u *tree.AlterTable, a *tree.AlterAction) ([]catalog.AlterAction, error) {
	switch a.Kind {
	case tree.AddColumn:
		return s.addColumns(a)
	case tree.DropColumn:
		if len(a.Columns) == 0 {
			return []catalog.AlterAction{catalog.DropColumn{Name: a.Column, IfExists: a.IfExists, Cascade: a.Cascade, Pos: a.Pos}}, nil
		}
		var out []catalog.AlterAction
		for _, c := range a.Columns {
			out = append(out, catalog.DropColumn{Name: c.Name, IfExists: a.IfExists, Cascade: a.Cascade, Pos: c.Pos})
		}
		return out, nil
	case tree.RenameColumn:
		r, err := s.renameColumn(u, a)
		return []catalog.AlterAction{r}, err
	case tree.RenameTable:
		return one(catalog.RenameTable{To: a.NewName, Pos: a.Pos})
	case tree.SetSchema:
		return one(catalog.SetSchema{Schema: a.NewName, Pos: a.Pos})
	case tree.AlterType:
		if a.Using != nil {
			return nil, unsupportedAt(a.Pos, "Add a column, UPDATE it, drop the old one.", "ALTER COLUMN … TYPE … USING is not supported")
		}
		t, store, err := storedTypeOf(a.Type)
		if err != nil {
			return nil, err
		}
		return one(catalog.AlterType{Column: a.Column, Type: t, Store: store, Pos: a.Pos})
	case tree.SetDefault:
		if err := s.checkNewDefault(u, a); err != nil {
			return nil, err
		}
		text, seq, uses, err := s.storedDefault(a.Default)
		if err != nil {
			return nil, err
		}
		return one(catalog.SetDefault{Column: a.Column, Default: text, Sequence: seq, Uses: uses, Pos: a.Pos})
	case tree.DropDefault:
		return one(catalog.SetDefault{Column: a.Column, Pos: a.Pos})
	case tree.SetNotNull:
		return one(catalog.SetNotNull{Column: a.Column, Pos: a.Pos})
	case tree.DropNotNull:
		return one(catalog.DropNotNull{Column: a.Column, Pos: a.Pos})
	case tree.AddConstraint:
		if a.Constraint.Check == nil {
			return nil, unsupportedAt(a.Pos, "Only CHECK constraints can be added: the primary key is part of CREATE TABLE, and nothing else is unique.", "this constraint is not supported")
		}
		c := a.Constraint.Check
		columns, err := s.checkNewCondition(u, c.Expr)
		if err != nil {
			return nil, err
		}
		name := c.Name
		if name == "" {
			name = a.Constraint.Name
		}
		return one(catalog.AddCheck{Check: catalog.Check{Name: name, Text: c.Expr.Text, Columns: columns}, Pos: a.Pos})
	case tree.DropConstraint:
		return one(catalog.DropConstraint{Name: a.Column, IfExists: a.IfExists, Pos: a.Pos})
	case tree.RenameConstraint:
		return one(catalog.RenameConstraint{From: a.Column, To: a.NewName, Pos: a.Pos})
	case tree.SetOptions:
		return one(catalog.SetOptions{Options: optionDefs(a.Options)})
	case tree.ResetOptions:
		return one(catalog.ResetOptions{Names: optionDefs(a.Options)})
	case tree.DropIdentity:
		return one(catalog.DropIdentity{Column: a.Column, IfExists: a.IfExists, Pos: a.Pos})
	case tree.OwnerTo:
		return nil, unsupportedAt(a.Pos, "There are no owners: leave it out.", "OWNER TO is not supported")
	}
	return nil, unsupportedAt(a.Pos, "Create a new table as it should be, and UPSERT INTO … SELECT.", "this ALTER TABLE action is not supported")
}

func one(a catalog.AlterAction) ([]catalog.AlterAction, error) {
	return []catalog.AlterAction{a}, nil
}

func (s *Session) addColumns(a *tree.AlterAction) ([]catalog.AlterAction, error) {
	var out []catalog.AlterAction
	pc := s.plannerContext(s.db.catalog.Snapshot(), nil, false)
	for i := range a.Columns {
		c := &a.Columns[i]
		if c.PrimaryKey {
			return nil, unsupportedAt(c.Pos, "Create a table with the new key, and UPSERT INTO … SELECT.", "adding a key column is not supported")
		}
		if len(c.Checks) > 0 {
			return nil, unsupportedAt(c.Pos, "Add the column, then ADD CONSTRAINT … CHECK.", "ADD COLUMN with a CHECK is not supported")
		}
		def, err := s.columnDef(c)
		if err != nil {
			return nil, err
		}
		if c.Default != nil {
			if err := planner.CheckDefault(pc, c.Default, c.Name, def.Type); err != nil {
				return nil, err
			}
		}
		out = append(out, catalog.AddColumn{Column: *def, IfNotExists: a.IfNotExists})
	}
	return out, nil
}

// target finds the table an ALTER is about; nil where it does not exist, which
// the catalog reports.
func (s *Session) target(u *tree.AlterTable) *catalog.Table {
	t, _ := s.db.catalog.Snapshot().ResolveTable(s.searchPath(), u.Name.Schema, u.Name.Name)
	return t
}

func (s *Session) checkNewDefault(u *tree.AlterTable, a *tree.AlterAction) error {
	t := s.target(u)
	if t == nil {
		return nil
	}
	c := t.ColumnByName(a.Column)
	if c == nil {
		return nil
	}
	return planner.CheckDefault(s.plannerContext(s.db.catalog.Snapshot(), nil, false), a.Default, c.Name, c.Type)
}

// checkNewCondition binds a new CHECK and gives the IDs of the columns it names.
func (s *Session) checkNewCondition(u *tree.AlterTable, e *tree.SourceExpr) ([]int, error) {
	t := s.target(u)
	if t == nil {
		return nil, nil
	}
	named, err := planner.BindCheck(s.plannerContext(s.db.catalog.Snapshot(), nil, false), e, t.Name, planner.TableScope(t))
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, i := range named {
		ids = append(ids, t.Columns[i].ID)
	}
	return ids, nil
}

// renameColumn refuses what would leave a CHECK naming a column that is gone.
func (s *Session) renameColumn(u *tree.AlterTable, a *tree.AlterAction) (catalog.AlterAction, error) {
	r := catalog.RenameColumn{From: a.Column, To: a.NewName, Pos: a.Pos}
	t := s.target(u)
	if t == nil {
		return r, nil
	}
	c := t.ColumnByName(a.Column)
	for _, check := range t.Checks {
		if c != nil && slices.Contains(check.Columns, c.ID) {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "column %q is used by constraint %q", a.Column, check.Name).
				WithHint("DROP CONSTRAINT first, and ADD it again after the RENAME.").At(a.Pos)
		}
	}
	return r, nil
}

// alterHooks lets the catalog ask for the rows that a new CHECK would refuse.
func (s *Session) alterHooks() catalog.AlterHooks {
	return catalog.AlterHooks{ValidateCheck: func(ctx context.Context, t *catalog.Table, check catalog.Check) error {
		query := fmt.Sprintf("SELECT 1 FROM %s.%s WHERE NOT (%s) LIMIT 1", ident.Quote(t.Schema), ident.Quote(t.Name), check.Text)
		rows, err := s.db.Query(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		if rows.Next() {
			return sqlerr.New(sqlerr.CheckViolation, "check constraint %q of relation %q is violated by some row", check.Name, t.Name).
				WithConstraint(t.Name, check.Name)
		}
		return rows.Err()
	}}
}
