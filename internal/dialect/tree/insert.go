package tree

// Insert is an INSERT or an UPSERT.
type Insert struct {
	Upsert bool // Phoenix's UPSERT: overwrites
	With   *With
	Table  TableRef
	// Columns is nil when no list is written.
	Columns []Target
	// One of Rows, Query, DefaultValues is set. A *Default in a row is DEFAULT.
	Rows          [][]Expr
	Query         Query
	DefaultValues bool
	// Overriding is "", "system" or "user".
	Overriding string
	Conflict   *Conflict
	Returning  []Item
}

// Conflict is ON CONFLICT, or Phoenix's ON DUPLICATE KEY.
type Conflict struct {
	Pos
	// DuplicateKey is true for Phoenix's spelling; it has no target.
	DuplicateKey bool
	// UpdateOnly is ON DUPLICATE KEY UPDATE_ONLY: no row is inserted.
	UpdateOnly bool
	// Targets are the index expressions of ON CONFLICT (…).
	Targets []ConflictTarget
	// TargetWhere is the index predicate.
	TargetWhere Expr
	// Constraint is the name after ON CONSTRAINT.
	Constraint string
	// DoNothing: DO NOTHING or IGNORE. Otherwise Set is not empty.
	DoNothing bool
	Set       []Assign
	Where     Expr
}

// ConflictTarget is one element of ON CONFLICT (…).
type ConflictTarget struct {
	Expr      Expr // a *ColumnRef for a column
	Collation string
	OpClass   string
}

func (*Insert) isDML() {}
