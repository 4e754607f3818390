package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Node is one step of a plan.
type Node interface {
	// Inputs are the nodes below, left to right.
	Inputs() []Node
	// Columns describes the rows the node gives.
	Columns() []Column
	// EachExpr hands in the places of the node's own expressions.
	EachExpr(*Exprs)
}

// Column is one column of a node's rows.
type Column struct {
	Name string
	Type types.T
	// Table and ColumnID say which stored column it is, for RowDescription; 0 if computed.
	Table    uint32
	ColumnID int
}

// Plan is a planned statement.
type Plan struct {
	Root Node
	// Columns are the result's, empty for statements that return no rows.
	Columns []Column
	// ParamTypes are the types of $1, $2, …
	ParamTypes []types.T
	// Tables are the descriptors planned against: the plan is good as long as
	// these versions are current.
	Tables []*catalog.Table
	// Rights are what who runs it must be allowed. AsOthers says that some of them are
	// another role's.
	Rights   []*Privilege
	AsOthers bool
	// Tag is the command tag's word: "SELECT", "INSERT 0", "UPDATE", "DELETE".
	Tag string
	// Serial plans read salt buckets one after another.
	Serial bool
	// ChangesState: some of its expressions call functions that do: see expr.State.
	ChangesState bool
	// ReadOnly plans write nothing.
	ReadOnly bool
}

// Order is the direction a scan reads a key in.
type Order uint8

const (
	Unordered Order = iota // any order
	Forward                // row-key order
	Reverse                // row-key order backwards
)

// SortKey is one column of a sort. Values compare in Postgres order.
type SortKey struct {
	Expr       expr.Expr // over the input's columns
	Desc       bool
	NullsFirst bool
}
