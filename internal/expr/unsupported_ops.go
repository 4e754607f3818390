package expr

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/types"
)

// insteadOps says what to do instead of operators of PostgreSQL of which saltsql has none by
// that name.
var insteadOps = []struct{ hint, names string }{
	{"There is no text search: use LIKE, ~ or starts_with.", "@@@"},
	{"There are no geometric types and no ranges: compare the numbers, or the ends, by themselves.",
		"## ?# ?- ?| ?|| ?-| <-> -|- &< &> &<| |&> <<| |>> <^ >^ ~="},
	{"Keep network addresses as bytea, and compare them by their bits.", "<<= >>="},
	{"Text compares by bytes: use <, <=, > and >=.", "~<~ ~<=~ ~>~ ~>=~"},
	{"Compare rows by = and <.", "*= *<> *< *<= *> *>="},
}

// insteadPrefix is insteadOps of operators that stand before their operand.
var insteadPrefix = []struct{ hint, names string }{
	{"There is no text search: use LIKE, ~ or starts_with.", "!!"},
	{"There are no geometric types: compute with the numbers.", "# @-@ @@ ?- ?|"},
}

// insteadTypes is what to do instead of operators and functions that PostgreSQL has for a type
// too, of which saltsql has others by that name.
var insteadTypes = []struct {
	hint, names string
	of          types.Kind
}{
	{"Keep network addresses as text, or as bytea to compare them by their bits; inet is there to be shown only.", "& && + - << <<= >> >>= | ~", types.Inet},
	{"There is no log to have positions in: pg_lsn is there to be shown only.", "+ -", types.PgLSN},
	{"Ask has_table_privilege and its kin, or aclexplode.", "+ - = @>", types.ACLItem},
	{noNumbers, "age", types.XID},
	{"There is no text search: use LIKE, ~ or starts_with.", "@@", types.Text},
}

// unsupportedOf is what to do instead of an operator or function for arguments of these types;
// "" where PostgreSQL has none either.
func unsupportedOf(name string, args []Expr) (of types.T, hint string) {
	for _, f := range insteadTypes {
		if !slices.Contains(strings.Fields(f.names), name) {
			continue
		}
		is := func(a Expr) bool {
			t := a.Type().Bare()
			return t.Kind == f.of || t.Kind == types.Array && t.Elem == f.of
		}
		if i := slices.IndexFunc(args, is); i >= 0 && (f.of != types.Text || is(args[0])) { // jsonb @@ text is nobody's
			return args[i].Type(), f.hint
		}
	}
	return types.T{}, ""
}

// unsupportedOperator is what to do instead of an operator that PostgreSQL has and saltsql has
// not, for any operands; "" for others.
func unsupportedOperator(name string, operands int) string {
	table := insteadOps
	if operands == 1 {
		table = insteadPrefix
	}
	for _, f := range table {
		if !IsOperator(name, operands) && slices.Contains(strings.Fields(f.names), name) {
			return f.hint
		}
	}
	return ""
}
