package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// Lock locks the rows of Input, which are a table's whole rows with key and version, as
// SELECT … FOR UPDATE does: it gives each as it is once it is locked, or not at all.
// FOR SHARE and the strengths between lock as FOR UPDATE does.
type Lock struct {
	Table *catalog.Table
	Input Node
	// Cond and Again are as for Update: a row that has changed since it was read is given as
	// it is now where Cond still holds.
	Cond  expr.Expr
	Again *Again
	// Count and Offset are of the Limit above, beyond which nothing is locked; nil is no limit.
	Count, Offset expr.Expr
	NoWait        bool // a row that another transaction has locked is 55P03
	SkipLocked    bool // … is left out
}

var _ Node = (*Lock)(nil)

// Inputs gives the rows to lock.
func (n *Lock) Inputs() []Node { return []Node{n.Input} }

// Columns are the input's.
func (n *Lock) Columns() []Column { return n.Input.Columns() }
