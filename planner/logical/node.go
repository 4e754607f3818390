package logical

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// Node is an operator.
type Node interface {
	// Inputs are the nodes below, left to right. Queries inside expressions are not
	// among them.
	Inputs() []Node
	// Out are the columns given, in order. A column may stand twice.
	Out() []ColumnID
	// EachExpr hands in the places of the node's own expressions.
	EachExpr(*plan.Exprs)
	copied() Node
}

// Get gives all columns of all rows of a table.
type Get struct {
	Table *catalog.Table
	Alias string
	Cols  []ColumnID // of Table.Columns, one by one
	// Key and Version, with WithKey, are the columns of the physical row key (bytea) and of
	// the newest cell's timestamp, which UPDATE, DELETE and row locks need.
	WithKey      bool
	Key, Version ColumnID
	ForUpdate    bool
	Sample       *plan.Sample
	Right        *plan.Privilege // what reading it asks for; nil where nothing asks for more
}

// Virtual gives all rows of a virtual relation.
type Virtual struct {
	Relation *catalog.Virtual
	Alias    string
	Cols     []ColumnID
}

// Values gives rows of expressions. One row without columns is a SELECT without FROM.
type Values struct {
	Rows [][]expr.Expr
	Cols []ColumnID
}

// Cells says how the cells of a map are read: see plan.Cells.
type Cells = plan.Cells

// FuncScan gives the rows of a set-returning function. Its arguments may be correlated.
type FuncScan struct {
	Name       string
	Args       []expr.Expr
	Set        *expr.SetFunc // as plan.TableFunc
	Cells      *Cells        // the same
	Ordinality bool
	Cols       []ColumnID
}

// External gives rows that come from outside: COPY FROM STDIN.
type External struct {
	Name string
	Cols []ColumnID
}

// Select passes the rows for which Cond is true.
type Select struct {
	Input Node
	Cond  expr.Expr
}

// Project computes Exprs; Cols are their IDs. A column that is passed on is an expr.Col
// and keeps its ID, unless it stands twice.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Cols  []ColumnID
}

// ProjectSet is Input's columns and set-returning functions beside them, as
// plan.ProjectSet.
type ProjectSet struct {
	Input Node
	Sets  []plan.SetCall
	Cols  []ColumnID // of Sets
}

// Join joins two inputs; see plan.JoinKind. On has two values: a pair for which it is not
// true is no candidate. Cond, only of Semi, Anti and Mark, has three, as plan.Match has it:
// Semi asks that it be true for a candidate, Anti that it be false for all.
type Join struct {
	Kind        plan.JoinKind
	Left, Right Node
	On, Cond    expr.Expr // nil is true
	Mark        ColumnID  // of a Mark: the column it adds
	// Apply: Right may name Left's columns, and is then to be run for each left row.
	Apply bool

	out *joinOut // once it was asked for
}

// GroupBy groups; as plan.Aggregate. DISTINCT is one without Aggs. Its columns are
// GroupCols, AggCols, GroupingCols. A group that is a plain column keeps its ID, unless
// there are Sets, which make it NULL in places.
type GroupBy struct {
	Input        Node
	Groups       []expr.Expr
	GroupCols    []ColumnID
	Aggs         []plan.AggCall
	AggCols      []ColumnID
	Sets         [][]int
	Groupings    [][]int
	GroupingCols []ColumnID
}

// Window computes calls over one window; its columns are the input's, then Cols.
type Window struct {
	Input     Node
	Partition []expr.Expr
	Order     []plan.SortKey
	Calls     []plan.WindowCall
	Cols      []ColumnID

	out *windowOut // once it was asked for
}

// Union is UNION ALL: column i of each part is Cols[i].
type Union struct {
	Parts []Node
	Cols  []ColumnID
}

// SetOp is INTERSECT or EXCEPT: column i of both sides is Cols[i].
type SetOp struct {
	Except, All bool
	Left, Right Node
	Cols        []ColumnID
}

// DistinctOn passes the first row, in the order of Keys, of those with equal Exprs. Keys
// begin with Exprs in some order; its rows come in the order of Keys.
type DistinctOn struct {
	Input    Node
	Exprs    []expr.Expr
	Keys     []plan.SortKey
	AnyOrder bool // nobody asks for the order, nor which row is the first
}

// Sort orders. An order holds up to the next node that is not a Limit, Project,
// ProjectSet or Select; where nothing above needs it, it is dropped.
type Sort struct {
	Input Node
	Keys  []plan.SortKey
}

// Limit passes Count rows after Offset; nil is all, and none skipped. With Ties, which is
// the order below, also rows equal to the last.
type Limit struct {
	Input         Node
	Count, Offset expr.Expr
	Ties          []plan.SortKey
}

// With is a WITH query that must be run once: one that is named more than once, said to be
// MATERIALIZED, volatile, or that writes. Others are put in the place of their names.
type With struct {
	ID          int
	Name        string
	Query, Body Node
	Writes      bool // Query is run to its end even if nobody reads it
}

// WithRef reads a With above it, or in the Step of a RecursiveUnion the round before.
// Column i of the query is Cols[i].
type WithRef struct {
	ID   int
	Name string
	Cols []ColumnID
}

// RecursiveUnion is WITH RECURSIVE; column i of Start and of Step is Cols[i].
type RecursiveUnion struct {
	ID          int
	Name        string
	All         bool
	Start, Step Node
	Cols        []ColumnID
}

// Lock locks rows. Plan is without its Input, and over the positions of Cols, which are the
// input's columns.
type Lock struct {
	Plan  *plan.Lock
	Input Node
	Cols  []ColumnID
}

// Write inserts, upserts, updates or deletes. Plan is a *plan.Insert, Upsert, Update or
// Delete without its Input, whose expressions are over the positions that its fields'
// comments name; the input's columns, in the order of Input.Out(), are those positions.
type Write struct {
	Plan  plan.Node
	Input Node
	Cols  []ColumnID // RETURNING's
}

// Marks says that the join adds a column.
func (n *Join) Marks() bool { return n.Kind == plan.Mark }
