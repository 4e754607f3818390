package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
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
	_, _, err := c.change(ctx, func(ch *change) error {
		t, err := ch.newType(name)
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
			if l.ID, err = ch.newID(); err != nil {
				return err
			}
			t.Labels = append(t.Labels, l)
		}
		ch.set(t, catalog.StatePublic)
		return nil
	})
	return err
}

// typeNameTaken is nameTaken, for the names of arrays too.
func (ch *change) typeNameTaken(schema, name string) bool {
	if ch.nameTaken(schema, name) {
		return true
	}
	return slices.ContainsFunc(ch.Types(), func(t *catalog.Type) bool { return t.Schema == schema && t.ArrayName == name })
}

// arrayName names the type of the arrays of a new type.
func (ch *change) arrayName(schema, name string) string {
	made := types.TruncateName("_" + name)
	return catalog.UniqueName(func(n int) string { return catalog.Numbered(made, n) }, func(s string) bool { return ch.typeNameTaken(schema, s) })
}

func checkLabel(text string) error {
	if len(text) > catalog.MaxIdentifier {
		return sqlerr.New(sqlerr.InvalidName, `invalid enum label "%s"`, text).
			WithDetail("Labels must be %d bytes or less.", catalog.MaxIdentifier)
	}
	return nil
}

// findType resolves a type's name for its owner, or for who may drop it: 42704.
func (ch *change) findType(n catalog.Name, allowed func(catalog.Relation) error) (*catalog.Type, error) {
	if n.Schema != "" && ch.Schema(n.Schema) == nil && !catalog.IsSystemSchema(n.Schema) {
		return nil, catalog.UndefinedSchema(n.Schema)
	}
	if err := ch.mayUse(n.Schema); err != nil {
		return nil, err
	}
	t, array := ch.TypeNamed(n)
	if t != nil {
		if o, ok := ch.get(t.ID); ok {
			t = o.Desc.(*catalog.Type)
		} else {
			t = nil
		}
	}
	switch {
	case t == nil:
		if sys, err := types.FromName(n.Name, nil, false); err == nil && (n.Schema == "" || n.Schema == "pg_catalog") {
			return nil, systemType(sys)
		}
		if r := ch.LookupOwn(n); r != nil && r.RelKind() != "sequence" {
			return nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because %s %s requires it", r.RelName(), r.RelKind(), r.RelName()).
				WithHint("You can drop %s %s instead.", r.RelKind(), r.RelName())
		}
		return nil, types.UndefinedType(n.Written())
	case array:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot alter array type %s[]", t.Name).
			WithHint("You can alter type %s, which will alter the array type as well.", t.Name)
	}
	return t, allowed(t)
}

func systemType(t types.T) error {
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because it is required by the database system", t)
}

// notAltered words for ALTER what findType says of a type that is not a user's own.
func notAltered(ch *change, n catalog.Name, err error) error {
	if sqlerr.CodeOf(err) != sqlerr.DependentObjectsStillExist {
		return err
	}
	if r := ch.LookupOwn(n); r != nil {
		return sqlerr.New(sqlerr.WrongObjectType, "%s is a table's row type", r.RelName()).WithHint("Use ALTER TABLE instead.")
	}
	return catalog.NotOwner("type", n.Name)
}

// changeType changes a copy of a type.
func (c *Catalog) changeType(ctx context.Context, name catalog.Name, edit func(*change, *catalog.Type) error) (*catalog.Snapshot, catalog.Notices, error) {
	return c.change(ctx, func(ch *change) error {
		old, err := ch.findType(name, ch.mustOwn)
		if err != nil {
			return notAltered(ch, name, err)
		}
		t := *old
		t.Labels = slices.Clone(old.Labels)
		if err := edit(ch, &t); err != nil {
			return err
		}
		ch.set(&t, catalog.StatePublic)
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
		return c.changeType(ctx, name, func(ch *change, t *catalog.Type) error { return ch.addLabel(t, v, pending) })
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

func (ch *change) addLabel(t *catalog.Type, v EnumValue, pending bool) error {
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
			ch.notices.Add(skipping(sqlerr.DuplicateObject, `enum label "%s" already exists, skipping`, v.Text))
			return errNoChange
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
	if l.ID, err = ch.newID(); err != nil {
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
	_, _, err := c.changeType(ctx, name, func(_ *change, t *catalog.Type) error {
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
	_, _, err := c.changeType(ctx, name, func(ch *change, t *catalog.Type) error {
		if domain && t.Domain == nil {
			return noDomain(t)
		}
		if err := ch.mayCreateIn(t.Schema); err != nil {
			return err
		}
		if ch.typeNameTaken(t.Schema, to) {
			return catalog.DuplicateType(catalog.Name{Name: to})
		}
		t.Name, t.ArrayName = to, ch.arrayName(t.Schema, to)
		return nil
	})
	return err
}

// MoveType is ALTER TYPE … SET SCHEMA; domain says that the statement is ALTER DOMAIN.
func (c *Catalog) MoveType(ctx context.Context, name catalog.Name, schema string, domain bool) error {
	_, _, err := c.changeType(ctx, name, func(ch *change, t *catalog.Type) error {
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
			return errNoChange
		}
		if err := ch.mayCreateIn(schema); err != nil {
			return err
		}
		if ch.typeNameTaken(schema, t.Name) || ch.typeNameTaken(schema, t.ArrayName) {
			return sqlerr.New(sqlerr.DuplicateObject, `type "%s" already exists in schema "%s"`, t.Name, schema)
		}
		t.Schema = schema
		return nil
	})
	return err
}

// ChangeTypeOwner is ALTER TYPE … OWNER TO; domain says that the statement is ALTER DOMAIN.
func (c *Catalog) ChangeTypeOwner(ctx context.Context, name catalog.Name, owner uint32, domain bool) error {
	_, _, err := c.change(ctx, func(ch *change) error {
		t, err := ch.findType(name, ch.mustOwn)
		switch {
		case err != nil:
			return err
		case domain && t.Domain == nil:
			return noDomain(t)
		}
		return ch.giveTo(t, owner)
	})
	return err
}

// CommentOnType is COMMENT ON TYPE, or ON DOMAIN; an empty text removes the comment.
func (c *Catalog) CommentOnType(ctx context.Context, name catalog.Name, text string, domain bool) error {
	_, _, err := c.changeType(ctx, name, func(_ *change, t *catalog.Type) error {
		if domain && t.Domain == nil {
			return notDomain(t)
		}
		t.Comment = text
		return nil
	})
	return err
}

// checkTypes refuses what is of a type that was dropped at the same time, or that may not be used.
func (ch *change) checkTypes() error {
	for id, o := range ch.Put {
		if o.State != catalog.StateDropping && !ch.IsSuperuser(ch.By) {
			if err := ch.mayUseTypes(id, o); err != nil {
				return err
			}
		}
		t, ok := o.Desc.(*catalog.Table)
		if !ok || o.State == catalog.StateDropping {
			continue
		}
		for i := range t.Columns {
			for _, u := range []*types.User{t.Columns[i].Type.Domain(), t.Columns[i].Type.User()} {
				if u == nil {
					continue
				}
				if _, there := ch.get(u.ID); !there {
					return types.UndefinedType(u.Def().Name)
				}
			}
		}
	}
	return nil
}

// isType says that a name is that of a type and of no relation.
func (ch *change) isType(schema, name string) bool {
	id, ok := ch.TakenBy(schema, name)
	return ok && ch.TypeByID(id) != nil
}

// duplicate says that a new relation's name is taken.
func (ch *change) duplicate(schema string, n catalog.Name) error {
	if !ch.isType(schema, n.Name) {
		return catalog.DuplicateRelation(n)
	}
	return catalog.DuplicateType(n).
		WithHint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.")
}
