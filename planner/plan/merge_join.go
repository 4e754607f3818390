package plan

// MergeJoin walks both sides in the order of the keys. Both come sorted by them:
// Keys[i] by Desc[i], NULLs last where ascending and first where descending. It keeps
// the left side's order. Kinds: all. No key is Unknown.
type MergeJoin struct {
	Join
	Desc []bool // one for each key
}
