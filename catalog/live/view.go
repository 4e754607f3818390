package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// CreateView keeps a query's text under a name. The caller has bound the query
// and gives its columns and what it depends on.
func (c *Catalog) CreateView(ctx context.Context, def *catalog.ViewDef, ifNotExists bool) (*catalog.View, catalog.Notices, error) {
	if err := catalog.CheckIdentifier("view", def.Name.Name, def.Name.Pos); err != nil {
		return nil, nil, err
	}
	if len(def.Columns) > catalog.MaxTableColumns {
		return nil, nil, sqlerr.New(sqlerr.TooManyColumns, "views can have at most %d columns", catalog.MaxTableColumns).At(def.Name.Pos)
	}
	seen := map[string]bool{}
	for _, col := range def.Columns {
		if err := catalog.CheckIdentifier("column", col.Name, def.Name.Pos); err != nil {
			return nil, nil, err
		}
		if seen[col.Name] {
			return nil, nil, catalog.DuplicateColumn(col.Name).At(def.Name.Pos)
		}
		seen[col.Name] = true
	}
	s, notices, err := c.Change(ctx, func(ch *change.Change) error {
		schema, err := ch.CreationSchema(def.Name)
		if err != nil {
			return err
		}
		v := &catalog.View{Schema: schema, Name: def.Name.Name, Query: def.Query, Columns: def.Columns, DependsOn: def.DependsOn, Uses: def.Uses, Check: def.Check}
		for _, id := range v.DependsOn {
			if ch.Member(id) == nil {
				return sqlerr.New(sqlerr.UndefinedTable, "a relation that view %q names was dropped at the same time", v.Name)
			}
		}
		if ch.NameTaken(schema, v.Name) {
			if ch.IsType(schema, v.Name) {
				return ch.Duplicate(schema, def.Name)
			}
			old, _ := ch.Relation(schema, v.Name).(*catalog.View)
			switch {
			case def.OrReplace && old != nil:
				if err := ch.MustOwn(old); err != nil {
					return err
				}
				if err := replaceable(old, v); err != nil {
					return err
				}
				if reaches(ch, v.DependsOn, old.ID) {
					return sqlerr.New(sqlerr.InvalidTableDefinition, "infinite recursion detected in view %q", v.Name)
				}
				v.ID, v.Comment, v.Owned = old.ID, old.Comment, old.Owned
				for i := range old.Columns {
					v.Columns[i].Comment = old.Columns[i].Comment
				}
				ch.Set(v, catalog.StatePublic)
				return nil
			case def.OrReplace && ch.Relation(schema, v.Name) != nil:
				return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a view`, v.Name).At(def.Name.Pos)
			case ifNotExists:
				ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, v.Name))
				return change.ErrNothing
			}
			return ch.Duplicate(schema, def.Name)
		}
		if v.ID, err = ch.NewID(); err != nil {
			return err
		}
		ch.Set(v, catalog.StatePublic)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	made, _ := s.LookupOwn(def.Name).(*catalog.View)
	return made, notices, nil
}

// replaceable holds CREATE OR REPLACE VIEW to Postgres's rule: the old columns
// stay, new ones come after them.
func replaceable(old, v *catalog.View) error {
	if len(v.Columns) < len(old.Columns) {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop columns from view")
	}
	for i, oc := range old.Columns {
		nc := v.Columns[i]
		if nc.Name != oc.Name {
			return sqlerr.New(sqlerr.InvalidTableDefinition, `cannot change name of view column "%s" to "%s"`, oc.Name, nc.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if nc.Type != oc.Type {
			return sqlerr.New(sqlerr.InvalidTableDefinition, `cannot change data type of view column "%s" from %s to %s`, oc.Name, oc.Type, nc.Type)
		}
	}
	return nil
}

// reaches says whether a view is among relations or what they depend on.
func reaches(ch *change.Change, ids []uint32, view uint32) bool {
	if slices.Contains(ids, view) {
		return true
	}
	for _, id := range ids {
		switch r := ch.ByID(id).(type) {
		case *catalog.View:
			if reaches(ch, r.DependsOn, view) {
				return true
			}
		case *catalog.Table:
			if r.Materialized != nil && reaches(ch, r.Materialized.DependsOn, view) {
				return true
			}
		}
	}
	return false
}

// RenameViewColumn is ALTER VIEW … RENAME COLUMN.
func (c *Catalog) RenameViewColumn(ctx context.Context, name catalog.Name, ifExists bool, from, to string) (catalog.Notices, error) {
	if err := catalog.CheckIdentifier("column", to, name.Pos); err != nil {
		return nil, err
	}
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		r, err := ch.FindAs("relation", name, "view", ifExists, ch.MustOwn)
		if err != nil {
			return err
		}
		if r == nil {
			return change.ErrNothing
		}
		v := *r.(*catalog.View)
		v.Columns = slices.Clone(v.Columns)
		at := func(name string) int {
			return slices.IndexFunc(v.Columns, func(c catalog.ViewColumn) bool { return c.Name == name })
		}
		i := at(from)
		switch {
		case i < 0:
			return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, from)
		case at(to) >= 0:
			return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists`, to, v.Name)
		}
		if err := ch.RefuseFixed(&v, i+1, from, 0); err != nil {
			return err
		}
		v.Columns[i].Name = to
		ch.Set(&v, catalog.StatePublic)
		return nil
	})
	return notices, err
}

// DropView removes views.
func (c *Catalog) DropView(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	drop := func(ch *change.Change) error {
		ch.Going, ch.Several = map[uint32]bool{}, len(names) > 1
		for _, n := range names {
			if v, ok := ch.Lookup(n).(*catalog.View); ok {
				ch.Going[v.ID] = true
			}
		}
		for _, n := range names {
			r, err := ch.FindToDrop(n, "view", ifExists)
			if err != nil {
				return err
			}
			if r == nil {
				continue
			}
			ch.DropDependents(r, cascade)
			ch.Remove(r.RelID())
		}
		return ch.UnlessEmpty()
	}
	if cascade { // to materialized views, which have storage
		return c.dropWithTables(ctx, func(ch *change.Change) ([]string, error) { return nil, drop(ch) })
	}
	_, notices, err := c.Change(ctx, drop)
	return notices, err
}
