package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Upsert overwrites the named columns of the rows of Input and leaves the
// others. Input gives the columns Named, in that order, cast to their types.
type Upsert struct {
	Table *catalog.Table
	Input Node
	Named []int // indexes into Table.Columns; all key columns are among them
	// Defaults are set where the row is new: columns that are not Named and have a DEFAULT.
	Defaults []SetColumn
	// Required columns are NOT NULL and neither Named nor defaulted: 23502 where the row is new.
	Required []int
	// OnDuplicate: UPDATE assigns Set over the old row's Table.Columns where
	// the row exists; IGNORE is OnDuplicateIgnore.
	Set               []SetColumn
	OnDuplicateIgnore bool
	RowRules
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
	Refused   *sqlerr.Error // see Insert
}

func (n *Upsert) Inputs() []Node    { return []Node{n.Input} }
func (n *Upsert) Columns() []Column { return n.Cols }

func (n *Upsert) EachExpr(x *Exprs) {
	x.Set(&n.Defaults)
	x.Set(&n.Set)
	x.rules(&n.RowRules)
	x.List(&n.Returning)
}
