package tree

// Update is an UPDATE.
type Update struct {
	With      *With
	Table     TableRef
	Set       []Assign
	From      []From
	Where     Expr
	CurrentOf string // WHERE CURRENT OF cursor
	Returning []Item
}

// Assign is one assignment of a SET list. With more than one target, or Multi,
// it is SET (a, b) = Expr: a *Row or a *Subquery. Expr is a *Default for
// DEFAULT.
type Assign struct {
	Targets []Target
	Multi   bool
	Expr    Expr
}

// Target is a column that is written: of INSERT's column list or of a SET.
type Target struct {
	Pos
	// Family is the prefix of Phoenix's family.column (in Postgres, a prefix
	// would be the column and Name a field of it).
	Family string
	Name   string
	// Subscript is set when an element or field is assigned: SET a[1] = …;
	// it is the whole target as an expression.
	Subscript Expr
	// Type is set for a Phoenix dynamic column: UPSERT INTO t (a, x VARCHAR). Quoted and
	// FamilyQuoted then say so of its names.
	Type                 *TypeName
	Quoted, FamilyQuoted bool
}

func (*Update) isDML() {}
