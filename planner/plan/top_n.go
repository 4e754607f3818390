package plan

import "github.com/saltsql/saltsql/internal/expr"

// TopN gives the first Count rows after Offset in Keys' order, holding no more than
// Count+Offset rows. Its input may be a gather over a salted scan: then each bucket
// keeps its own top.
type TopN struct {
	Input         Node
	Keys          []SortKey
	Count, Offset expr.Expr
}

func (n *TopN) Inputs() []Node    { return []Node{n.Input} }
func (n *TopN) Columns() []Column { return n.Input.Columns() }

func (n *TopN) EachExpr(x *Exprs) {
	x.Keys(&n.Keys)
	x.One(&n.Count)
	x.One(&n.Offset)
}
