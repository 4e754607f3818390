package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// OnConflict says what an Insert does with a row whose key exists.
type OnConflict uint8

const (
	ConflictError OnConflict = iota // 23505
	ConflictNothing
	ConflictUpdate
)

// Insert writes the rows of Input that do not exist. Input gives all of
// Table.Columns in order, cast to their types, defaults filled in, and what queries of DO
// UPDATE give.
type Insert struct {
	Table      *catalog.Table
	Input      Node
	OnConflict OnConflict
	// Arbiters are the unique indexes, the primary key among them, of which a row that
	// exists is a conflict; nil is all of them.
	Arbiters []*catalog.Index
	// Set and Where are DO UPDATE's, over the old row's Table.Columns followed
	// by Input's: the excluded row.
	Set   []SetColumn
	Where expr.Expr
	// Seen are columns of the old row, indexes into Table.Columns, by which Input has computed
	// queries of DO UPDATE: its last columns are these as they were, NULL where there was no row.
	// If one has changed: 40001, as of Again.
	Seen []int
	RowRules
	// Returning is over the written row's Table.Columns; empty returns no rows.
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
	// Refused is what the statement fails with before it writes anything: a row that is
	// not in the first batch has a constant NULL in its key. nil is none.
	Refused *sqlerr.Error
}

func (n *Insert) Inputs() []Node    { return []Node{n.Input} }
func (n *Insert) Columns() []Column { return n.Cols }

func (n *Insert) EachExpr(x *Exprs) {
	x.Set(&n.Set)
	x.One(&n.Where)
	x.rules(&n.RowRules)
	x.List(&n.Returning)
}

// Arbitrates says that a conflict may be with a row of another key.
func (n *Insert) Arbitrates() bool {
	return len(n.Arbiters) > 1 || len(n.Arbiters) == 1 && !n.Arbiters[0].Primary
}
