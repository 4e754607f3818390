package expr

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// instead says what to do instead of calling a function that Postgres has and
// saltsql has not. A * stands for the rest of a name.
var instead = []struct{ name, hint string }{
	{"jsonb_path_*", "Use -> and #>> with a path, @>, or jsonb_each in FROM."},
	{"row_to_json", "Use json_build_object and name the columns."},
	{"json_populate_record*", "Use ->> and a cast for each column."},
	{"jsonb_populate_record*", "Use ->> and a cast for each column."},
	{"json_to_record*", "Use ->> and a cast for each column."},
	{"jsonb_to_record*", "Use ->> and a cast for each column."},
	{"to_tsvector", "There is no text search: use LIKE, ~ or starts_with."},
	{"to_tsquery", "There is no text search: use LIKE, ~ or starts_with."},
	{"plainto_tsquery", "There is no text search: use LIKE, ~ or starts_with."},
	{"txid_current", "Transactions have no numbers: use gen_random_uuid() or a sequence to tell them apart."},
	{"pg_current_xact_id", "Transactions have no numbers: use gen_random_uuid() or a sequence to tell them apart."},
	{"pg_notify", "Poll a table instead: stateless servers share no channel."},
	{"lo_*", "Keep the bytes in a bytea column, in parts of a few MB."},
	{"xml*", "Keep XML as text."},
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
