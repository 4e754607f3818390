package plan

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Window computes Calls, all over one partitioning and ordering. Its columns are
// the input's, then one for each call. Rows come in the order of Partition and Order.
type Window struct {
	Input     Node
	Partition []expr.Expr // over the input's columns
	Order     []SortKey
	Calls     []WindowCall
	// Sorted: the input comes in the order of Partition and Order; else the operator sorts.
	Sorted bool
	Cols   []Column
}

// WindowCall is one window function, or an aggregate over a window. One of Func and Agg is set.
type WindowCall struct {
	Func   *expr.WindowFunc
	Agg    *expr.Agg
	Args   []expr.Expr // over the input's columns
	Filter expr.Expr   // of an aggregate
	Frame  Frame
	T      types.T
	Text   string // for EXPLAIN
}

// FrameMode is the unit of a frame.
type FrameMode uint8

const (
	FrameRows FrameMode = iota
	FrameRange
	FrameGroups
)

// BoundKind is where a frame starts or ends.
type BoundKind uint8

const (
	UnboundedPreceding BoundKind = iota
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// Exclusion is what a frame leaves out.
type Exclusion uint8

const (
	ExcludeNoOthers Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Bound is one end of a frame. Offset is free of columns and evaluated once: NULL is 22004,
// less than 0 is 22013. For FrameRange with an offset there is one key in Order, and Shift,
// as expr.ResolveInRange makes it from that key and Offset, computes over the input's
// columns the value at which the frame ends for a row: key - offset or key + offset, by
// the order's direction.
type Bound struct {
	Kind   BoundKind
	Offset expr.Expr
	Shift  expr.Expr
}

// Frame is which rows of a partition a call sees for a row.
type Frame struct {
	Mode       FrameMode
	Start, End Bound
	Exclude    Exclusion
}

func (n *Window) Inputs() []Node    { return []Node{n.Input} }
func (n *Window) Columns() []Column { return n.Cols }

func (n *Window) EachExpr(x *Exprs) {
	x.List(&n.Partition)
	x.Keys(&n.Order)
	x.Windows(&n.Calls)
}
