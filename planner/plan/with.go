package plan

// With runs Query at most once and keeps its rows, in memory or spilled, for the
// WithScans of Body that name its ID. Query is run as far as Body reads, or whole
// where Body never asks and Query writes.
type With struct {
	ID          int // of the statement
	Name        string
	Query, Body Node
}

var _ Node = (*With)(nil)

// Inputs gives the query, then the body.
func (n *With) Inputs() []Node { return []Node{n.Query, n.Body} }

// Columns are the body's.
func (n *With) Columns() []Column { return n.Body.Columns() }

// WithScan reads the rows of a With above it, or those that the last round of a
// RecursiveUnion above it has made.
type WithScan struct {
	ID   int
	Name string
	Cols []Column
}

var _ Node = (*WithScan)(nil)

// Inputs gives none.
func (n *WithScan) Inputs() []Node { return nil }

// Columns are those of the query read.
func (n *WithScan) Columns() []Column { return n.Cols }

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

var _ Node = (*RecursiveUnion)(nil)

// Inputs gives the start, then the step.
func (n *RecursiveUnion) Inputs() []Node { return []Node{n.Start, n.Step} }

// Columns have the names of the start.
func (n *RecursiveUnion) Columns() []Column { return n.Cols }
