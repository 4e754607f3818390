package session

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/planner/plan"
)

// changesTemporaryOnly says that the tables that a plan writes or locks are all temporary,
// which a read-only transaction may change.
func changesTemporaryOnly(p *plan.Plan) bool {
	changed, temporary := 0, 0
	note := func(t *catalog.Table) {
		changed++
		if catalog.IsTemporary(t) {
			temporary++
		}
	}
	var look func(n plan.Node)
	look = func(n plan.Node) {
		switch n := n.(type) {
		case *plan.Insert:
			note(n.Table)
		case *plan.Upsert:
			note(n.Table)
		case *plan.Update:
			note(n.Table)
		case *plan.Delete:
			note(n.Table)
		case *plan.Lock:
			for i := range n.Tables {
				note(n.Tables[i].Table)
			}
		}
		for _, in := range n.Inputs() {
			look(in)
		}
	}
	look(p.Root)
	return changed > 0 && changed == temporary
}
