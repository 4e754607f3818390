package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// createDomain is CREATE DOMAIN.
func (r *Runner) createDomain(ctx context.Context, u *tree.CreateDomain) error {
	c := &u.Is
	if err := refuseOfDomain(c); err != nil {
		return err
	}
	def := &catalog.DomainDef{Name: r.catalogName(u.Name), NotNull: c.NotNull}
	var err error
	if def.Base, _, err = r.columnType(c.Type); err != nil {
		return err
	}
	if c.Default != nil {
		d, err := r.domainDefault(c.Default, u.Name.Name, def.Base)
		if err != nil {
			return err
		}
		def.Default = d.Expr
	}
	for i := range c.Checks {
		k, err := r.domainCheck(&c.Checks[i], def.Base)
		if err != nil {
			return err
		}
		def.Checks = append(def.Checks, *k)
	}
	return r.Catalog.CreateDomain(ctx, def)
}

// refuseOfDomain refuses what only a column can have.
func refuseOfDomain(c *tree.ColumnDef) error {
	not := func(what string) error {
		return sqlerr.New(sqlerr.SyntaxError, "%s constraints not possible for domains", what).At(c.Pos)
	}
	switch {
	case c.Unique:
		return not("unique")
	case c.PrimaryKey:
		return not("primary key")
	case c.References != nil:
		return not("foreign key")
	case c.Generated != nil || c.Identity != "":
		return sqlerr.New(sqlerr.SyntaxError, "specifying GENERATED is not possible for domains").At(c.Pos)
	case c.Null && c.NotNull:
		return sqlerr.New(sqlerr.SyntaxError, "conflicting NULL/NOT NULL constraints").At(c.Pos)
	case c.Collation.Name != "" && c.Collation.Name != "C" && c.Collation.Name != "POSIX" && c.Collation.Name != "default":
		return unsupportedAt(c.Pos, `Text compares by bytes, collation "C", which is key order.`, "collation %q is not supported", c.Collation.Name)
	}
	return nil
}

func (r *Runner) domainDefault(e *tree.SourceExpr, name string, base types.T) (catalog.ColumnDefault, error) {
	d, err := planner.BindDefault(r.Host.Planner(), e, name, base)
	if err == nil && (d.Sequence != 0 || len(d.Uses) > 0) {
		err = unsupportedAt(e.Pos, "Give the columns of the domain the default.", "a sequence in the default of a domain is not supported")
	}
	return d, err
}

func (r *Runner) domainCheck(k *tree.Check, base types.T) (*catalog.DomainCheckDef, error) {
	cond, err := planner.BindDomainCheck(r.Host.Planner(), k.Expr, base)
	return &catalog.DomainCheckDef{Name: k.Name, Cond: cond, NotValid: k.NotValid}, err
}

// alterDomain is ALTER DOMAIN of what only domains have.
func (r *Runner) alterDomain(ctx context.Context, u *tree.AlterDomain) (catalog.Notices, error) {
	name := r.catalogName(u.Name)
	switch {
	case u.SetDefault != nil, u.AddCheck != nil:
		base, err := r.baseOf(ctx, name)
		if err != nil {
			return nil, err
		}
		if u.SetDefault != nil {
			def, err := r.domainDefault(u.SetDefault, u.Name.Name, base)
			if err != nil {
				return nil, err
			}
			return nil, r.Catalog.SetDomainDefault(ctx, name, def)
		}
		k, err := r.domainCheck(u.AddCheck, base)
		if err != nil {
			return nil, err
		}
		return nil, r.Catalog.ConstrainDomain(ctx, name, k, r.domainTest)
	case u.DropDefault:
		return nil, r.Catalog.SetDomainDefault(ctx, name, catalog.ColumnDefault{})
	case u.SetNotNull || u.DropNotNull:
		return nil, r.Catalog.SetDomainNotNull(ctx, name, u.SetNotNull, r.domainTest)
	case u.Rename != nil:
		return nil, r.Catalog.RenameDomainCheck(ctx, name, u.Rename[0], u.Rename[1])
	case u.Validate != "":
		return nil, r.Catalog.ValidateDomainCheck(ctx, name, u.Validate, r.domainTest)
	}
	return r.Catalog.DropDomainCheck(ctx, name, u.Drop, u.IfExists)
}

// domainTest reads a column for values that violate a constraint of its domain.
func (r *Runner) domainTest(ctx context.Context, t *catalog.Table, column int, of *types.Domain, check *types.DomainCheck) (bool, error) {
	p, err := planner.PlanDomainViolations(r.Host.Planner(), t, column, of, check)
	if err != nil {
		return false, err
	}
	return r.Host.AnyRow(ctx, p)
}

// baseOf finds what a domain is over: 42704, 42809. It never changes.
func (r *Runner) baseOf(ctx context.Context, n catalog.Name) (base types.T, err error) {
	err = r.Host.Lookup(ctx, func() (uint64, error) {
		snap := r.Catalog.Seen()
		t, array := snap.TypeNamed(n)
		switch {
		case t == nil:
			return snap.Version(), types.UndefinedType(n.Written())
		case t.Domain == nil || array:
			return snap.Version(), sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a domain`, n.Name)
		}
		base = t.Domain.Base
		return snap.Version(), nil
	})
	return base, err
}

// addedToRows says what the rows that are there have in a column that is added to their table,
// by its DEFAULT or its domain.
func (r *Runner) addedToRows(def *catalog.ColumnDef, e *tree.SourceExpr) (err error) {
	if e == nil && def.Type.Domain() == nil {
		return nil
	}
	def.Missing, def.Settled, err = planner.SettledDefault(r.Host.Planner(), e, def.Name, def.Type)
	if f := sqlerr.As(err); f != nil && f.DataType != "" {
		def.Fault, err = f, nil
	}
	if _, has := def.Type.DefaultOf(); err == nil && def.Fault == nil && !def.Settled && e == nil && has {
		def.Fault = sqlerr.New(sqlerr.FeatureNotSupported, `cannot add column "%s" to a table that has rows: the default of its domain is another for each`, def.Name).
			WithHint("Add the column as %s, fill it with UPDATE, and give it the domain with ALTER COLUMN … TYPE.", def.Type.Plain())
	}
	return err
}
