// Package lower turns a logical tree into a plan: column IDs become positions, once, last.
// planner.Plan calls it after norm and physical; it calls package plan alone.
//
//	logical.Node --> rel{plan.Node, which column ID lies at which position}
//
//	Join  (a.id = b.id)         HashJoin  (col 0 = col 0)      rel.cols = [1 2 3 7 8]
//	  ├── Get a  [1 2 3]   -->    ├── Scan a
//	  └── Get b  [7 8]            └── Scan b
//
// It goes bottom-up, one step for each operator, and takes no decision of its own but for
// joins that package physical has said nothing of: those with an equality are hashed, the
// others compared pair by pair. Columns that a right side uses and that only the left side
// of an Apply above it gives become parameters.
//
// It must never change what a statement means, look at costs, or renumber the columns of a
// table: a statement of one table gets the tree that names its parts in their order.
package lower
