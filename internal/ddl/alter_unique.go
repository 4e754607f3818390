package ddl

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// withoutUniques gives an ALTER TABLE that adds columns without the UNIQUE constraints that it
// adds too, and those; none where it does anything else.
func withoutUniques(u *tree.AlterTable) (plain *tree.AlterTable, uniques []tree.TableConstraint) {
	alter := *u
	alter.Actions = nil
	for _, a := range u.Actions {
		switch {
		case a.Kind == tree.AddColumn:
			a.Columns = slices.Clone(a.Columns)
			for i := range a.Columns {
				if c := &a.Columns[i]; c.Unique {
					uniques = append(uniques, tree.TableConstraint{Unique: uniqueOf(c)})
					c.Unique = false
				}
			}
			alter.Actions = append(alter.Actions, a)
		case a.Kind == tree.AddConstraint && a.Constraint.Unique != nil && a.Constraint.Unique.UsingIndex == "":
			uniques = append(uniques, *a.Constraint)
		default:
			return nil, nil
		}
	}
	return &alter, uniques
}

// addWithUniques is ALTER TABLE … ADD of columns and UNIQUE constraints. The columns come first,
// and go again where a constraint cannot be made.
func (r *Runner) addWithUniques(ctx context.Context, u *tree.AlterTable, t *catalog.Table, uniques []tree.TableConstraint) (catalog.Notices, error) {
	there := func(name string) bool { return t.VisibleColumn(name) != nil }
	added := map[string]bool{}
	for _, a := range u.Actions {
		for i := range a.Columns {
			if c := &a.Columns[i]; !there(c.Name) {
				added[c.Name] = true
			} else if a.IfNotExists { // what is said of it does not hold of the one that there is
				uniques = slices.DeleteFunc(uniques, func(k tree.TableConstraint) bool {
					return k.Name == "" && len(k.Unique.Columns) == 1 && k.Unique.Columns[0].Pos == c.Pos
				})
			}
		}
	}
	var notices catalog.Notices
	if len(u.Actions) > 0 {
		var err error
		if notices, err = r.alterTable(ctx, u); err != nil {
			return notices, err
		}
	}
	for i := range uniques {
		ns, err := r.addUnique(ctx, u, &uniques[i])
		notices = append(notices, ns...)
		if err != nil {
			r.takeBack(ctx, u, t, added)
			return notices, err
		}
	}
	return notices, nil
}

// takeBack drops the columns and the UNIQUE constraints that a table t did not have.
func (r *Runner) takeBack(ctx context.Context, u *tree.AlterTable, t *catalog.Table, added map[string]bool) {
	now := r.target(u)
	if now == nil || now.ID != t.ID {
		return
	}
	var actions []live.AlterAction
	for i := range now.Indexes {
		ix := &now.Indexes[i]
		if ix.Constraint && !slices.ContainsFunc(t.Indexes, func(o catalog.Index) bool { return o.ID == ix.ID }) {
			actions = append(actions, live.DropConstraint{Name: ix.Name, IfExists: true})
		}
	}
	for name := range added {
		actions = append(actions, live.DropColumn{Name: name, IfExists: true})
	}
	if len(actions) == 0 {
		return
	}
	if _, err := r.Catalog.AlterTable(ctx, r.catalogName(u.Name), true, actions, r.alterHooks()); err != nil {
		r.Catalog.Options.Logger.Warn("ddl: columns that were added without their UNIQUE stay", "table", t.Name, "err", err)
	}
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
