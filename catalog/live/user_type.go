package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CreateEnum is CREATE TYPE … AS ENUM: 42710 for a name that a type or a relation has, 23505
// for a value twice, 42602 for one that is too long.
func (c *Catalog) CreateEnum(ctx context.Context, name catalog.Name, labels []string) error {
	if err := catalog.CheckIdentifier("type", name.Name, name.Pos); err != nil {
		return err
	}
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		t, err := newType(ch, name)
		if err != nil {
			return err
		}
		for i, text := range labels {
			l := types.Label{Text: text, Code: types.LabelCode(i + 1)}
			if err := checkLabel(text); err != nil {
				return err
			}
			if slices.Contains(labels[:i], text) {
				return sqlerr.New(sqlerr.UniqueViolation, `duplicate key value violates unique constraint "pg_enum_typid_label_index"`).
					WithDetail("Key (enumtypid, enumlabel)=(%d, %s) already exists.", t.ID, text)
			}
			if l.ID, err = ch.NewID(); err != nil {
				return err
			}
			t.Labels = append(t.Labels, l)
		}
		ch.Set(t, catalog.StatePublic)
		return nil
	})
	return err
}

func checkLabel(text string) error {
	if len(text) > catalog.MaxIdentifier {
		return sqlerr.New(sqlerr.InvalidName, `invalid enum label "%s"`, text).
			WithDetail("Labels must be %d bytes or less.", catalog.MaxIdentifier)
	}
	return nil
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

// changeType changes a copy of a type.
func (c *Catalog) changeType(ctx context.Context, name catalog.Name, edit func(*change.Change, *catalog.Type) error) (*catalog.Snapshot, catalog.Notices, error) {
	return c.Change(ctx, func(ch *change.Change) error {
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

// EnumValue is a value that ALTER TYPE … ADD VALUE adds: before or after a neighbour, or last.
type EnumValue struct {
	Text         string
	Neighbour    string
	HasNeighbour bool
	After        bool
	IfNotExists  bool
}

// AddEnumValue is ALTER TYPE … ADD VALUE. Rows keep the codes that they have: the new value gets
// one between those of its neighbours. On a store that several servers share, it may be
// written once all of them can print it.
func (c *Catalog) AddEnumValue(ctx context.Context, name catalog.Name, v EnumValue) (catalog.Notices, error) {
	if err := checkLabel(v.Text); err != nil {
		return nil, err
	}
	add := func(pending bool) (*catalog.Snapshot, catalog.Notices, error) {
		return c.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error { return addLabel(ch, t, v, pending) })
	}
	if !c.Shared() {
		_, notices, err := add(false)
		return notices, err
	}
	var notices catalog.Notices
	err := c.WithLease(ctx, func(h *versions.Held) error {
		s, ns, err := add(true)
		notices = ns
		if err != nil || len(ns) > 0 {
			return err
		}
		if err := c.AwaitServers(ctx, h, s.Version()); err != nil {
			return err
		}
		if s, _, err = add(false); err != nil {
			return err
		}
		return c.AwaitServers(ctx, h, s.Version())
	})
	return notices, err
}

func addLabel(ch *change.Change, t *catalog.Type, v EnumValue, pending bool) error {
	if t.Domain != nil {
		return notEnum(t)
	}
	at := func(text string) int {
		return slices.IndexFunc(t.Labels, func(l types.Label) bool { return l.Text == text })
	}
	if i := at(v.Text); i >= 0 {
		switch {
		case t.Labels[i].Pending: // of this statement, or of one whose server died
			t.Labels[i].Pending = pending
			return nil
		case v.IfNotExists:
			ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateObject, `enum label "%s" already exists, skipping`, v.Text))
			return change.ErrNothing
		}
		return sqlerr.New(sqlerr.DuplicateObject, `enum label "%s" already exists`, v.Text)
	}
	i := len(t.Labels)
	if v.HasNeighbour {
		if i = at(v.Neighbour); i < 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, `"%s" is not an existing enum label`, v.Neighbour)
		}
		if v.After {
			i++
		}
	}
	var before, after *types.Label
	if i > 0 {
		before = &t.Labels[i-1]
	}
	if i < len(t.Labels) {
		after = &t.Labels[i]
	}
	l := types.Label{Text: v.Text, Pending: pending}
	var ok bool
	var err error
	if l.Code, ok = types.CodeBetween(before, after); !ok {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, `there is no number left between the enum labels "%s" and "%s"`, before.Text, after.Text).
			WithHint("Rows are not rewritten for a new value: create a type with the values in order, and copy the column.")
	}
	if l.ID, err = ch.NewID(); err != nil {
		return err
	}
	t.Labels = slices.Insert(t.Labels, i, l)
	return nil
}

// RenameEnumValue is ALTER TYPE … RENAME VALUE.
func (c *Catalog) RenameEnumValue(ctx context.Context, name catalog.Name, from, to string) error {
	if err := checkLabel(to); err != nil {
		return err
	}
	_, _, err := c.changeType(ctx, name, func(_ *change.Change, t *catalog.Type) error {
		if t.Domain != nil {
			return notEnum(t)
		}
		at := func(text string) int {
			return slices.IndexFunc(t.Labels, func(l types.Label) bool { return l.Text == text })
		}
		switch i := at(from); {
		case i < 0:
			return sqlerr.New(sqlerr.InvalidParameterValue, `"%s" is not an existing enum label`, from)
		case at(to) >= 0:
			return sqlerr.New(sqlerr.DuplicateObject, `enum label "%s" already exists`, to)
		default:
			t.Labels[i].Text = to
		}
		return nil
	})
	return err
}

// RenameType is ALTER TYPE … RENAME TO; domain says that the statement is ALTER DOMAIN.
func (c *Catalog) RenameType(ctx context.Context, name catalog.Name, to string, domain bool) error {
	if err := catalog.CheckIdentifier("type", to, name.Pos); err != nil {
		return err
	}
	_, _, err := c.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error {
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
func (c *Catalog) MoveType(ctx context.Context, name catalog.Name, schema string, domain bool) error {
	_, _, err := c.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error {
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
func (c *Catalog) ChangeTypeOwner(ctx context.Context, name catalog.Name, owner uint32, domain bool) error {
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
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
func (c *Catalog) CommentOnType(ctx context.Context, name catalog.Name, text string, domain bool) error {
	_, _, err := c.changeType(ctx, name, func(_ *change.Change, t *catalog.Type) error {
		if domain && t.Domain == nil {
			return change.NotDomain(t)
		}
		t.Comment = text
		return nil
	})
	return err
}
