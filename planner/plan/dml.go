package plan

import (
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

// OnConflict says what an Insert does with a row whose key exists.
type OnConflict uint8

const (
	ConflictError OnConflict = iota // 23505
	ConflictNothing
	ConflictUpdate
)

// SetColumn assigns Value to column Column (an index into Table.Columns).
type SetColumn struct {
	Column int
	Value  expr.Expr
}

// CheckExpr is a bound CHECK constraint over the row (Table.Columns).
type CheckExpr struct {
	Name string
	Cond expr.Expr
}

// Insert writes the rows of Input that do not exist. Input gives all of
// Table.Columns in order, cast to their types, defaults filled in.
type Insert struct {
	Table      *catalog.Table
	Input      Node
	OnConflict OnConflict
	// Set and Where are DO UPDATE's, over the old row's Table.Columns followed
	// by the excluded row's.
	Set    []SetColumn
	Where  expr.Expr
	Checks []CheckExpr // over Table.Columns
	// Returning is over the written row's Table.Columns; empty returns no rows.
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
}

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
	Checks            []CheckExpr
	Returning         []expr.Expr
	Cols              []Column
	Mode              WriteMode
}

// Update assigns Set to each row of Input.
type Update struct {
	Table *catalog.Table
	// Input is a Scan of all of Table.Columns with WithKey and WithVersion,
	// perhaps under Filter, gather, merge or Limit.
	Input Node
	Set   []SetColumn // over Input's columns
	// Cond is the statement's whole WHERE over Table.Columns: evaluated again
	// on the new row where the row changed between read and write. nil is true.
	Cond expr.Expr
	// MovesKey: Set assigns a key column: the row is deleted and written anew.
	MovesKey  bool
	Checks    []CheckExpr
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
}

// Delete removes each row of Input; Input and Cond are as for Update.
type Delete struct {
	Table     *catalog.Table
	Input     Node
	Cond      expr.Expr
	Returning []expr.Expr
	Cols      []Column
	Mode      WriteMode
}
