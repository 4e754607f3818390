package saltadvice

import (
	"fmt"

	"github.com/saltsql/saltsql/planner/advise"
)

// turned is the advice of a key whose columns behind those that scans bind have the other order, so
// that scans read it forward.
func (e *Evidence) turned(s scans) *Advice {
	from := 0
	for k, n := range s.turns {
		if n > s.turns[from] {
			from = k
		}
	}
	if from >= len(e.Table.PrimaryKey) {
		return nil
	}
	var desc []bool
	for pos, c := range e.Table.PrimaryKey {
		desc = append(desc, e.Table.Columns[c].Desc != (pos >= from))
	}
	return &Advice{
		Evidence: fmt.Sprintf("%.0f %% of the scans read %s backward, against the order of the key", 100*s.reverse/s.n, e.Table.Columns[e.Table.PrimaryKey[from]].Name),
		DDL:      advise.KeyDDL(e.Planner, e.Table, e.Table.PrimaryKey, desc), Copies: true,
	}
}
