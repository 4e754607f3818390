package usertype

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CreateDomain is CREATE DOMAIN: 42710 for a name that a type or a relation has, or for a
// constraint's name twice.
func (ts Types) CreateDomain(ctx context.Context, def *catalog.DomainDef) error {
	if err := catalog.CheckIdentifier("type", def.Name.Name, def.Name.Pos); err != nil {
		return err
	}
	_, _, err := ts.keeper.Change(ctx, func(ch *change.Change) error {
		t, err := newType(ch, def.Name)
		if err != nil {
			return err
		}
		t.Domain = &types.Domain{Base: def.Base, NotNull: def.NotNull, Default: string(def.Default)}
		if def.Default == "" {
			t.Domain.Default, _ = def.Base.DefaultOf()
		}
		if err := namedThere(ch, t); err != nil {
			return err
		}
		for i := range def.Checks {
			if err := addDomainCheck(ch, t, &def.Checks[i]); err != nil {
				return err
			}
		}
		ch.Set(t, catalog.StatePublic)
		return nil
	})
	return err
}

// namedThere says that what a domain is over has not been dropped at the same time.
func namedThere(ch *change.Change, t *catalog.Type) error {
	for _, u := range []*types.User{t.Domain.Base.Domain(), t.Domain.Base.User()} {
		if u == nil {
			continue
		}
		if _, there := ch.Get(u.ID); !there {
			return types.UndefinedType(u.Def().Name)
		}
	}
	return nil
}

// newType gives a type of a new name its OIDs, and the name of its arrays.
func newType(ch *change.Change, name catalog.Name) (*catalog.Type, error) {
	schema, err := ch.CreationSchema(name)
	if err != nil {
		return nil, err
	}
	if ch.TypeNameTaken(schema, name.Name) {
		return nil, catalog.DuplicateType(name)
	}
	t := &catalog.Type{Schema: schema, Name: name.Name, ArrayName: ch.ArrayName(schema, name.Name)}
	if t.ID, err = ch.NewID(); err != nil {
		return nil, err
	}
	t.ArrayID, err = ch.NewID()
	return t, err
}

// addDomainCheck adds a constraint to a domain that nobody else has yet.
func addDomainCheck(ch *change.Change, t *catalog.Type, def *catalog.DomainCheckDef) error {
	k := types.DomainCheck{Name: def.Name, Cond: string(def.Cond), NotValid: def.NotValid}
	taken := func(name string) bool { return checkOf(t, name) >= 0 }
	switch {
	case k.Name == "":
		made := catalog.MakeObjectName(t.Name, "", "check")
		k.Name = catalog.UniqueName(func(n int) string { return catalog.Numbered(made, n) }, taken)
	case taken(k.Name):
		return sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for domain "%s" already exists`, k.Name, t.Name)
	}
	if err := catalog.CheckIdentifier("constraint", k.Name, def.Pos); err != nil {
		return err
	}
	var err error
	if k.ID, err = ch.NewID(); err != nil {
		return err
	}
	t.Domain.Checks = append(t.Domain.Checks, k)
	return nil
}

// checkOf finds a constraint of a domain; -1 for none.
func checkOf(t *catalog.Type, name string) int {
	return slices.IndexFunc(t.Domain.Checks, func(k types.DomainCheck) bool { return k.Name == name })
}

// changeDomain changes a copy of a domain: 42809 for a type that is none.
func (ts Types) changeDomain(ctx context.Context, name catalog.Name, edit func(*change.Change, *catalog.Type) error) (catalog.Notices, error) {
	_, notices, err := ts.changeType(ctx, name, func(ch *change.Change, t *catalog.Type) error {
		if t.Domain == nil {
			return change.NotDomain(t)
		}
		cp := editable(t)
		err := edit(ch, cp)
		*t = *cp
		return err
	})
	return notices, err
}

// editable copies a domain, and what is changed of it.
func editable(old *catalog.Type) *catalog.Type {
	t := *old
	of := *t.Domain
	of.Checks, t.Domain = slices.Clone(of.Checks), &of
	return &t
}

// noDomain is NotDomain of what types have too, as PostgreSQL words it there.
func noDomain(t *catalog.Type) error {
	return sqlerr.New(sqlerr.WrongObjectType, "%s is not a domain", ident.Quote(t.Name))
}

func notEnum(t *catalog.Type) error {
	return sqlerr.New(sqlerr.WrongObjectType, "%s is not an enum", ident.Quote(t.Name))
}

// ConstrainDomain is ALTER DOMAIN … ADD CHECK: 23514 where a column of the domain has a value that
// violates it, unless it is NOT VALID.
func (ts Types) ConstrainDomain(ctx context.Context, name catalog.Name, def *catalog.DomainCheckDef, test DomainTest) error {
	if def.NotValid {
		_, err := ts.changeDomain(ctx, name, func(ch *change.Change, t *catalog.Type) error { return addDomainCheck(ch, t, def) })
		return err
	}
	return ts.constrain(ctx, name, test, func(ch *change.Change, t *catalog.Type) (string, error) {
		if err := addDomainCheck(ch, t, def); err != nil {
			return "", err
		}
		k := &t.Domain.Checks[len(t.Domain.Checks)-1]
		k.NotValid, k.Pending = true, true
		return k.Name, nil
	}, validated, func(t *catalog.Type, check string) {
		if i := checkOf(t, check); i >= 0 {
			t.Domain.Checks = slices.Delete(t.Domain.Checks, i, i+1)
		}
	})
}

// validated says of a CHECK that all values pass it.
func validated(t *catalog.Type, check string) {
	if i := checkOf(t, check); i >= 0 {
		t.Domain.Checks[i].NotValid, t.Domain.Checks[i].Pending = false, false
	}
}

// SetDomainNotNull is ALTER DOMAIN … SET and DROP NOT NULL: 23502 where a column of the domain has
// NULL.
func (ts Types) SetDomainNotNull(ctx context.Context, name catalog.Name, notNull bool, test DomainTest) error {
	if !notNull {
		_, err := ts.changeDomain(ctx, name, func(_ *change.Change, t *catalog.Type) error {
			if !t.Domain.NotNull {
				return change.ErrNothing
			}
			t.Domain.NotNull = false
			return nil
		})
		return err
	}
	return ts.constrain(ctx, name, test, func(_ *change.Change, t *catalog.Type) (string, error) {
		if t.Domain.NotNull {
			return "", change.ErrNothing
		}
		t.Domain.NotNullPending = true
		return "", nil
	}, func(t *catalog.Type, _ string) {
		t.Domain.NotNull, t.Domain.NotNullPending = true, false
	}, func(t *catalog.Type, _ string) {
		t.Domain.NotNullPending = false
	})
}

// SetDomainDefault is ALTER DOMAIN … SET DEFAULT; with none given, DROP DEFAULT.
func (ts Types) SetDomainDefault(ctx context.Context, name catalog.Name, def catalog.ColumnDefault) error {
	_, err := ts.changeDomain(ctx, name, func(_ *change.Change, t *catalog.Type) error {
		t.Domain.Default = string(def.Expr)
		return nil
	})
	return err
}

// DropDomainCheck is ALTER DOMAIN … DROP CONSTRAINT: 42704.
func (ts Types) DropDomainCheck(ctx context.Context, name catalog.Name, check string, ifExists bool) (catalog.Notices, error) {
	return ts.changeDomain(ctx, name, func(ch *change.Change, t *catalog.Type) error {
		i := checkOf(t, check)
		switch {
		case i >= 0:
			t.Domain.Checks = slices.Delete(t.Domain.Checks, i, i+1)
			return nil
		case ifExists:
			ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `constraint "%s" of domain "%s" does not exist, skipping`, check, t.Name))
			return change.ErrNothing
		}
		return noDomainCheck(t, check)
	})
}

// RenameDomainCheck is ALTER DOMAIN … RENAME CONSTRAINT.
func (ts Types) RenameDomainCheck(ctx context.Context, name catalog.Name, from, to string) error {
	if err := catalog.CheckIdentifier("constraint", to, name.Pos); err != nil {
		return err
	}
	_, err := ts.changeDomain(ctx, name, func(_ *change.Change, t *catalog.Type) error {
		i := checkOf(t, from)
		switch {
		case i < 0:
			return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for domain %s does not exist`, from, ident.Quote(t.Name))
		case checkOf(t, to) >= 0:
			return sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for domain %s already exists`, to, ident.Quote(t.Name))
		}
		t.Domain.Checks[i].Name = to
		return nil
	})
	return err
}

// ValidateDomainCheck is ALTER DOMAIN … VALIDATE CONSTRAINT: 23514 where a column of the domain has a
// value that violates it.
func (ts Types) ValidateDomainCheck(ctx context.Context, name catalog.Name, check string, test DomainTest) error {
	return ts.constrain(ctx, name, test, func(_ *change.Change, t *catalog.Type) (string, error) {
		i := checkOf(t, check)
		switch {
		case i < 0:
			return "", noDomainCheck(t, check)
		case !t.Domain.Checks[i].NotValid:
			return "", change.ErrNothing
		}
		return check, nil
	}, validated, func(*catalog.Type, string) {})
}

func noDomainCheck(t *catalog.Type, check string) error {
	return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" of domain "%s" does not exist`, check, t.Name)
}

// CommentOnDomainConstraint is COMMENT ON CONSTRAINT … ON DOMAIN.
func (ts Types) CommentOnDomainConstraint(ctx context.Context, domain catalog.Name, name, text string) error {
	_, err := ts.changeDomain(ctx, domain, func(_ *change.Change, t *catalog.Type) error {
		i := checkOf(t, name)
		if i < 0 {
			return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for domain %s does not exist`, name, ident.Quote(t.Name))
		}
		t.Domain.Checks[i].Comment = text
		return nil
	})
	return err
}
