package plan

import "github.com/saltsql/saltsql/internal/expr"

// Filter drops rows for which Cond is not true.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

// Project computes Exprs over its input's columns.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Cols  []Column // names and types of Exprs
}

// Limit passes Count rows after skipping Offset; nil means all, and none
// skipped. Both are bigint, free of columns, and evaluated once: negative is 2201W/2201X,
// NULL is no limit.
type Limit struct {
	Input         Node
	Count, Offset expr.Expr
}

// Sort orders all its input, spilling to disk over the memory budget.
type Sort struct {
	Input Node
	Keys  []SortKey
}

// TopN gives the first Count rows after Offset in Keys' order, holding no more than
// Count+Offset rows. Its input may be a gather over a salted scan: then each bucket
// keeps its own top.
type TopN struct {
	Input         Node
	Keys          []SortKey
	Count, Offset expr.Expr
}

// Phase says which part of an aggregation a node does.
type Phase uint8

const (
	Complete Phase = iota
	Partial        // per bucket: gives states, not values
	Final          // combines the states of a Partial below
)

// Aggregate groups its input by Groups and computes Aggs for each group. With no
// Groups it gives exactly one row. Its columns are the groups, then the aggregates.
// A Partial lies under a SaltGather's scan: one instance per bucket, in
// parallel. DISTINCT is an Aggregate without Aggs.
type Aggregate struct {
	Input  Node
	Phase  Phase
	Groups []expr.Expr
	Aggs   []AggCall
	// Ordered: the input comes in the order of Groups, so that a group ends
	// where its values change and memory is one group.
	Ordered bool
	Cols    []Column
}

// AggCall is one aggregate of an Aggregate.
type AggCall struct {
	Agg      *expr.Agg
	Args     []expr.Expr // over the input's columns; empty for count(*)
	Distinct bool
	Filter   expr.Expr // FILTER (WHERE …)
	OrderBy  []SortKey // string_agg(x, ',' ORDER BY y)
	Text     string    // for EXPLAIN
}

// Values gives literal rows.
type Values struct {
	Rows [][]expr.Expr
	Cols []Column
}

// OneRow gives one row without columns: SELECT without FROM.
type OneRow struct{}

// TableFunc gives the rows of a set-returning function such as generate_series.
type TableFunc struct {
	Name       string
	Args       []expr.Expr
	Ordinality bool
	Cols       []Column
}

// Append gives the rows of its inputs, one after another: UNION ALL.
type Append struct {
	Parts []Node
	Cols  []Column
}
