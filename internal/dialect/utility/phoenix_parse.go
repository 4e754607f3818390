package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// Statements of Phoenix that PostgreSQL's grammar has not: those that have a like here
// become it, the others are refused with what to do instead.

// phoenixStatements are told by their first words.
var phoenixStatements = []struct {
	words   []string
	instead string // "" is read by phoenix
}{
	{[]string{"update", "statistics"}, ""},
	{[]string{"use", "default"}, ""},
	{[]string{"open"}, ""},
	{[]string{"add", "jar"}, "There are no functions in Java: compute the value in the query or in the program."},
	{[]string{"add", "jars"}, "There are no functions in Java: compute the value in the query or in the program."},
	{[]string{"list", "jars"}, "There are no functions in Java: compute the value in the query or in the program."},
	{[]string{"delete", "jar"}, "There are no functions in Java: compute the value in the query or in the program."},
	{[]string{"create", "cdc"}, "Use the store's own change streams."},
	{[]string{"drop", "cdc"}, "Use the store's own change streams."},
	{[]string{"revoke", "on"}, "Name the privilege: REVOKE SELECT ON t FROM role."},
	{[]string{"trace"}, "EXPLAIN ANALYZE shows where a statement spends its time."},
	{[]string{"execute", "upgrade"}, "There is no system catalog of Phoenix to upgrade: saltsql upgrade raises the format of an embedded store."},
}

// phoenixStatement finds the statement that begins here; -1 for any other.
func (p reader) phoenixStatement() int {
	for i := range phoenixStatements {
		words, found := phoenixStatements[i].words, true
		for n, w := range words {
			found = found && p.WordAt(n, w)
		}
		if found && (len(words) > 1 || cursor.IsColID(p.Peek(1)) || p.Peek(1).Keyword != 0) {
			return i
		}
	}
	return -1
}

func (p reader) atPhoenix() bool {
	switch i := p.phoenixStatement(); {
	case i < 0:
		return false
	case p.WordAt(0, "update"): // a table may be called statistics
		return p.Peek(2).Keyword != lex.KSet && p.Peek(2).Keyword != lex.KAs
	}
	return true
}

// phoenix reads such a statement.
func (p reader) phoenix() tree.Utility {
	s := &phoenixStatements[p.phoenixStatement()]
	if s.instead != "" {
		p.Unsupported(p.Offset(), strings.ToUpper(strings.Join(s.words, " "))+" is not supported", s.instead)
	}
	p.At += len(s.words)
	switch s.words[0] {
	case "use":
		return &tree.Reset{Name: "search_path", Pos: p.Here()}
	case "open": // DECLARE has opened it: it is looked for, and stays where it is
		return &tree.Fetch{Move: true, Direction: tree.FetchRelative, Cursor: p.ColID()}
	}
	a := &tree.Analyze{Tables: []tree.Name{p.Qualified()}, Columns: [][]string{nil}}
	for _, w := range []string{"all", "index", "columns"} {
		if p.AcceptWord(w) {
			break
		}
	}
	if p.Accept(lex.KSet) {
		p.phoenixOptions() // how often a guidepost is set
	}
	return a
}
