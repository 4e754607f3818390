package plan

import "github.com/saltsql/saltsql/internal/expr"

// LookupJoin reads, for batches of left rows, the rows of a table whose leading key
// columns equal Values: point reads where all key columns are bound, else spans in
// each bucket they may lie in. It keeps the left side's order. Kinds: Inner, Left,
// Semi, Anti, Single; Right is a scan that runs for no other purpose, with neither
// Key nor order.
type LookupJoin struct {
	Kind  JoinKind
	Left  Node
	Right *Scan
	// Index, where not "", names the index of Right.Table that Left scans: each of its
	// entries leads to one row. Same are the values that both have: an entry whose row
	// has others, by IS NOT DISTINCT FROM, is not that row's. Left is over the left side's
	// columns, Right over Right's.
	Index string
	Same  []JoinKey
	// Limit is how many rows the nodes above can need, as of a Scan that is Loose: so many
	// are looked up first. nil is not known.
	Limit expr.Expr
	// Values are over the left side's columns, of exactly the types of the first
	// len(Values) columns of Right.Table's primary key. A NULL matches nothing.
	Values []expr.Expr
	// Filter is over the left side's columns followed by Right's, beside Right.Filter,
	// which is over Right's alone. nil is true.
	Filter expr.Expr
}

func (n *LookupJoin) Inputs() []Node { return []Node{n.Left} }
func (n *LookupJoin) Columns() []Column {
	return joinColumns(n.Kind, n.Left.Columns(), n.Right.Columns(), "")
}

func (n *LookupJoin) EachExpr(x *Exprs) {
	x.List(&n.Values)
	x.One(&n.Filter)
	x.One(&n.Limit)
	for i := range places(x, &n.Same) {
		x.One(&n.Same[i].Left)
		x.One(&n.Same[i].Right)
	}
	if owned(x, &n.Right) {
		x.One(&n.Right.Filter)
	}
}

// FullKey says that each left row reads at most one row.
func (n *LookupJoin) FullKey() bool { return len(n.Values) == len(n.Right.Table.PrimaryKey) }
