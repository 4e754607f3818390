package usertype

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Types makes and changes the types that users name.
type Types struct{ keeper *change.Keeper }

// NewTypes gives what does so through k.
func New(k *change.Keeper) Types { return Types{k} }

// changeType changes a copy of a type.
func (ts Types) changeType(ctx context.Context, name catalog.Name, edit func(*change.Change, *catalog.Type) error) (*catalog.Snapshot, catalog.Notices, error) {
	return ts.keeper.Change(ctx, func(ch *change.Change) error {
		old, err := ch.FindType(name, ch.MustOwn)
		if err != nil {
			return notAltered(ch, name, err)
		}
		t := *old
		t.Labels = slices.Clone(old.Labels)
		if err := edit(ch, &t); err != nil {
			return err
		}
		ch.Set(&t, catalog.StatePublic)
		return nil
	})
}

// notAltered words for ALTER what findType says of a type that is not a user's own.
func notAltered(ch *change.Change, n catalog.Name, err error) error {
	if sqlerr.CodeOf(err) != sqlerr.DependentObjectsStillExist {
		return err
	}
	if r := ch.LookupOwn(n); r != nil {
		return sqlerr.New(sqlerr.WrongObjectType, "%s is a table's row type", r.RelName()).WithHint("Use ALTER TABLE instead.")
	}
	return catalog.NotOwner("type", n.Name)
}

// RenameType is ALTER TYPE … RENAME TO; domain says that the statement is ALTER DOMAIN.
func (ts Types) RenameType(ctx context.Context, name catalog.Name, to string, domain bool) error {
	if err := catalog.CheckIdentifier("type", to, name.Pos); err != nil {
		return err
	}
	_, _, err := ts.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error {
		if domain && t.Domain == nil {
			return noDomain(t)
		}
		if err := ch.MayCreateIn(t.Schema); err != nil {
			return err
		}
		if ch.TypeNameTaken(t.Schema, to) {
			return catalog.DuplicateType(catalog.Name{Name: to})
		}
		t.Name, t.ArrayName = to, ch.ArrayName(t.Schema, to)
		return nil
	})
	return err
}

// MoveType is ALTER TYPE … SET SCHEMA; domain says that the statement is ALTER DOMAIN.
func (ts Types) MoveType(ctx context.Context, name catalog.Name, schema string, domain bool) error {
	_, _, err := ts.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error {
		if domain && t.Domain == nil {
			return noDomain(t)
		}
		if err := catalog.CheckNotSystem(schema, catalog.Name{Schema: schema, Name: t.Name}); err != nil {
			return err
		}
		if ch.Schema(schema) == nil {
			return catalog.UndefinedSchema(schema)
		}
		if schema == t.Schema {
			return change.ErrNothing
		}
		if err := ch.MayCreateIn(schema); err != nil {
			return err
		}
		if ch.TypeNameTaken(schema, t.Name) || ch.TypeNameTaken(schema, t.ArrayName) {
			return sqlerr.New(sqlerr.DuplicateObject, `type "%s" already exists in schema "%s"`, t.Name, schema)
		}
		t.Schema = schema
		return nil
	})
	return err
}

// ChangeTypeOwner is ALTER TYPE … OWNER TO; domain says that the statement is ALTER DOMAIN.
func (ts Types) ChangeTypeOwner(ctx context.Context, name catalog.Name, owner uint32, domain bool) error {
	_, _, err := ts.keeper.Change(ctx, func(ch *change.Change) error {
		t, err := ch.FindType(name, ch.MustOwn)
		switch {
		case err != nil:
			return err
		case domain && t.Domain == nil:
			return noDomain(t)
		}
		return ch.GiveTo(t, owner)
	})
	return err
}

// CommentOnType is COMMENT ON TYPE, or ON DOMAIN; an empty text removes the comment.
func (ts Types) CommentOnType(ctx context.Context, name catalog.Name, text string, domain bool) error {
	_, _, err := ts.changeType(ctx, name, func(_ *change.Change, t *catalog.Type) error {
		if domain && t.Domain == nil {
			return change.NotDomain(t)
		}
		t.Comment = text
		return nil
	})
	return err
}
