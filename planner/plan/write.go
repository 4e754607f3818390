package plan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// WriteMode says what a write must know of the row before it; EXPLAIN shows it.
type WriteMode uint8

const (
	Blind       WriteMode = iota // no read
	CheckAbsent                  // one conditional write: the row must not exist
	Conditional                  // one conditional write: row there or not, two outcomes
	ReadFirst                    // read, compute, compare-and-set; again if the row changed
)

func (m WriteMode) String() string {
	switch m {
	case CheckAbsent:
		return "check absent"
	case Conditional:
		return "conditional"
	case ReadFirst:
		return "read first"
	}
	return "blind"
}

// WritesHere says that a node writes.
func WritesHere(n Node) bool {
	switch n.(type) {
	case *Insert, *Upsert, *Update, *Delete:
		return true
	}
	return false
}

// Writes says that a node or one below it writes.
func Writes(n Node) bool { return WritesHere(n) || slices.ContainsFunc(n.Inputs(), Writes) }

// WrittenTable is the table that a node of WritesHere writes.
func WrittenTable(n Node) *catalog.Table {
	switch n := n.(type) {
	case *Insert:
		return n.Table
	case *Upsert:
		return n.Table
	case *Update:
		return n.Table
	case *Delete:
		return n.Table
	}
	return nil
}

// SetColumn assigns Value to column Column (an index into Table.Columns).
type SetColumn struct {
	Column int
	Value  expr.Expr
}

// RowRules is what holds for every row that is written, over Table.Columns: what the generated
// columns are computed by, where they are, and the CHECK constraints.
type RowRules struct {
	Generated []SetColumn
	Checks    []CheckExpr
}

// CheckExpr is a bound CHECK constraint over the row (Table.Columns).
type CheckExpr struct {
	Name string
	Cond expr.Expr
	// View says that it is the CHECK OPTION of the view of that name, which NULL violates too.
	View bool
}
