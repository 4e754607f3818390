package catalog

import "math"

// Hypothetical indexes do not exist: a plan may be made as if they did, by which it is seen
// whether one is worth making. They are in no snapshot.
const (
	firstHypothetical = math.MaxUint32 - MaxHypothetical // above all OIDs
	// MaxHypothetical is how many a session has at most.
	//
	//saltsql:limit statements: hypothetical indexes of a session (54000)
	MaxHypothetical = 1<<7 - 1
)

// HypotheticalID is that of the n-th hypothetical index, from 0.
func HypotheticalID(n int) uint32 { return firstHypothetical + uint32(n) }

// Hypothetical says that an ID is a hypothetical index's.
func Hypothetical(id uint32) bool { return id >= firstHypothetical }

// Suppose gives the table as if it had these hypothetical indexes too. They are made of columns
// that it has.
func (t *Table) Suppose(indexes []Index) (*Table, error) {
	cp := t.Clone()
	cp.Indexes = append(append(make([]Index, 0, len(t.Indexes)+len(indexes)), t.Indexes...), indexes...)
	for i := range cp.Indexes[len(t.Indexes):] {
		ix := &cp.Indexes[len(t.Indexes)+i]
		ix.State, ix.Physical = IndexPublic, ix.Name
	}
	return cp, cp.Finish()
}
