package plan

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
)

// TableFunc gives the rows of a set-returning function such as generate_series.
type TableFunc struct {
	Name       string
	Args       []expr.Expr
	Set        *expr.SetFunc // what gives the rows; nil: generate_series, or unnest of one array
	Cells      *Cells        // the rows are the cells of a map, which the one argument holds; nil: they are not
	Ordinality bool          // a last column, bigint, counts the rows from 1
	Cols       []Column
}

// Cells says how the cells of a map are read: see rowcodec.FamilyReader.
type Cells struct {
	Store   rowcodec.Column // of a value
	Family  string
	Phoenix bool // a value of no bytes is NULL
}

func (n *TableFunc) Inputs() []Node    { return nil }
func (n *TableFunc) Columns() []Column { return n.Cols }
func (n *TableFunc) EachExpr(x *Exprs) { x.List(&n.Args) }
