package expr

import (
	"slices"
	"strings"
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
