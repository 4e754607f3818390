package cursor

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// InDatabase notes the database of a name that begins at an offset, and gives the rest of it:
// 42601 where that has more than most parts. end is what stands behind the parts.
func (p *Cursor) InDatabase(at int32, most int, parts []string, end string) []string {
	of := strings.Join(parts, ".") + end
	if len(parts) > most+1 {
		p.Fail(sqlerr.New(sqlerr.SyntaxError, "improper qualified name (too many dotted names): %s", of).At(p.Pos(at)))
	}
	p.databases = append(p.databases, tree.Database{Name: parts[0], Of: of, Pos: p.Pos(at)})
	return parts[1:]
}

// TakeDatabases gives the databases that were noted since it was last asked.
func (p *Cursor) TakeDatabases() []tree.Database {
	l := p.databases
	p.databases = nil
	return l
}
