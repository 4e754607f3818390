package physical

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
)

// Method is how a join is done.
type Method uint8

const (
	Default Method = iota // by hash where there is an equality, else pair by pair
	Hash
	Merge  // both sides come sorted by the keys
	Loop   // pair by pair
	Lookup // the right side, a table, is read by key for batches of left rows
)

// Choice says how one join is done.
type Choice struct {
	Method    Method
	BuildLeft bool // of Hash: the left side is kept
	Desc      []bool
	// Values, of Lookup, are over the left side, for the leading columns of the right
	// table's key, or of the key of Index, one of its indexes; Rest is what they do not
	// decide of the join's condition.
	Values []expr.Expr
	Rest   []expr.Expr
	Index  *catalog.Index
}

// Choices are those made for a tree's joins.
type Choices map[*logical.Join]Choice

// Table gives the table that n reads, under conditions or not; ok is false where it is
// something else.
func Table(n logical.Node) (get *logical.Get, conds []expr.Expr, ok bool) {
	n, conds = unfiltered(n)
	get, ok = n.(*logical.Get)
	return get, conds, ok
}

// unfiltered gives what n reads, and the conditions under which.
func unfiltered(n logical.Node) (logical.Node, []expr.Expr) {
	var conds []expr.Expr
	for {
		s, ok := n.(*logical.Select)
		if !ok {
			return n, conds
		}
		conds = append(conds, logical.Conjuncts(s.Cond)...)
		n = s.Input
	}
}
