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

func (n *Update) Inputs() []Node    { return []Node{n.Input} }
func (n *Update) Columns() []Column { return n.Cols }

func (n *Update) EachExpr(x *Exprs) {
	x.Set(&n.Set)
	x.One(&n.Cond)
	x.rules(&n.RowRules)
	x.List(&n.Returning)
}
