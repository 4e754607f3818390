package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// CommentOnSchema is COMMENT ON SCHEMA; an empty text removes the comment.
func (c *Catalog) CommentOnSchema(ctx context.Context, name, text string) error {
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		sc := ch.Schema(name)
		if sc == nil {
			return catalog.UndefinedSchema(name)
		}
		if !ch.Owns(&sc.Owned) {
			return catalog.NotOwner("schema", name)
		}
		cp := *sc
		cp.Comment = text
		ch.Set(&cp, catalog.StatePublic)
		return nil
	})
	return err
}

// CommentOn is COMMENT ON TABLE, VIEW or SEQUENCE (kind, in lower case); with a
// column, COMMENT ON COLUMN, where kind is not looked at.
func (c *Catalog) CommentOn(ctx context.Context, kind string, n catalog.Name, column, text string) error {
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		if err := ch.MayUseSchema(n.Schema); err != nil {
			return err
		}
		r, err := ch.Resolve(n.Path, n.Schema, n.Name)
		if err != nil {
			return catalog.Positioned(err, n.Pos)
		}
		if column == "" && r.RelKind() != kind {
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not %s %s`, r.RelName(), catalog.Article(kind), kind)
		}
		if err := ch.MustOwn(r); err != nil {
			if column != "" {
				return catalog.NotOwner("relation", r.RelName())
			}
			return err
		}
		switch r := r.(type) {
		case *catalog.Virtual:
			return r.Denied().At(n.Pos)
		case *catalog.Table:
			cp := r.Clone()
			if column == "" {
				cp.Comment = text
			} else {
				col := cp.ColumnByName(column)
				if col == nil {
					return catalog.UndefinedColumn(r, column).At(n.Pos)
				}
				col.Comment = text
			}
			if err := cp.Finish(); err != nil {
				return err
			}
			ch.Set(cp, catalog.StatePublic)
		case *catalog.View:
			cp := *r
			if column == "" {
				cp.Comment = text
			} else {
				i := slices.IndexFunc(r.Columns, func(c catalog.ViewColumn) bool { return c.Name == column })
				if i < 0 {
					return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, column, r.Name).At(n.Pos)
				}
				cp.Columns = slices.Clone(r.Columns)
				cp.Columns[i].Comment = text
			}
			ch.Set(&cp, catalog.StatePublic)
		case *catalog.Sequence:
			if column != "" {
				return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table or a view`, r.Name).At(n.Pos)
			}
			cp := *r
			cp.Comment = text
			ch.Set(&cp, catalog.StatePublic)
		}
		return nil
	})
	return err
}

// CommentOnIndex is COMMENT ON INDEX, a primary key's among them.
func (c *Catalog) CommentOnIndex(ctx context.Context, n catalog.Name, text string) error {
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		if err := ch.MayUseSchema(n.Schema); err != nil {
			return err
		}
		t, ix := ch.IndexNamed(n)
		if ix == nil {
			t = ch.KeyNamed(n)
		}
		if t == nil {
			r, err := ch.Resolve(n.Path, n.Schema, n.Name)
			if err != nil {
				return catalog.Positioned(err, n.Pos)
			}
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not an index`, r.RelName()).At(n.Pos)
		}
		if ch.MustOwn(t) != nil {
			return catalog.NotOwner("index", n.Name)
		}
		cp := t.Clone()
		if err := cp.Finish(); err != nil {
			return err
		}
		if ix != nil {
			cp.IndexByID(ix.ID).Comment = text
		} else {
			cp.KeyIndexComment = text
		}
		ch.Set(cp, catalog.StatePublic)
		return nil
	})
	return err
}

// CommentOnConstraint is COMMENT ON CONSTRAINT … ON a table.
func (c *Catalog) CommentOnConstraint(ctx context.Context, of catalog.Name, name, text string) error {
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		if err := ch.MayUseSchema(of.Schema); err != nil {
			return err
		}
		r, err := ch.Resolve(of.Path, of.Schema, of.Name)
		if err != nil {
			return catalog.Positioned(err, of.Pos)
		}
		if v, ok := r.(*catalog.Virtual); ok {
			return v.Denied().At(of.Pos)
		}
		if ch.MustOwn(r) != nil {
			return catalog.NotOwner("relation", r.RelName())
		}
		missing := sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for table "%s" does not exist`, name, r.RelName())
		t, ok := r.(*catalog.Table)
		if !ok {
			return missing
		}
		cp := t.Clone()
		if err := cp.Finish(); err != nil {
			return err
		}
		check := slices.IndexFunc(t.Checks, func(k catalog.Check) bool { return k.Name == name })
		key := slices.IndexFunc(t.ForeignKeys, func(k catalog.ForeignKey) bool { return k.Name == name })
		switch unique := cp.UniqueConstraint(name); {
		case check >= 0:
			cp.Checks = slices.Clone(t.Checks)
			cp.Checks[check].Comment = text
		case key >= 0:
			cp.ForeignKeys = slices.Clone(t.ForeignKeys)
			cp.ForeignKeys[key].Comment = text
		case unique != nil:
			unique.ConstraintComment = text
		case t.HiddenKey() == nil && t.PrimaryKeyName == name:
			cp.KeyComment = text
		default:
			return missing
		}
		ch.Set(cp, catalog.StatePublic)
		return nil
	})
	return err
}
