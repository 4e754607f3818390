package logical

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// ColumnID names a column of a statement. expr.Col.Index holds it.
type ColumnID = int

// Column is what is known of a column from where it was made.
type Column struct {
	Name string
	Type types.T
	// Relation is the name by which the statement calls the relation it is of; "" for
	// a computed one. EXPLAIN prints it where the statement has several relations.
	Relation string
	// Table and ColumnID say which stored column it is, for RowDescription; 0 if computed.
	Table    uint32
	NotNull  bool // as stored
	ColumnID int
}

// Meta is the columns of one statement. It grows while the statement is bound and
// normalized, and belongs to one goroutine.
type Meta struct {
	cols      []Column
	relations int
	withs     int
	queries   bool
	params    int // the highest number in use; those of joins come above the statement's
}

// NewMeta starts with the statement's own parameters, $1 to $numParams.
func NewMeta(numParams int) *Meta { return &Meta{params: numParams} }

// Reserve makes room for n more columns.
func (m *Meta) Reserve(n int) { m.cols = slices.Grow(m.cols, n) }

// Add gives a new column its ID.
func (m *Meta) Add(c Column) ColumnID {
	m.cols = append(m.cols, c)
	return len(m.cols) - 1
}

// Column gives what is known of a column. The pointer is good until the next Add.
func (m *Meta) Column(id ColumnID) *Column { return &m.cols[id] }

// Len is how many columns there are: IDs are below it.
func (m *Meta) Len() int { return len(m.cols) }

// Ref makes a reference to a column.
func (m *Meta) Ref(id ColumnID) *expr.Col {
	c := &m.cols[id]
	return &expr.Col{Index: id, T: c.Type, Name: c.Name}
}

// Refs makes a reference to each of ids.
func (m *Meta) Refs(ids []ColumnID) []expr.Expr {
	out := make([]expr.Expr, len(ids))
	for i, id := range ids {
		out[i] = m.Ref(id)
	}
	return out
}

// AddRelation counts a relation that the statement names, for Relations.
func (m *Meta) AddRelation() { m.relations++ }

// Relations is how many relations the statement names.
func (m *Meta) Relations() int { return m.relations }

// AddQuery notes that a query stands in an expression, for HasQueries.
func (m *Meta) AddQuery() { m.queries = true }

// HasQueries says that there may be a Subquery in an expression.
func (m *Meta) HasQueries() bool { return m.queries }

// NewWith gives the number of a With or a RecursiveUnion.
func (m *Meta) NewWith() int {
	m.withs++
	return m.withs
}

// NewParam gives the number of a parameter by which a join passes values on.
func (m *Meta) NewParam() int {
	m.params++
	return m.params
}

// Statement is a bound statement.
type Statement struct {
	Root Node
	Meta *Meta
	// Out are the result's columns and Names their names; empty for statements that
	// return no rows.
	Out   []ColumnID
	Names []string
	// Tables are the descriptors it was bound against.
	Tables []*catalog.Table
	// Rights and AsOthers are those of plan.Plan.
	Rights     []*plan.Privilege
	AsOthers   bool
	ParamTypes []types.T
	Tag        string // the command tag's word, as in plan.Plan
	ReadOnly   bool
}

// PlanColumn is a column as a plan describes it.
func (m *Meta) PlanColumn(id ColumnID) plan.Column {
	c := &m.cols[id]
	return plan.Column{Name: c.Name, Type: c.Type, Table: c.Table, ColumnID: c.ColumnID}
}
