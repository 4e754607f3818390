package usertype

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
func (ts Types) CreateEnum(ctx context.Context, name catalog.Name, labels []string) error {
	if err := catalog.CheckIdentifier("type", name.Name, name.Pos); err != nil {
		return err
	}
	_, _, err := ts.keeper.Change(ctx, func(ch *change.Change) error {
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
					WithDetail("Key (enumtypid, enumlabel)=(%d, %s) already exists.", t.ID, text).
					WithConstraint("pg_enum", "pg_enum_typid_label_index").InSchema("pg_catalog")
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
func (ts Types) AddEnumValue(ctx context.Context, name catalog.Name, v EnumValue) (catalog.Notices, error) {
	if err := checkLabel(v.Text); err != nil {
		return nil, err
	}
	add := func(pending bool) (*catalog.Snapshot, catalog.Notices, error) {
		return ts.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error { return addLabel(ch, t, v, pending) })
	}
	var notices catalog.Notices
	err := ts.keeper.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		s, ns, err := add(true)
		notices = ns
		if err != nil || len(ns) > 0 {
			return err
		}
		if err := ts.keeper.AwaitServers(ctx, h, s.Version()); err != nil {
			return err
		}
		if s, _, err = add(false); err != nil {
			return err
		}
		return ts.keeper.AwaitServers(ctx, h, s.Version())
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
func (ts Types) RenameEnumValue(ctx context.Context, name catalog.Name, from, to string) error {
	if err := checkLabel(to); err != nil {
		return err
	}
	_, _, err := ts.changeType(ctx, name, func(_ *change.Change, t *catalog.Type) error {
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
