package tree

// KeyCol is a column of a key or index.
type KeyCol struct {
	// Family is set where Phoenix's family.column is written.
	Family string
	Name   string      // "" when Expr is set
	Expr   *SourceExpr // an expression index's element
	Label  string      // what a column of Expr would be called; "" where it has no name
	Desc   bool
	// NullsFirst and NullsLast are the written choice; neither is the default.
	NullsFirst, NullsLast bool
	// RowTimestamp is Phoenix's ROW_TIMESTAMP mark of a key column.
	RowTimestamp bool
	Collation    Name
	OpClass      Name
	Pos          int
}

// Check is a CHECK constraint.
type Check struct {
	Name      string
	Expr      *SourceExpr
	NoInherit bool
	NotValid  bool
	Pos       int
}

// Deferral is the DEFERRABLE part of a constraint.
type Deferral struct {
	Deferrable, NotDeferrable, InitiallyDeferred, InitiallyImmediate bool
}

// ForeignKey is a REFERENCES clause.
type ForeignKey struct {
	Name            string
	Columns         []string // of the referencing table; nil in a column's own clause
	Table           Name
	RefColumns      []string
	Match           string // "", "full", "partial", "simple"
	OnDelete        string // "", "no action", "restrict", "cascade", "set null", "set default"
	OnUpdate        string
	OnDeleteColumns []string
	NotValid        bool
	NotEnforced     bool
	Deferral        Deferral
	Pos             int
}

// KeyConstraint is a table's PRIMARY KEY or UNIQUE constraint.
type KeyConstraint struct {
	Name             string
	Columns          []KeyCol
	Include          []KeyCol
	Options          []Option
	UsingIndex       string
	NullsNotDistinct bool
	Deferral         Deferral
	Pos              int
}

// Exclude is an EXCLUDE constraint; the engine has none, so only its name is
// kept for the refusal.
type Exclude struct {
	Name string
	Pos  int
}

// TableConstraint is exactly one constraint of a table.
type TableConstraint struct {
	Name       string
	Primary    *KeyConstraint
	Unique     *KeyConstraint
	Check      *Check
	ForeignKey *ForeignKey
	Exclude    *Exclude
}
