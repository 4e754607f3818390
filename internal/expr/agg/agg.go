// Package agg holds the accumulators of the aggregate functions: one state per
// group, updated from vectors.
//
//	exec: New -> Resize, Update per batch -> Merge of parts -> Final
//
// Parts that were aggregated apart (per salt bucket, per goroutine) are combined
// with Merge. A State is not safe for concurrent use.
package agg

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
)

// State holds one aggregate's values for all groups, which are numbered from 0.
type State interface {
	// Resize makes room for n groups; new ones are empty.
	Resize(n int)
	// Update adds the selected slots; groups, indexed by slot, names the group
	// of each and must be below Resize's n. args are the aggregate's evaluated
	// arguments: none for count(*).
	Update(groups []uint32, sel []uint16, args []*vec.Vec) error
	// Merge adds the groups of other, a State of the same aggregate: its group i
	// becomes part of groups[i]. other is not used again.
	Merge(other State, groups []uint32) error
	// Final puts the results of groups lo..hi-1 into out's slots 0..hi-lo-1.
	Final(lo, hi int, out *vec.Vec) error
	// Bytes is the memory held.
	Bytes() int64
}

// New makes the accumulator of a. Distinct is the caller's business, except
// that Distinct gives a State that drops repeated values itself.
func New(a *expr.Agg) (State, error) { return nil, nil }
