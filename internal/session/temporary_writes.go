package session

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/planner/plan"
)

// changesTemporaryOnly says that the tables that a plan writes or locks are all temporary,
// which a read-only transaction may change.
func changesTemporaryOnly(p *plan.Plan) bool {
	changed, temporary := 0, 0
	eachChanged(p.Root, func(t *catalog.Table) {
		changed++
		if catalog.IsTemporary(t) {
			temporary++
		}
	})
	return changed > 0 && changed == temporary
}

// eachChanged visits the tables that a plan writes or locks.
func eachChanged(n plan.Node, visit func(*catalog.Table)) {
	switch n := n.(type) {
	case *plan.Insert:
		visit(n.Table)
	case *plan.Upsert:
		visit(n.Table)
	case *plan.Update:
		visit(n.Table)
	case *plan.Delete:
		visit(n.Table)
	case *plan.Lock:
		for i := range n.Tables {
			visit(n.Tables[i].Table)
		}
	}
	for _, in := range n.Inputs() {
		eachChanged(in, visit)
	}
}
