package plan

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// Apply runs its right side anew for each left row, with Params set to the row's
// values, and joins the row with what comes. Answers are kept by the values of Params
// where the right side is not Volatile. It keeps the left side's order. Kinds: Inner,
// Left, Semi, Anti, Mark, Single. It has no keys: all is in Filter and Cond.
type Apply struct {
	Join
	// Params are set before the right side is opened.
	Params   []ApplyParam
	Volatile bool // the right side must be run for every row
	// Keeps, where not 0, is a number by which joins in the right side name the Apply: what
	// they keep of a side stays for all runs. It is of the plan.
	Keeps int
}

// ApplyParam gives a parameter, numbered above those of the statement, the value of
// an expression over the left side's columns. The right side has it as an expr.Param.
type ApplyParam struct {
	N     int // as expr.Param counts
	Value expr.Expr
}

func (n *Apply) EachExpr(x *Exprs) {
	x.match(&n.Match)
	for i := range places(x, &n.Params) {
		x.One(&n.Params[i].Value)
	}
}
