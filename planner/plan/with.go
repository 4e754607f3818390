package plan

// With runs Query at most once and keeps its rows, in memory or spilled, for the
// WithScans of Body that name its ID. Query is run as far as Body reads, or whole
// where Body never asks and Query writes.
type With struct {
	ID          int // of the statement
	Name        string
	Query, Body Node
}

func (n *With) Inputs() []Node    { return []Node{n.Query, n.Body} }
func (n *With) Columns() []Column { return n.Body.Columns() }
func (n *With) EachExpr(*Exprs)   {}

// WithScan reads the rows of a With above it, or those that the last round of a
// RecursiveUnion above it has made.
type WithScan struct {
	ID   int
	Name string
	Cols []Column
}

func (n *WithScan) Inputs() []Node    { return nil }
func (n *WithScan) Columns() []Column { return n.Cols }
func (n *WithScan) EachExpr(*Exprs)   {}

// RecursiveUnion gives the rows of Start, then runs Step again and again, whose
// WithScan of ID gives the rows of the round before, until a round gives none. Without
// All a row that has been given is not given again.
type RecursiveUnion struct {
	ID          int
	Name        string
	All         bool
	Start, Step Node
	Cols        []Column
	Keeps       int // as Apply's, for joins in Step
}

func (n *RecursiveUnion) Inputs() []Node    { return []Node{n.Start, n.Step} }
func (n *RecursiveUnion) Columns() []Column { return n.Cols }
func (n *RecursiveUnion) EachExpr(*Exprs)   {}
