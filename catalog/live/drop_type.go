package live

import (
	"context"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropType removes types; domains says that the statement is DROP DOMAIN. With cascade what
// depends on the types goes too: see dropWithTypes.
func (c *Catalog) DropType(ctx context.Context, names []catalog.Name, domains, ifExists, cascade bool) (catalog.Notices, error) {
	drop := func(ch *change.Change) ([]string, error) {
		ch.Going, ch.Several = map[uint32]bool{}, len(names) > 1
		var list []*catalog.Type
		for _, n := range names {
			t, err := ch.FindType(n, ch.MayDrop)
			switch code := sqlerr.CodeOf(err); {
			case err != nil && ifExists && (code == sqlerr.UndefinedObject || code == sqlerr.InvalidSchemaName):
				ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.As(err).Message))
				continue
			case err != nil:
				return nil, err
			case domains && t.Domain == nil:
				return nil, change.NotDomain(t)
			}
			list = append(list, t)
			ch.Going[t.ID] = true
		}
		for _, t := range list {
			if err := dropType(ch, t, cascade); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	if cascade {
		return c.dropWithTypes(ctx, drop)
	}
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		if _, err := drop(ch); err != nil {
			return err
		}
		return ch.UnlessEmpty()
	})
	return notices, err
}

// dropType removes a type. Without cascade what depends on it blocks the change; with it views
// and domains over it go in the change, and what tables have is left in ch.TypeUsers.
func dropType(ch *change.Change, t *catalog.Type, cascade bool) error {
	if _, there := ch.Get(t.ID); !there {
		return nil // it was named twice, or went with another
	}
	on := ch.DependentsOf(t)
	if len(on) > 0 && !cascade {
		for _, d := range on {
			ch.Block(ch.Called(t), d.What, d.On)
		}
		return nil
	}
	told := ch.Cascaded
	for _, d := range on {
		if !slices.Contains(told, d.What) {
			told = append(told, d.What)
		}
	}
	if err := removeType(ch, t); err != nil {
		return err
	}
	ch.Cascaded = told
	return nil
}

// removeType removes a type, the domains over it and the views that need it.
func removeType(ch *change.Change, t *catalog.Type) error {
	for _, d := range ch.DomainsOver(t) {
		if _, there := ch.Get(d.ID); !there || ch.Going[d.ID] {
			continue
		}
		if !t.MadeOf(d.Domain.Base) {
			return sqlerr.Unsupported("DROP … CASCADE of type "+t.Name+", which an expression of domain "+d.Name+" names, is not supported", "Drop domain "+d.Name+" first.")
		}
		if err := removeType(ch, d); err != nil {
			return err
		}
	}
	ch.DropUsers(0, ch.Called(t), t, true)
	ch.Remove(t.ID)
	for _, u := range ch.UsersOf(t.ID) {
		if ch.Stays(u.Table) {
			ch.TypeUsers = append(ch.TypeUsers, u)
		}
	}
	return nil
}

// errTypeUsers ends a change that waits for what tables have of the types that it drops.
var errTypeUsers = errors.New("catalog: tables have columns of types that are dropped")

// dropWithTypes is dropWithTables for what drops types by CASCADE, too. The columns that are of
// them go first, table by table, with what else of tables names the types: where that fails, what
// is gone is gone; in a rehearsal they are refused. fn is called until it finds none of them.
func (c *Catalog) dropWithTypes(ctx context.Context, fn func(*change.Change) ([]string, error)) (catalog.Notices, error) {
	var cascaded []string // by the first call, which sees all
	for {
		var users []catalog.TypeUser
		notices, err := c.dropWithTables(ctx, func(ch *change.Change) ([]string, error) {
			values, err := fn(ch)
			switch {
			case err != nil || ch.Blocked() != nil:
			case len(ch.TypeUsers) > 0 && change.Rehearses(ctx):
				return nil, sqlerr.Unsupported("DROP … CASCADE of types that tables have columns of is not supported in a transaction block", "Run it outside of one.")
			case len(ch.TypeUsers) > 0 && c.Drafts():
				return nil, c.Beyond()
			case len(ch.TypeUsers) > 0:
				users = ch.TypeUsers
				if cascaded == nil {
					cascaded = ch.Cascaded
				}
				return nil, errTypeUsers
			case cascaded != nil:
				ch.Cascaded = cascaded
			}
			return values, err
		})
		if !errors.Is(err, errTypeUsers) {
			return notices, err
		}
		if err := c.dropTypeUsers(ctx, users); err != nil {
			return nil, err
		}
	}
}

// dropTypeUsers drops what of tables depends on types, whoever owns the tables: who may drop a type
// may have CASCADE take along what is of it.
func (c *Catalog) dropTypeUsers(ctx context.Context, users []catalog.TypeUser) error {
	ctx = catalog.AsProgram(ctx)
	ch := change.New(ctx, c.Seen())
	for _, u := range users {
		if col := u.Table.ColumnByID(u.Column); col != nil && col.KeyPos >= 0 && u.Table.Materialized == nil {
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot drop %s: it is part of the primary key`, ch.UseOf(&u)).
				WithHint("Rows are stored by their key: drop the table first.").WithColumn(u.Table.Name, col.Name)
		}
	}
	for _, u := range users {
		name := catalog.Name{Schema: u.Table.Schema, Name: u.Table.Name}
		var err error
		switch {
		case u.Table.Materialized != nil:
			_, err = c.DropMaterialized(ctx, []catalog.Name{name}, true, true)
		case u.Index != "":
			_, err = c.DropIndex(ctx, []catalog.Name{{Schema: u.Table.Schema, Name: u.Index}}, true, true)
		case u.Check != "":
			_, err = c.AlterTable(ctx, name, true, []AlterAction{DropConstraint{Name: u.Check, IfExists: true, Cascade: true}}, AlterHooks{})
		case u.Default != "":
			_, err = c.AlterTable(ctx, name, true, []AlterAction{SetDefault{Column: u.Default}}, AlterHooks{})
		default:
			_, err = c.AlterTable(ctx, name, true, []AlterAction{DropColumn{Name: u.Table.ColumnByID(u.Column).Name, IfExists: true, Cascade: true}}, AlterHooks{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
