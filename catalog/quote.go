package catalog

import "strings"

// QuoteIdent writes an identifier as SQL text, with quotes where it needs
// them, as Postgres's quote_ident does.
func QuoteIdent(name string) string {
	plain := name != "" && !reservedWords[name]
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c == '_' || 'a' <= c && c <= 'z' || i > 0 && ('0' <= c && c <= '9')
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// quoteLiteral writes a string constant, as Postgres's quote_literal does.
func quoteLiteral(s string) string {
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}

// qualifiedName writes schema.name, or the name alone in public.
func qualifiedName(schema, name string) string {
	if schema == PublicSchema {
		return QuoteIdent(name)
	}
	return QuoteIdent(schema) + "." + QuoteIdent(name)
}

// reservedWords are Postgres's keywords that are not free to be any name
// (every class but "unreserved"), and those Phoenix's grammar would take for a
// clause at the start of a table element.
var reservedWords = wordSet(`
all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
boolean both case cast char character check coalesce collate collation column concurrently
constraint create cross current_catalog current_date current_role current_schema current_time
current_timestamp current_user dec decimal default deferrable desc distinct do else end except
exists extract false fetch float for foreign freeze from full grant greatest group grouping
having ilike in initially inner inout int integer intersect interval into is isnull join
json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar
json_serialize json_table json_value lateral leading least left like limit localtime
localtimestamp merge_action national natural nchar none normalize not notnull null nullif
numeric offset on only or order out outer overlaps overlay placing position precision primary
real references returning right row select session_user setof similar smallint some substring
symmetric system_user table tablesample then time timestamp to trailing treat trim true union
unique user using values varchar variadic verbose when where window with xmlattributes
xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize
xmltable`)

func wordSet(text string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}
