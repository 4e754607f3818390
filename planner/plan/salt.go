package plan

// SaltMerge runs its input, a Scan, once per salt bucket and merges the
// buckets by row key without the salt byte, so that a salted table reads in
// key order like an unsalted one.
type SaltMerge struct {
	Input *Scan
}

// SaltGather runs its input, a Scan, once per salt bucket and gives rows in no
// order. Serial reads one bucket after another until nobody asks for more.
type SaltGather struct {
	Input  *Scan
	Serial bool
}
