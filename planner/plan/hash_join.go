package plan

// HashJoin keeps one side in a hash table and looks each row of the other up. It has
// at least one key. The order of the probe side is kept where nothing spills; nobody
// may rely on it.
type HashJoin struct {
	Join
	// BuildLeft: the left side is the one kept; else the right.
	BuildLeft bool
	// KeptBy, where not 0, is the Keeps of a node above it that runs it again and again: the rows
	// of the side that is kept are the same each time, and are read once.
	KeptBy int
	// Reduce tells the probe side of the build side's values, before it is opened.
	Reduce []KeyReduction
}

// KeyReduction passes the distinct values of a key of the build side, NULLs left out, on
// to a Scan of the probe side, which has the same Param in its Reduced.
type KeyReduction struct {
	Key   int // of Match.Keys
	Param int // as expr.Param counts: an array of the key's type, or NULL where there are over Max
	Max   int
}
