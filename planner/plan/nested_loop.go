package plan

// NestedLoop compares each left row with all right rows, which are kept, in memory or
// spilled. It has no keys: all is in Filter and Cond. It keeps the left
// side's order.
type NestedLoop struct {
	Join
	KeptBy int // as HashJoin's, of the right side
}
