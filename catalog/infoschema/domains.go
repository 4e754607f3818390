package infoschema

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/types"
)

// The views of information_schema over domains of users.

func init() {
	pgcatalog.Source("information_schema.domain_constraints", infoDomainConstraints)
	pgcatalog.Source("information_schema.domain_udt_usage", infoDomainTypes)
	pgcatalog.Source("information_schema.column_domain_usage", infoColumnDomains)
}

// domainOf gives the domain that a column is of, as information_schema names it; "" for none.
func domainOf(q *pgcatalog.Query, a pgcatalog.Attribute) (schema, name string) {
	if d := a.Typ.Domain(); d != nil {
		return d.Def().Schema, d.Def().Name
	}
	for i := range pgcatalog.DomainFacts() {
		if d := &pgcatalog.DomainFacts()[i]; d.OID == a.Declared {
			return "information_schema", d.Name
		}
	}
	return "", ""
}

func infoUserDomains(q *pgcatalog.Query) error {
	return q.EachDomain(func(t *catalog.Type) error {
		if !q.IsText("domain_name", t.Name) || !mayUse(q, t) {
			return nil
		}
		row := map[string]types.Datum{"domain_catalog": text(q.Database()), "domain_schema": text(t.Schema), "domain_name": text(t.Name)}
		if t.Domain.Default != "" {
			row["domain_default"] = text(q.Snap.In(q.SearchPath()).DomainText(t.Domain.Default))
		}
		base := t.Domain.Base
		if typeInfo(q, row, pgcatalog.Attribute{Num: 1, Typ: base}); base.Domain() != nil {
			row["data_type"] = text("USER-DEFINED")
			row["udt_schema"], row["udt_name"] = text(base.Domain().Def().Schema), text(base.Domain().Def().Name)
			for _, facet := range []string{"character_maximum_length", "character_octet_length", "numeric_precision", "numeric_precision_radix", "numeric_scale", "datetime_precision", "interval_type"} {
				delete(row, facet)
			}
		} else if base.Kind == types.Array && base.User() == nil {
			row["data_type"] = text(base.Base().String())
		}
		return q.Named(row)
	})
}

func infoDomainConstraints(q *pgcatalog.Query) error {
	return q.EachDomain(func(t *catalog.Type) error {
		if !mayUse(q, t) {
			return nil
		}
		for i := range t.Domain.Checks {
			err := q.Row(text(q.Database()), text(t.Schema), text(t.Domain.Checks[i].Name), text(q.Database()), text(t.Schema), text(t.Name),
				yesNo(false), yesNo(false))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// infoDomainChecks gives the rows of check_constraints of domains.
func infoDomainChecks(q *pgcatalog.Query) error {
	return q.EachDomain(func(t *catalog.Type) error {
		for i := range t.Domain.Checks {
			k := &t.Domain.Checks[i]
			if !q.IsText("constraint_name", k.Name) || !q.Snap.HasPrivsOf(q.Role(), t.Owner) {
				continue
			}
			err := q.Row(text(q.Database()), text(t.Schema), text(k.Name), text("("+q.Snap.In(q.SearchPath()).DomainText(k.Cond)+")"))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoDomainTypes(q *pgcatalog.Query) error {
	return q.EachDomain(func(t *catalog.Type) error {
		if !ownsType(q, t.Domain.Base) {
			return nil
		}
		schema, name := pgcatalog.TypeSchema(t.Domain.Base)
		return q.Row(text(q.Database()), text(schema), text(name), text(q.Database()), text(t.Schema), text(t.Name))
	})
}

// infoColumnDomains gives the columns of the domains that the role owns: those of
// information_schema are the superuser's.
func infoColumnDomains(q *pgcatalog.Query) error {
	return q.Classes("", "table_name", func(c *pgcatalog.Class) error {
		for _, a := range c.Attributes() {
			schema, name := domainOf(q, a)
			owner := uint32(catalog.BootstrapRole)
			if t, _ := q.Snap.TypeNamed(catalog.Name{Schema: schema, Name: name}); t != nil {
				owner = t.Owner
			}
			if name == "" || c.Index != nil || !q.IsText("domain_name", name) || !q.Snap.HasPrivsOf(q.Role(), owner) {
				continue
			}
			err := q.Row(text(q.Database()), text(schema), text(name), text(q.Database()), text(c.Schema), text(c.Name), text(a.Name))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
