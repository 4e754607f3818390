package marker

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// Target is a column that is written: of INSERT's column list or of a SET.
type Target struct {
	// Family is the prefix of Phoenix's family.column (in Postgres, a prefix
	// would be the column and Name a field of it).
	Family string
	Name   string
	// Subscript is set when an element or field is assigned: SET a[1] = …;
	// it is the whole target as an expression.
	Subscript ast.ExprNode
	// Type is set for a Phoenix dynamic column: UPSERT INTO t (a, x VARCHAR).
	Type *typename.TypeName
	// Pos is set in INSERT's column list; elsewhere Node is, for
	// Statement.Pos.
	Pos  int
	Node ast.ExprNode
}

// Assign is one assignment of a SET list. With more than one target, or Multi,
// it is SET (a, b) = Expr: a Row call or a *ast.SubqueryExpr. Expr is a
// *ast.DefaultExpr for DEFAULT.
type Assign struct {
	Targets []Target
	Multi   bool
	Expr    ast.ExprNode
}

// InsertView is an INSERT or an UPSERT.
type InsertView struct {
	Upsert bool // Phoenix's UPSERT: overwrites
	With   *With
	Table  TableRef
	// Columns is nil when no list is written.
	Columns []Target
	// One of Rows, Query, DefaultValues is set. A *ast.DefaultExpr in a row
	// is DEFAULT.
	Rows          [][]ast.ExprNode
	Query         ast.ResultSetNode
	DefaultValues bool
	// Overriding is "", "system" or "user".
	Overriding string
	Conflict   *Conflict
	Returning  []Item
}

// Conflict is ON CONFLICT, or Phoenix's ON DUPLICATE KEY.
type Conflict struct {
	// DuplicateKey is true for Phoenix's spelling; it has no target.
	DuplicateKey bool
	// UpdateOnly is ON DUPLICATE KEY UPDATE_ONLY: no row is inserted.
	UpdateOnly bool
	// Targets are the index expressions of ON CONFLICT (…).
	Targets []ConflictTarget
	// TargetWhere is the index predicate.
	TargetWhere ast.ExprNode
	// Constraint is the name after ON CONSTRAINT.
	Constraint string
	// DoNothing: DO NOTHING or IGNORE. Otherwise Set is not empty.
	DoNothing bool
	Set       []Assign
	Where     ast.ExprNode
	Node      ast.ExprNode
}

// ConflictTarget is one element of ON CONFLICT (…).
type ConflictTarget struct {
	Expr      ast.ExprNode // a *ast.ColumnNameExpr for a column
	Collation string
	OpClass   string
}

// UpdateView is an UPDATE.
type UpdateView struct {
	With      *With
	Table     TableRef
	Set       []Assign
	From      []From
	Where     ast.ExprNode
	CurrentOf string // WHERE CURRENT OF cursor
	Returning []Item
}

// DeleteView is a DELETE. OrderBy and Limit are Phoenix's.
type DeleteView struct {
	With      *With
	Table     TableRef
	Using     []From
	Where     ast.ExprNode
	CurrentOf string
	OrderBy   []OrderItem
	Limit     ast.ExprNode
	Returning []Item
}
