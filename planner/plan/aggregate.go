package plan

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// Phase says which part of an aggregation a node does.
type Phase uint8

// The phases.
const (
	Complete Phase = iota
	Partial        // per bucket: gives states, not values
	Final          // combines the states of a Partial below
)

// Aggregate groups its input by Groups and computes Aggs for each group. With no
// Groups it gives exactly one row. Its columns are the groups, then the aggregates, then
// the groupings (integer).
// DISTINCT is an Aggregate without Aggs.
//
// A Partial's input is a SaltGather or a SaltMerge: one instance runs per bucket,
// in parallel, over that bucket's rows. A Final has the Groups and Aggs of the Partial
// that is its input, with the same meaning; with no Groups and no Aggs nothing is partial.
type Aggregate struct {
	Input  Node
	Phase  Phase
	Groups []expr.Expr
	// Sets, where not nil, are grouping sets, each a list of indexes into Groups: the rows
	// are grouped by each of them, and the groups that a set leaves out are NULL. Only of a Complete one.
	Sets [][]int
	// Groupings are GROUPING(…) calls, each a list of indexes into Groups. Only with Sets.
	Groupings [][]int
	Aggs      []AggCall
	// Ordered: rows of one group come one after another, so that a group ends
	// where its values change and memory is one group. The output keeps the input's order.
	Ordered bool
	Cols    []Column
}

// AggCall is one aggregate of an Aggregate.
type AggCall struct {
	Agg      *expr.Agg
	Args     []expr.Expr // over the input's columns; empty for count(*)
	Direct   int         // how many of the first Args are the same for all rows of a group
	Distinct bool
	Filter   expr.Expr // FILTER (WHERE …)
	OrderBy  []SortKey // string_agg(x, ',' ORDER BY y)
	Text     string    // for EXPLAIN
}

func (n *Aggregate) Inputs() []Node    { return []Node{n.Input} }
func (n *Aggregate) Columns() []Column { return n.Cols }

func (n *Aggregate) EachExpr(x *Exprs) {
	x.List(&n.Groups)
	x.Aggs(&n.Aggs)
}
