package ident

import "strings"

// Quote gives a name as PostgreSQL's quote_ident does: in double quotes unless it is
// one word in lower case that the grammar takes for a name everywhere.
func Quote(name string) string {
	if plain(name) {
		return name
	}
	return string(Append(nil, name))
}

// Append is Quote to the end of dst.
func Append[T string | []byte](dst []byte, name T) []byte {
	if plain(name) {
		return append(dst, name...)
	}
	dst = append(dst, '"')
	for i := range len(name) {
		if name[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, name[i])
	}
	return append(dst, '"')
}

// Literal gives a string constant, as it is read with standard_conforming_strings on.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func plain[T string | []byte](name T) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(name) > 0 && !Reserved(string(name))
}

// Reserved says that a word in lower case is a key word that cannot be a name
// everywhere: all but the unreserved ones of PostgreSQL 15.
func Reserved(word string) bool { return reserved[word] }

var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both
		case cast char character check coalesce collate collation column concurrently constraint create cross
		current_catalog current_date current_role current_schema current_time current_timestamp current_user
		dec decimal default deferrable desc distinct do else end except exists extract false fetch float for
		foreign freeze from full grant greatest group grouping having ilike in initially inner inout int integer
		intersect interval into is isnull join lateral leading least left like limit localtime localtimestamp
		national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer
		overlaps overlay placing position precision primary real references returning right row select
		session_user setof similar smallint some substring symmetric table tablesample then time timestamp to
		trailing treat trim true union unique user using values varchar variadic verbose when where window with
		xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize
		xmltable`) {
		m[w] = true
	}
	return m
}()
