package catalog

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// NamedType finds a type by its name as written, and how it is stored where the name alone
// says it, as Phoenix's do: 42704, 22023 for a bad modifier.
func NamedType(schema, name string, mods []int32, array bool) (types.T, rowcodec.Column, error) {
	if schema == "" {
		if t, store, ok, err := StorageTypeFromName(name, mods, array); ok || err != nil {
			return t, store, err
		}
		if name == "char" { // it was quoted: CHAR is bpchar of pg_catalog
			name = `"char"`
		}
	} else {
		name = schema + "." + name
	}
	t, err := types.FromName(name, mods, array)
	return t, rowcodec.Column{}, err
}

// PhoenixType is NamedType as Phoenix means it: FLOAT has 4 bytes, DATE keeps its time of
// day. bare says that the name stands without modifiers.
func PhoenixType(schema, name string, mods []int32, array, bare bool) (types.T, rowcodec.Column, error) {
	t, store, err := NamedType(schema, name, mods, array)
	if err != nil {
		return t, store, err
	}
	elem := t
	if t.Kind == types.Array {
		elem = t.ElemType()
	}
	stored := store.Type
	if stored == rowcodec.Array {
		stored = store.Elem
	}
	const precision = 3 // milliseconds
	switch {
	case elem.Kind == types.Float8 && bare:
		elem, stored = types.Of(types.Float4), rowcodec.Float
	case elem.Kind == types.Date:
		elem, stored = types.Of(types.Timestamp).WithTypmod(precision), rowcodec.Date
	case stored == rowcodec.UnsignedDate:
		elem = elem.WithTypmod(precision)
	case elem.Kind == types.Time && stored == rowcodec.Invalid:
		elem, stored = types.Of(types.Time).WithTypmod(precision), rowcodec.Time
	case stored == rowcodec.UnsignedTime:
		elem = elem.WithTypmod(precision)
	case elem.Kind == types.JSON || elem.Kind == types.JSONB:
		return t, store, sqlerr.Unsupported(fmt.Sprintf("%s in ATTACH TABLE is not supported", elem),
			"Phoenix keeps BSON there: attach the column as VARBINARY, and decode it in the program.")
	default:
		return t, store, nil
	}
	if t.Kind == types.Array {
		t = types.ArrayOf(elem)
		return t, rowcodec.Column{Type: rowcodec.Array, Elem: stored, Width: store.Width, SQL: t}, nil
	}
	return elem, rowcodec.Column{Type: stored, Width: store.Width, SQL: elem}, nil
}

// instead says what to use for the types of Postgres that are not here.
var instead = map[string]string{
	"bit": "Use bytea, or text of 0 and 1.", "varbit": "Use bytea, or text of 0 and 1.",
	"timetz": "Use timestamptz, or time with a column for the zone.", "money": "Use numeric(19, 2).", "xml": "Use text.",
	"macaddr": "Use text.", "cidr": "Use text.", "macaddr8": "Use text.", "pg_lsn": "Use bigint.",
	"tsvector": "Keep the words in a text[] column.", "tsquery": "Search for words with = ANY in a text[] column.",
	"point": "Use two columns of double precision.", "box": "Use four columns of double precision.", "circle": "Use three columns of double precision.",
	"line": "Use a jsonb column.", "lseg": "Use a jsonb column.", "path": "Use a jsonb column.", "polygon": "Use a jsonb column.",
	"int4range": "Use a column for each bound.", "int8range": "Use a column for each bound.", "numrange": "Use a column for each bound.",
	"tsrange": "Use a column for each bound.", "tstzrange": "Use a column for each bound.", "daterange": "Use a column for each bound.",
	"int4multirange": "Use a row for each range.", "int8multirange": "Use a row for each range.", "nummultirange": "Use a row for each range.",
	"tsmultirange": "Use a row for each range.", "tstzmultirange": "Use a row for each range.", "datemultirange": "Use a row for each range.",
	"refcursor": "Use text: a cursor goes by its name.", "xid8": "Use bigint.", "pg_snapshot": "Use text.", "txid_snapshot": "Use text.",
	"regconfig": "There is no text search: use text.", "regdictionary": "There is no text search: use text.", "gtsvector": "Keep the words in a text[] column.",
	"pg_brin_bloom_summary": "Only indexes of PostgreSQL keep it: use bytea.", "pg_brin_minmax_multi_summary": "Only indexes of PostgreSQL keep it: use bytea.",
	"citext": "Use text, and an index on lower(column).", "hstore": "Use jsonb.",
}

// AbsentType says what to do instead (0A000) where err is 42704 for the name of a type that
// Postgres has, or an extension that many use.
func AbsentType(schema, name string, err error) error {
	hint, ok := instead[strings.TrimPrefix(name, "_")] // an array's, as pg_type names it
	if !ok || schema != "" && schema != "pg_catalog" || sqlerr.CodeOf(err) != sqlerr.UndefinedObject {
		return err
	}
	return sqlerr.Unsupported("type "+name+" is not supported", hint)
}
