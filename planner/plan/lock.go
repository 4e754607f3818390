package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// Lock locks rows of tables that Input reads, as SELECT … FOR UPDATE does: it gives each of
// its rows as it is once its parts are locked, or not at all.
// FOR SHARE and the strengths between lock as FOR UPDATE does.
type Lock struct {
	Input  Node
	Tables []LockTable
	// Cond, over the input's columns, is what can be asked again of a row of which a part has
	// changed since it was read: it is given with that part as it is now where Cond holds.
	Cond expr.Expr
	// Count and Offset are of the Limit above, beyond which nothing is locked; nil is no limit.
	Count, Offset expr.Expr
}

// LockTable is a table whose rows are locked. All its columns are in the input, side by side
// from At on, with the physical row key and the version behind them.
type LockTable struct {
	Table *catalog.Table
	At    int
	// Fixed, indexes into Table.Columns, are those that what is not computed again depends on.
	// If one has changed since the row was read the statement ends with 40001.
	Fixed      []int
	NoWait     bool // a row that another transaction has locked is 55P03
	SkipLocked bool // … is left out
}

func (n *Lock) Inputs() []Node    { return []Node{n.Input} }
func (n *Lock) Columns() []Column { return n.Input.Columns() }

func (n *Lock) EachExpr(x *Exprs) {
	x.One(&n.Cond)
	x.One(&n.Count)
	x.One(&n.Offset)
}
