package pgcatalog

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// Domains that users made.

func init() {
	source("information_schema.domain_constraints", infoDomainConstraints)
	source("information_schema.domain_udt_usage", infoDomainTypes)
	source("information_schema.column_domain_usage", infoColumnDomains)
}

// pgTypeDomain gives a domain's row of pg_type.
func pgTypeDomain(q *query, t *catalog.Type) error {
	if !q.isOID("oid", t.ID) || !q.isText("typname", t.Name) {
		return nil
	}
	base := t.Domain.Base
	f, under := storageOf(base), base.Plain()
	category, output, send, analyze := f.category, f.output, f.send, f.analyze
	if under.Kind == types.Enum {
		category, output, send, analyze = 'E', enumOut, enumSend, 0
	}
	mod, dims := base.Typmod(), 0
	if base.Domain() != nil {
		mod = -1
	} else if base.Kind == types.Array {
		dims = 1
	}
	bin, def := null, null
	if t.Domain.Default != "" {
		bin, def = text(fmt.Sprintf("{DEFAULT %d}", t.ID)), text(q.snap.In(q.SearchPath()).DomainText(t.Domain.Default))
	}
	return q.row(oid(t.ID), text(t.Name), oid(schemaOID(q.snap, t.Schema)), oid(t.Owner), num(f.len), yes(f.byVal), char('d'),
		char(category), yes(false), yes(true), char(f.delim), oid(0), oid(0), oid(0), oid(t.ArrayID),
		oid(domainIn), oid(output), oid(domainReceive), oid(send), oid(0), oid(0), oid(analyze), char(f.align),
		char(f.storage), yes(t.Domain.NotNull), oid(base.DeclaredOID()), num(mod), num(dims), oid(f.collation), bin, def, q.acl(t.Rights))
}

// eachDomain visits the domains of users.
func (q *query) eachDomain(visit func(t *catalog.Type) error) error {
	for _, t := range q.snap.Types() {
		if t.Domain == nil {
			continue
		}
		if err := visit(t); err != nil {
			return err
		}
	}
	return nil
}

// domainConstraints gives the rows of pg_constraint of domains.
func domainConstraints(q *query) error {
	if !q.isOID("conrelid", 0) {
		return nil
	}
	return q.eachDomain(func(t *catalog.Type) error {
		if !q.isOID("contypid", t.ID) {
			return nil
		}
		for i := range t.Domain.Checks {
			k := &t.Domain.Checks[i]
			if !q.isOID("oid", k.ID) || !q.isText("conname", k.Name) {
				continue
			}
			err := q.row(oid(k.ID), text(k.Name), oid(schemaOID(q.snap, t.Schema)), char('c'), yes(false), yes(false), yes(!k.NotValid),
				oid(0), oid(t.ID), oid(0), oid(0), oid(0), char(' '), char(' '), char(' '), yes(true), num(0), yes(false),
				null, null, null, null, null, null, null, text(checkTree(t.ID, k.Name)))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// domainCheck finds a constraint of a type by its OID; nil for none.
func domainCheck(t *catalog.Type, id uint32) *types.DomainCheck {
	if t.Domain == nil {
		return nil
	}
	for i := range t.Domain.Checks {
		if t.Domain.Checks[i].ID == id {
			return &t.Domain.Checks[i]
		}
	}
	return nil
}

// domainTreeText prints the expression of a domain that a pg_node_tree names.
func domainTreeText(print catalog.Printer, t *catalog.Type, kind, what string) string {
	if kind == "DEFAULT" {
		return print.DomainText(t.Domain.Default)
	}
	for i := range t.Domain.Checks {
		if k := &t.Domain.Checks[i]; kind == "CHECK" && k.Name == what {
			return print.DomainText(k.Cond)
		}
	}
	return ""
}

// domainCheckDef is pg_get_constraintdef of a domain's constraint.
func domainCheckDef(print catalog.Printer, k *types.DomainCheck) string {
	def := "CHECK (" + print.DomainText(k.Cond) + ")"
	if k.NotValid {
		def += " NOT VALID"
	}
	return def
}

// domainOf gives the domain that a column is of, as information_schema names it; "" for none.
func (q *query) domainOf(a attribute) (schema, name string) {
	if d := a.typ.Domain(); d != nil {
		return d.Def().Schema, d.Def().Name
	}
	for i := range domainFacts() {
		if d := &domainFacts()[i]; d.oid == a.declared {
			return "information_schema", d.name
		}
	}
	return "", ""
}

func infoUserDomains(q *query) error {
	return q.eachDomain(func(t *catalog.Type) error {
		if !q.isText("domain_name", t.Name) {
			return nil
		}
		row := map[string]types.Datum{"domain_catalog": text(q.Database()), "domain_schema": text(t.Schema), "domain_name": text(t.Name)}
		if t.Domain.Default != "" {
			row["domain_default"] = text(q.snap.In(q.SearchPath()).DomainText(t.Domain.Default))
		}
		base := t.Domain.Base
		if q.typeInfo(row, attribute{num: 1, typ: base}); base.Domain() != nil {
			row["data_type"] = text("USER-DEFINED")
			row["udt_schema"], row["udt_name"] = text(base.Domain().Def().Schema), text(base.Domain().Def().Name)
			for _, facet := range []string{"character_maximum_length", "character_octet_length", "numeric_precision", "numeric_precision_radix", "numeric_scale", "datetime_precision", "interval_type"} {
				delete(row, facet)
			}
		} else if base.Kind == types.Array && base.User() == nil {
			row["data_type"] = text(base.Base().String())
		}
		return q.named(row)
	})
}

func infoDomainConstraints(q *query) error {
	return q.eachDomain(func(t *catalog.Type) error {
		if !q.snap.HasPrivsOf(q.Role(), t.Owner) {
			return nil
		}
		for i := range t.Domain.Checks {
			err := q.row(text(q.Database()), text(t.Schema), text(t.Domain.Checks[i].Name), text(q.Database()), text(t.Schema), text(t.Name),
				yesNo(false), yesNo(false))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// infoDomainChecks gives the rows of check_constraints of domains.
func infoDomainChecks(q *query) error {
	return q.eachDomain(func(t *catalog.Type) error {
		for i := range t.Domain.Checks {
			k := &t.Domain.Checks[i]
			if !q.isText("constraint_name", k.Name) || !q.snap.HasPrivsOf(q.Role(), t.Owner) {
				continue
			}
			err := q.row(text(q.Database()), text(t.Schema), text(k.Name), text("("+q.snap.In(q.SearchPath()).DomainText(k.Cond)+")"))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoDomainTypes(q *query) error {
	return q.eachDomain(func(t *catalog.Type) error {
		schema, name := typeSchema(t.Domain.Base)
		return q.row(text(q.Database()), text(schema), text(name), text(q.Database()), text(t.Schema), text(t.Name))
	})
}

// infoColumnDomains gives the columns of the domains that the role owns: those of
// information_schema are the superuser's.
func infoColumnDomains(q *query) error {
	return q.classes("", "table_name", func(c *class) error {
		for _, a := range c.attributes() {
			schema, name := q.domainOf(a)
			owner := uint32(superuserOID)
			if t, _ := q.snap.TypeNamed(catalog.Name{Schema: schema, Name: name}); t != nil {
				owner = t.Owner
			}
			if name == "" || c.index != nil || !q.isText("domain_name", name) || !q.snap.HasPrivsOf(q.Role(), owner) {
				continue
			}
			err := q.row(text(q.Database()), text(schema), text(name), text(q.Database()), text(c.schema), text(c.name), text(a.name))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
