package pgcatalog

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// Domains that users made.

// pgTypeDomain gives a domain's row of pg_type.
func pgTypeDomain(q *Query, t *catalog.Type) error {
	if !q.isOID("oid", t.ID) || !q.IsText("typname", t.Name) {
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
		bin, def = text(fmt.Sprintf("{DEFAULT %d}", t.ID)), text(q.Snap.In(q.SearchPath()).DomainText(t.Domain.Default))
	}
	return q.Row(oid(t.ID), text(t.Name), oid(SchemaOID(q.Snap, t.Schema)), oid(t.Owner), num(f.len), yes(f.byVal), char('d'),
		char(category), yes(false), yes(true), char(f.delim), oid(0), oid(0), oid(0), oid(t.ArrayID),
		oid(domainIn), oid(output), oid(domainReceive), oid(send), oid(0), oid(0), oid(analyze), char(f.align),
		char(f.storage), yes(t.Domain.NotNull), oid(base.DeclaredOID()), num(mod), num(dims), oid(f.collation), bin, def, q.acl(t.Rights))
}

// EachDomain visits the domains of users.
func (q *Query) EachDomain(visit func(t *catalog.Type) error) error {
	for _, t := range q.Snap.Types() {
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
func domainConstraints(q *Query) error {
	if !q.isOID("conrelid", 0) {
		return nil
	}
	return q.EachDomain(func(t *catalog.Type) error {
		if !q.isOID("contypid", t.ID) {
			return nil
		}
		for i := range t.Domain.Checks {
			k := &t.Domain.Checks[i]
			if !q.isOID("oid", k.ID) || !q.IsText("conname", k.Name) {
				continue
			}
			err := q.Row(oid(k.ID), text(k.Name), oid(SchemaOID(q.Snap, t.Schema)), char('c'), yes(false), yes(false), yes(!k.NotValid),
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
