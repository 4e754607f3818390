package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// Update assigns Set to each row of Input.
type Update struct {
	Table *catalog.Table
	// Input gives rows of the table, each once: all of Table.Columns, the row key and the
	// version, and where there is an Again, what else was computed.
	Input Node
	Set   []SetColumn // over Input's columns
	// Cond is the statement's WHERE, with an Again as much of it as has no queries, over
	// Input's columns: evaluated again on the new row where the row changed between
	// read and write. nil is true.
	Cond  expr.Expr
	Again *Again
	// MovesKey: Set assigns a key column: the row is deleted and written anew.
	MovesKey bool
	RowRules
	// Returning is over Input's columns, Table.Columns being those of the row written.
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
}

var _ Node = (*Update)(nil)

// Inputs gives the rows to change.
func (n *Update) Inputs() []Node { return []Node{n.Input} }

// Columns are RETURNING's.
func (n *Update) Columns() []Column { return n.Cols }
