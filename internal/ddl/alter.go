package ddl

import (
	"cmp"
	"context"
	"slices"
	"strings"

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
	if kind := r.renamed(u); kind != "" {
		cp := *u
		cp.Object, u = kind, &cp
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
	if t := r.target(u); u.Object == "materialized view" || u.Object == "table" && t != nil && t.Materialized != nil {
		return r.alterMaterialized(ctx, u)
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
	if c := keyColumn(u); c != nil {
		if t := r.target(u); t != nil && t.HiddenKey() != nil {
			return r.addKeyColumn(ctx, u, t, c)
		}
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.CompactSalt {
		return r.Catalog.Resalt(ctx, r.catalogName(u.Name), u.IfExists, nil, r.backfillRate())
	}
	if i := slices.IndexFunc(u.Actions, func(a tree.AlterAction) bool { return a.Forward != nil }); i >= 0 {
		return r.openEpoch(ctx, u, &u.Actions[i])
	}
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.SetOptions {
		if defs := optionDefs(u.Actions[0].Options); live.OfSalt(defs) {
			return r.Catalog.Resalt(ctx, r.catalogName(u.Name), u.IfExists, defs, r.backfillRate())
		}
	}
	if notices, rewrites, err := r.retype(ctx, u); rewrites || err != nil {
		return notices, err
	}
	if plain, uniques := withoutUniques(u); len(uniques) > 0 {
		if t := r.target(u); t != nil {
			return r.addWithUniques(ctx, plain, t, uniques)
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
	inTurn(actions)
	if r.writesRows(u, actions) {
		return r.addWritten(ctx, u, actions)
	}
	return r.Catalog.AlterTable(ctx, r.catalogName(u.Name), u.IfExists, actions, r.alterHooks())
}

// renamed says what ALTER TABLE names that is no table, where it renames or moves: it may name a
// view, a sequence or an index as well. "" for a table and for all else that ALTER TABLE does.
func (r *Runner) renamed(u *tree.AlterTable) string {
	if u.Object != "table" || len(u.Actions) != 1 {
		return ""
	}
	whole := u.Actions[0].Kind == tree.RenameTable || u.Actions[0].Kind == tree.SetSchema
	if !whole && u.Actions[0].Kind != tree.RenameColumn {
		return ""
	}
	snap, name := r.Catalog.Seen(), r.catalogName(u.Name)
	switch rel := snap.LookupOwn(name); {
	case rel != nil && rel.RelKind() == "view", rel != nil && whole && rel.RelKind() == "sequence":
		return rel.RelKind()
	case rel == nil && whole:
		if t, _ := snap.IndexNamed(name); t != nil {
			return "index"
		}
	}
	return ""
}

// inTurn puts the actions of one statement into the order in which they are done.
func inTurn(actions []live.AlterAction) {
	slices.SortStableFunc(actions, func(a, b live.AlterAction) int { return cmp.Compare(turnOf(a), turnOf(b)) })
}

// turnOf orders the actions of one statement as PostgreSQL does, however they are written:
// what drops, types, new columns, then what is said of columns, and constraints.
func turnOf(a live.AlterAction) int {
	switch a := a.(type) {
	case live.DropColumn, live.DropConstraint, live.DropNotNull, live.DropIdentity, live.DropExpression:
		return 0
	case live.SetDefault:
		if a.Bind == nil {
			return 0
		}
	case live.AlterType:
		return 1
	case live.AddColumn:
		return 2
	case live.AddCheck, live.AddForeignKey, live.AddPrimaryKey:
		return 4
	}
	return 3
}

// writesRows says that columns which an ALTER TABLE adds are written to the rows that are there. A
// table that cannot be stored anew takes their DEFAULT for rows to come, where there are none.
func (r *Runner) writesRows(u *tree.AlterTable, actions []live.AlterAction) bool {
	t := r.target(u)
	if t == nil {
		return false // the catalog says so
	}
	writes := false
	for _, act := range actions {
		switch act := act.(type) {
		case live.AddColumn:
			asItIs := act.Column.Generated == "" && (t.Adopted || t.KeyFormat != nil || t.Options.TTL > 0)
			writes = writes || act.Column.WritesRows() && t.VisibleColumn(act.Column.Name) == nil && !asItIs
		case live.SetOptions, live.ResetOptions:
			return false
		}
	}
	return writes
}

// addWritten is ALTER TABLE … ADD COLUMN of columns that are written to the rows that are there.
func (r *Runner) addWritten(ctx context.Context, u *tree.AlterTable, actions []live.AlterAction) (catalog.Notices, error) {
	notices, err := r.Catalog.AlterWritten(ctx, r.catalogName(u.Name), u.IfExists, actions, r.alterHooks(), func(ctx context.Context, from, to *catalog.Table) error {
		return keyFault(r.Host.CopyRows(ctx, from, to, nil), to)
	})
	return notices, r.Host.StorageError(ctx, err)
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
		act, err := r.alterType(a)
		return []live.AlterAction{act}, err
	case tree.SetDefault:
		return one(live.SetDefault{Column: a.Column, Pos: a.Pos, Bind: func(c *catalog.Column) (catalog.ColumnDefault, error) {
			return planner.BindDefault(r.Host.Planner(), a.Default, c.Name, c.Type)
		}})
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
		return one(r.newCheck(a.Constraint.Check, cmp.Or(a.Constraint.Check.Name, a.Constraint.Name), a.Pos))
	case tree.DropConstraint:
		return one(live.DropConstraint{Name: a.Column, IfExists: a.IfExists, Cascade: a.Cascade, Pos: a.Pos})
	case tree.ValidateConstraint:
		return one(live.ValidateConstraint{Name: a.Column, Pos: a.Pos})
	case tree.RenameConstraint:
		return one(live.RenameConstraint{From: a.Column, To: a.NewName, Pos: a.Pos})
	case tree.SetOptions:
		return one(live.SetOptions{Options: optionDefs(a.Options)})
	case tree.CompactSalt:
		return nil, unsupportedAt(a.Pos, "Write an ALTER TABLE of its own for it.", "COMPACT SALT beside other actions is not supported")
	case tree.ResetOptions:
		return one(live.ResetOptions{Names: optionDefs(a.Options)})
	case tree.AddIdentity:
		act := live.AddIdentity{Column: a.Column, Identity: identityOf(a.Identity), Pos: a.Pos}
		var err error
		act.Sequence, err = r.sequenceOptions(a.Sequence, types.Unknown)
		return []live.AlterAction{act}, err
	case tree.SetIdentity:
		if len(a.Sequence) > 0 {
			return nil, unsupportedAt(a.Pos, "Write an ALTER TABLE of its own for them.", "options of an identity column's sequence beside other actions are not supported")
		}
		return one(live.SetIdentity{Column: a.Column, Identity: identityOf(a.Identity), Pos: a.Pos})
	case tree.DropIdentity:
		return one(live.DropIdentity{Column: a.Column, IfExists: a.IfExists, Pos: a.Pos})
	case tree.DropExpression:
		return one(live.DropExpression{Column: a.Column, IfExists: a.IfExists, Pos: a.Pos})
	case tree.AsItIs:
		return nil, nil
	case tree.OfNone:
		what := a.Text[strings.LastIndexByte(a.Text, ' ')+1:]
		return one(live.OfNone{What: strings.ToLower(what), Name: a.Column})
	case tree.OwnerTo:
		return nil, unsupportedAt(a.Pos, "Write ALTER TABLE … OWNER TO by itself.", "OWNER TO beside other actions is not supported")
	}
	return nil, sqlerr.Internal(nil, "ALTER TABLE with %s", a.Kind)
}

func one(a live.AlterAction) ([]live.AlterAction, error) {
	return []live.AlterAction{a}, nil
}

func (r *Runner) addColumns(u *tree.AlterTable, a *tree.AlterAction) ([]live.AlterAction, error) {
	var out []live.AlterAction
	for i := range a.Columns {
		c := &a.Columns[i]
		if c.Unique && r.target(u) != nil {
			return nil, unsupportedAt(c.Pos, "Write an ALTER TABLE of its own for it.", "ADD COLUMN with UNIQUE beside actions that are not ADD is not supported")
		}
		if there := a.IfNotExists && r.target(u) != nil && r.target(u).VisibleColumn(c.Name) != nil; c.PrimaryKey && !there {
			return nil, unsupportedAt(c.Pos, "Create a table with the new key, and UPSERT INTO … SELECT; a table without a key takes one by an ALTER TABLE of its own.", "adding a key column is not supported")
		}
		def, err := r.columnDef(u.Name.Name, c, r.columnType)
		if err != nil {
			return nil, err
		}
		if err := r.addedToRows(def, c.Default); err != nil {
			return nil, err
		}
		bound := uint32(0)
		if t := r.target(u); t != nil && c.Generated != nil {
			bound = t.ID
			cols := append(planner.TableScope(t), planner.ScopeColumn{ID: t.NextColumnID, Name: c.Name, Type: def.Type, Generated: true})
			if def.Generated, def.GeneratedFrom, err = planner.BindGenerated(r.Host.Planner(), c.Generated, t.Name, c.Name, def.Type, cols); err != nil {
				return nil, err
			}
		}
		out = append(out, live.AddColumn{Column: *def, IfNotExists: a.IfNotExists, Table: bound})
		if t := r.target(u); a.IfNotExists && t != nil && t.ColumnByName(c.Name) != nil {
			continue // what is said of it does not hold of the one that there is
		}
		for _, k := range c.Checks {
			out = append(out, r.newCheck(&k, k.Name, k.Pos))
		}
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

// target finds the table an ALTER is about; nil where it does not exist, which
// the catalog reports.
func (r *Runner) target(u *tree.AlterTable) *catalog.Table {
	t, _ := r.Catalog.Seen().ResolveTable(r.Host.SearchPath(), u.Name.Schema, u.Name.Name)
	return t
}

// newCheck is a new CHECK.
func (r *Runner) newCheck(c *tree.Check, name string, pos int) live.AlterAction {
	return live.AddCheck{Check: catalog.Check{Name: name, NotValid: c.NotValid}, Pos: pos, Bind: func(t *catalog.Table, check *catalog.Check) (err error) {
		check.Cond, check.Columns, err = planner.BindCheck(r.Host.Planner(), c.Expr, t.Name, planner.TableScope(t))
		return err
	}}
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
			WithConstraint(t.Name, check.Name).InSchema(t.Schema)
	}}
}

// actionName names an action in capitals, for messages.
func actionName(a *tree.AlterAction) string {
	if a.Kind == tree.AsItIs || a.Kind == tree.OfNone {
		return a.Text
	}
	return strings.ToUpper(a.Kind.String())
}
