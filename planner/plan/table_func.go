package plan

import "github.com/saltsql/saltsql/internal/expr"

// TableFunc gives the rows of a set-returning function such as generate_series.
type TableFunc struct {
	Name       string
	Args       []expr.Expr
	Set        *expr.SetFunc // what gives the rows; nil: generate_series, or unnest of one array
	Ordinality bool          // a last column, bigint, counts the rows from 1
	Cols       []Column
}

var _ Node = (*TableFunc)(nil)

// Inputs gives none.
func (n *TableFunc) Inputs() []Node { return nil }

// Columns are the function's, then the ordinality.
func (n *TableFunc) Columns() []Column { return n.Cols }

// Describe shows the call.
func (n *TableFunc) Describe() Description {
	d := Description{Name: "Function Scan", Object: n.Name, Attrs: attrs("", n.Name+"("+exprList(n.Args)+")")}
	if n.Ordinality {
		d.Attrs = append(d.Attrs, Attr{Value: "with ordinality"})
	}
	return d
}
