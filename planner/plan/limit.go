package plan

import "github.com/saltsql/saltsql/internal/expr"

// Limit passes Count rows after skipping Offset; nil means all, and none
// skipped. Both are bigint, free of columns, and evaluated once: negative is 2201W/2201X,
// NULL is no limit.
type Limit struct {
	Input         Node
	Count, Offset expr.Expr
	// Ties, where not nil, is the order of the input: rows that equal the last one by it are
	// passed too (WITH TIES).
	Ties []SortKey
}

func (n *Limit) Inputs() []Node    { return []Node{n.Input} }
func (n *Limit) Columns() []Column { return n.Input.Columns() }

func (n *Limit) EachExpr(x *Exprs) {
	x.One(&n.Count)
	x.One(&n.Offset)
	x.Keys(&n.Ties)
}
