package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// CommentOnSchema is COMMENT ON SCHEMA; an empty text removes the comment.
func (c *Catalog) CommentOnSchema(ctx context.Context, name, text string) error {
	_, _, err := c.change(ctx, func(ch *change) error {
		sc := ch.Schema(name)
		if sc == nil {
			return catalog.UndefinedSchema(name)
		}
		if !ch.owns(&sc.Owned) {
			return catalog.NotOwner("schema", name)
		}
		cp := *sc
		cp.Comment = text
		ch.set(&cp, catalog.StatePublic)
		return nil
	})
	return err
}

// CommentOn is COMMENT ON TABLE, VIEW or SEQUENCE (kind, in lower case); with a
// column, COMMENT ON COLUMN, where kind is not looked at.
func (c *Catalog) CommentOn(ctx context.Context, kind string, n catalog.Name, column, text string) error {
	_, _, err := c.change(ctx, func(ch *change) error {
		r, err := ch.Resolve(n.Path, n.Schema, n.Name)
		if err != nil {
			return catalog.Positioned(err, n.Pos)
		}
		if column == "" && r.RelKind() != kind {
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not %s %s`, r.RelName(), catalog.Article(kind), kind).At(n.Pos)
		}
		if err := ch.mustOwn(r); err != nil {
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
			ch.set(cp, catalog.StatePublic)
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
			ch.set(&cp, catalog.StatePublic)
		case *catalog.Sequence:
			if column != "" {
				return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table or a view`, r.Name).At(n.Pos)
			}
			cp := *r
			cp.Comment = text
			ch.set(&cp, catalog.StatePublic)
		}
		return nil
	})
	return err
}
