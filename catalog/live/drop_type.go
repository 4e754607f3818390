package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropType removes types; domains says that the statement is DROP DOMAIN. With cascade the
// columns that are of them go first, table by table, with what else names the types: where
// that fails, what is gone is gone. A rehearsal takes no columns along: 2BP01.
func (c *Catalog) DropType(ctx context.Context, names []catalog.Name, domains, ifExists, cascade bool) (catalog.Notices, error) {
	var notices catalog.Notices
	if cascade && !change.Rehearses(ctx) {
		for _, n := range names {
			ns, err := c.dropTypeUsers(ctx, n, domains)
			notices = append(notices, ns...)
			if err != nil {
				return notices, err
			}
		}
	}
	drop := func(ch *change.Change) error {
		ch.Several = len(names) > 1
		for _, n := range names {
			t, err := ch.FindType(n, ch.MayDrop)
			switch code := sqlerr.CodeOf(err); {
			case err != nil && ifExists && (code == sqlerr.UndefinedObject || code == sqlerr.InvalidSchemaName):
				ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.As(err).Message))
				continue
			case err != nil:
				return err
			case domains && t.Domain == nil:
				return change.NotDomain(t)
			}
			if err := dropType(ch, t, cascade); err != nil {
				return err
			}
		}
		return ch.UnlessEmpty()
	}
	var ns catalog.Notices
	var err error
	if cascade { // to materialized views, which have storage
		ns, err = c.dropWithTables(ctx, func(ch *change.Change) ([]string, error) { return nil, drop(ch) })
	} else {
		_, ns, err = c.Change(ctx, drop)
	}
	return append(notices, ns...), err
}

// dropType removes a type that no table depends on, and with cascade the views that do.
func dropType(ch *change.Change, t *catalog.Type, cascade bool) error {
	for _, d := range ch.DomainsOver(t) {
		if _, there := ch.Get(d.ID); there && cascade {
			return sqlerr.Unsupported("DROP … CASCADE of type "+t.Name+", which domain "+d.Name+" depends on, is not supported", "Drop domain "+d.Name+" first.")
		}
	}
	if on := ch.DependentsOf(t); len(on) > 0 && (!cascade || storedAs(ch, t)) {
		for _, d := range on {
			ch.Block(ch.Called(t), d.What, d.On)
		}
		return nil
	}
	told := len(ch.Cascaded)
	ch.DropUsers(0, ch.Called(t), t, cascade)
	ch.Cascaded = ch.Cascaded[:told] // dropTypeUsers has told of all
	ch.Remove(t.ID)
	return nil
}

// storedAs says that something of a table depends on a type.
func storedAs(ch *change.Change, t *catalog.Type) bool {
	return slices.ContainsFunc(ch.UsersOf(t.ID), func(u catalog.TypeUser) bool { return ch.Stays(u.Table) })
}

// dropTypeUsers drops what of tables depends on a type, and tells of all that does, views
// among it.
func (c *Catalog) dropTypeUsers(ctx context.Context, n catalog.Name, domains bool) (catalog.Notices, error) {
	s, err := c.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	ch := change.New(ctx, s)
	t, err := ch.FindType(n, ch.MayDrop)
	if err != nil || domains && t.Domain == nil || len(s.DomainsOver(t)) > 0 {
		return nil, nil // DropType says so
	}
	gone := ch.DependentsOf(t)
	users := s.UsersOf(t.ID)
	for _, u := range users {
		if col := u.Table.ColumnByID(u.Column); col != nil && col.KeyPos >= 0 && u.Table.Materialized == nil {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, `cannot drop %s: it is part of the primary key`, ch.UseOf(&u)).
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
			return nil, err
		}
	}
	cascaded := make([]string, len(gone))
	for i, d := range gone {
		cascaded[i] = d.What
	}
	return catalog.CascadeNotices(cascaded), nil
}
