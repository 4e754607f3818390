package plan

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// Apply runs its right side anew for each left row, with Params set to the row's
// values, and joins the row with what comes. Answers are kept by the values of Params
// where the right side is not Volatile. It keeps the left side's order. Kinds: Inner,
// Left, Semi, Anti, Mark, Single. It has no keys: all is in Filter and Cond.
type Apply struct {
	Kind        JoinKind
	Left, Right Node
	// Params are set before the right side is opened.
	Params []ApplyParam
	Match
	Volatile bool // the right side must be run for every row
	// Keeps, where not 0, is a number by which joins in the right side name the Apply: what
	// they keep of a side stays for all runs. It is of the plan.
	Keeps    int
	MarkName string
}

// ApplyParam gives a parameter, numbered above those of the statement, the value of
// an expression over the left side's columns. The right side has it as an expr.Param.
type ApplyParam struct {
	N     int // as expr.Param counts
	Value expr.Expr
}

var _ Node = (*Apply)(nil)

// Inputs gives the left side, then the right.
func (n *Apply) Inputs() []Node { return []Node{n.Left, n.Right} }

// Columns are the left side's, then what the kind adds.
func (n *Apply) Columns() []Column {
	return joinColumns(n.Kind, n.Left.Columns(), n.Right.Columns(), n.MarkName)
}
