package expr

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// instead says what to do instead of calling a function that Postgres has and
// saltsql has not. A * stands for the rest of a name.
var instead = []struct{ name, hint string }{
	{"to_tsvector", "There is no text search: use LIKE, ~ or starts_with."},
	{"to_tsquery", "There is no text search: use LIKE, ~ or starts_with."},
	{"plainto_tsquery", "There is no text search: use LIKE, ~ or starts_with."},
	{"txid_current", "Transactions have no numbers: use gen_random_uuid() or a sequence to tell them apart."},
	{"pg_current_xact_id", "Transactions have no numbers: use gen_random_uuid() or a sequence to tell them apart."},
	{"lo_*", "Keep the bytes in a bytea column, in parts of a few MB."},
	{"xml*", "Keep XML as text."},
	// Phoenix's own.
	{"phoenix_row_timestamp", "Keep the time in a column: DEFAULT now()."},
	{"rowkey_bytes_string", "Name the key's columns."},
	{"row_size", "Use pg_column_size of the columns."},
	{"raw_row_size", "Use pg_column_size of the columns."},
	{"partition_id", "See saltsql.buckets for how rows are spread."},
	{"scan_start_key", "EXPLAIN shows the spans that are read."},
	{"scan_end_key", "EXPLAIN shows the spans that are read."},
	{"total_segments", "EXPLAIN shows the spans that are read."},
	{"collation_key", "Text compares by bytes: order by lower(x), or keep a column with the key to order by."},
	{"current_time", "Use localtime, or now()."},
	{"invert", "Write DESC for the column in the key, or ORDER BY … DESC."},
	{"json_value", "Use ->> with the field's name."},
	{"json_query", "Use -> with the field's name."},
	{"json_exists", "Use ? with the field's name, on jsonb."},
	{"json_modify", "Use jsonb_set."},
	{"bson_*", "Keep the document in a jsonb column, and use -> and ->>."},
	{"approx_count_distinct", "Use count(DISTINCT x), which is exact."},
	{"first_values", "Use (array_agg(x ORDER BY y))[1:n]."},
	{"last_values", "Use (array_agg(x ORDER BY y DESC))[1:n]."},
	{"array_elem", "Use (x)[n], which counts from 1 too."},
	{"subbinary", "Use substr, which takes bytea."},
	{"encode_binary", "Use encode(x, 'hex') or encode(x, 'base64')."},
	{"decode_binary", "Use decode(x, 'hex') or decode(x, 'base64')."},
}

// unsupportedFunction is the 0A000 of such a function; nil for any other name.
func unsupportedFunction(name string, pos int) error {
	for _, u := range instead {
		prefix, open := strings.CutSuffix(u.name, "*")
		if name == prefix || open && strings.HasPrefix(name, prefix) {
			return sqlerr.Unsupported("function "+name+" is not supported", u.hint).At(pos)
		}
	}
	return nil
}
