package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CreateDomain is CREATE DOMAIN: 42710 for a name that a type or a relation has, or for a
// constraint's name twice.
func (c *Catalog) CreateDomain(ctx context.Context, def *catalog.DomainDef) error {
	if err := catalog.CheckIdentifier("type", def.Name.Name, def.Name.Pos); err != nil {
		return err
	}
	_, _, err := c.change(ctx, func(ch *change) error {
		t, err := ch.newType(def.Name)
		if err != nil {
			return err
		}
		t.Domain = &types.Domain{Base: def.Base, NotNull: def.NotNull, Default: string(def.Default)}
		if err := ch.namedThere(t); err != nil {
			return err
		}
		for i := range def.Checks {
			if err := ch.addDomainCheck(t, &def.Checks[i]); err != nil {
				return err
			}
		}
		ch.set(t, catalog.StatePublic)
		return nil
	})
	return err
}

// namedThere says that what a domain is over has not been dropped at the same time.
func (ch *change) namedThere(t *catalog.Type) error {
	for _, u := range []*types.User{t.Domain.Base.Domain(), t.Domain.Base.User()} {
		if u == nil {
			continue
		}
		if _, there := ch.get(u.ID); !there {
			return types.UndefinedType(u.Def().Name)
		}
	}
	return nil
}

// newType gives a type of a new name its OIDs, and the name of its arrays.
func (ch *change) newType(name catalog.Name) (*catalog.Type, error) {
	schema, err := ch.CreationSchema(name)
	if err != nil {
		return nil, err
	}
	if ch.typeNameTaken(schema, name.Name) {
		return nil, catalog.DuplicateType(name)
	}
	t := &catalog.Type{Schema: schema, Name: name.Name, ArrayName: ch.arrayName(schema, name.Name)}
	if t.ID, err = ch.newID(); err != nil {
		return nil, err
	}
	t.ArrayID, err = ch.newID()
	return t, err
}

// addDomainCheck adds a constraint to a domain that nobody else has yet.
func (ch *change) addDomainCheck(t *catalog.Type, def *catalog.DomainCheckDef) error {
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
	if k.ID, err = ch.newID(); err != nil {
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
func (c *Catalog) changeDomain(ctx context.Context, name catalog.Name, edit func(*change, *catalog.Type) error) (catalog.Notices, error) {
	_, notices, err := c.changeType(ctx, name, func(ch *change, t *catalog.Type) error {
		if t.Domain == nil {
			return notDomain(t)
		}
		of := *t.Domain
		of.Checks, t.Domain = slices.Clone(of.Checks), &of
		return edit(ch, t)
	})
	return notices, err
}

func notDomain(t *catalog.Type) error {
	return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a domain`, t.Name)
}

// noDomain is notDomain of what types have too, as PostgreSQL words it there.
func noDomain(t *catalog.Type) error {
	return sqlerr.New(sqlerr.WrongObjectType, "%s is not a domain", ident.Quote(t.Name))
}

func notEnum(t *catalog.Type) error {
	return sqlerr.New(sqlerr.WrongObjectType, "%s is not an enum", ident.Quote(t.Name))
}

// ConstrainDomain is ALTER DOMAIN … ADD CHECK, which of the tables with columns of the domain
// is not tested: 0A000 where there are some, unless it is NOT VALID.
func (c *Catalog) ConstrainDomain(ctx context.Context, name catalog.Name, def *catalog.DomainCheckDef) error {
	_, err := c.changeDomain(ctx, name, func(ch *change, t *catalog.Type) error {
		if !def.NotValid {
			if err := ch.unstored(t, "ADD CONSTRAINT", "Write ADD CONSTRAINT … NOT VALID, which holds for what is written from now on."); err != nil {
				return err
			}
		}
		return ch.addDomainCheck(t, def)
	})
	return err
}

// SetDomainNotNull is ALTER DOMAIN … SET and DROP NOT NULL.
func (c *Catalog) SetDomainNotNull(ctx context.Context, name catalog.Name, notNull bool) error {
	_, err := c.changeDomain(ctx, name, func(ch *change, t *catalog.Type) error {
		if t.Domain.NotNull == notNull {
			return errNoChange
		}
		t.Domain.NotNull = notNull
		if !notNull {
			return nil
		}
		return ch.unstored(t, "SET NOT NULL", "Write ADD CONSTRAINT … CHECK (VALUE IS NOT NULL) NOT VALID, or SET NOT NULL of the columns.")
	})
	return err
}

// unstored refuses what would have to test the values that tables have of a domain: writes of
// them go on meanwhile.
func (ch *change) unstored(t *catalog.Type, what, instead string) error {
	for _, o := range ch.Tables() {
		for i := range o.Columns {
			if c := &o.Columns[i]; c.Type.Over(t.ID) {
				return sqlerr.Unsupported("ALTER DOMAIN … "+what+` is not supported while column "`+c.Name+`" of table "`+o.Name+`" is of the domain`, instead)
			}
		}
	}
	return nil
}

// SetDomainDefault is ALTER DOMAIN … SET DEFAULT; with none given, DROP DEFAULT.
func (c *Catalog) SetDomainDefault(ctx context.Context, name catalog.Name, def catalog.ColumnDefault) error {
	_, err := c.changeDomain(ctx, name, func(_ *change, t *catalog.Type) error {
		t.Domain.Default = string(def.Expr)
		return nil
	})
	return err
}

// DropDomainCheck is ALTER DOMAIN … DROP CONSTRAINT: 42704.
func (c *Catalog) DropDomainCheck(ctx context.Context, name catalog.Name, check string, ifExists bool) (catalog.Notices, error) {
	return c.changeDomain(ctx, name, func(ch *change, t *catalog.Type) error {
		i := checkOf(t, check)
		switch {
		case i >= 0:
			t.Domain.Checks = slices.Delete(t.Domain.Checks, i, i+1)
			return nil
		case ifExists:
			ch.notices.Add(skipping(sqlerr.SuccessfulCompletion, `constraint "%s" of domain "%s" does not exist, skipping`, check, t.Name))
			return errNoChange
		}
		return noDomainCheck(t, check)
	})
}

// RenameDomainCheck is ALTER DOMAIN … RENAME CONSTRAINT.
func (c *Catalog) RenameDomainCheck(ctx context.Context, name catalog.Name, from, to string) error {
	if err := catalog.CheckIdentifier("constraint", to, name.Pos); err != nil {
		return err
	}
	_, err := c.changeDomain(ctx, name, func(_ *change, t *catalog.Type) error {
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

// ValidateDomainCheck is ALTER DOMAIN … VALIDATE CONSTRAINT.
func (c *Catalog) ValidateDomainCheck(ctx context.Context, name catalog.Name, check string) error {
	_, err := c.changeDomain(ctx, name, func(ch *change, t *catalog.Type) error {
		i := checkOf(t, check)
		switch {
		case i < 0:
			return noDomainCheck(t, check)
		case !t.Domain.Checks[i].NotValid:
			return errNoChange
		}
		t.Domain.Checks[i].NotValid = false
		return ch.unstored(t, "VALIDATE CONSTRAINT", "It holds for what is written; mend the rows of before by UPDATE.")
	})
	return err
}

func noDomainCheck(t *catalog.Type, check string) error {
	return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" of domain "%s" does not exist`, check, t.Name)
}
