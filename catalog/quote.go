package catalog

import (
	"strings"

	"github.com/saltsql/saltsql/internal/ident"
)

// quoteLiteral writes a string constant, as Postgres's quote_literal does.
func quoteLiteral(s string) string {
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}

// QualifiedName writes schema.name, or the name alone in public.
func QualifiedName(schema, name string) string {
	if schema == PublicSchema {
		return ident.Quote(name)
	}
	return ident.Quote(schema) + "." + ident.Quote(name)
}
