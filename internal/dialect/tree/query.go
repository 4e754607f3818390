package tree

// Query is *Select, *Values or *SetOp.
type Query interface {
	DML
	// Outer gives what may stand around any of the three.
	Outer() *Clauses
}

// Clauses are what may stand around any query.
type Clauses struct {
	With    *With
	OrderBy []OrderItem
	// Limit is nil for none; LIMIT ALL is the NULL constant. A plain integer, here
	// and in Offset, has no position.
	Limit    Expr
	Offset   Expr
	WithTies bool // FETCH FIRST n ROWS WITH TIES
	Locks    []Lock
}

// Select is one SELECT.
type Select struct {
	Clauses
	Distinct      bool
	DistinctOn    []Expr // DISTINCT ON (…); Distinct is false then
	Items         []Item // may be empty, as in Postgres
	From          []From // the comma list
	Where         Expr
	GroupBy       []GroupItem
	GroupDistinct bool // GROUP BY DISTINCT
	Having        Expr
	Windows       []NamedWindow
}

// Values is a VALUES list. Its columns are named column1, column2, …
type Values struct {
	Clauses
	Rows [][]Expr
}

// SetOpKind is UNION, INTERSECT or EXCEPT.
type SetOpKind uint8

// The set operations.
const (
	Union SetOpKind = iota + 1
	Intersect
	Except
)

// SetOp is a set operation of two queries.
type SetOp struct {
	Clauses
	Op          SetOpKind
	All         bool
	Left, Right Query
}

// Outer implements Query.
func (c *Clauses) Outer() *Clauses { return c }

func (*Select) isDML() {}
func (*Values) isDML() {}
func (*SetOp) isDML()  {}

// Item is one item of a select list or of RETURNING.
type Item struct {
	Pos // of * and t.*; else that of Expr
	// Expr is nil for * and t.*.
	Expr Expr
	// Name is the output column's name, the alias or the one Postgres gives
	// ("?column?" and so on). Empty for * and t.* and for (x).*.
	Name string
	// FromStar tells that Postgres names the column after the first column of
	// a scalar subquery in Expr that selects *; Name is then "?column?".
	FromStar bool
	// Star is true for * and [Schema.]Table.*.
	Star          bool
	Schema, Table string
}

// GroupItem is one item of GROUP BY.
type GroupItem struct {
	Kind GroupKind
	// Expr is set for GroupExpr. In a GROUPING SETS, CUBE or ROLLUP list a
	// parenthesised list is a Row.
	Expr Expr
	// Items are the members of the other kinds.
	Items []GroupItem
}

// GroupKind is the kind of a GROUP BY item.
type GroupKind uint8

// The kinds of GROUP BY items.
const (
	GroupExpr GroupKind = iota
	GroupEmpty
	GroupSets
	GroupCube
	GroupRollup
)

// LockStrength is the strength of a FOR UPDATE clause.
type LockStrength uint8

// The strengths.
const (
	ForKeyShare LockStrength = iota + 1
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

// String is how errors call a strength.
func (s LockStrength) String() string {
	return [...]string{ForKeyShare: "FOR KEY SHARE", ForShare: "FOR SHARE", ForNoKeyUpdate: "FOR NO KEY UPDATE", ForUpdate: "FOR UPDATE"}[s]
}

// Lock is one FOR UPDATE/SHARE clause.
type Lock struct {
	Pos
	Strength   LockStrength
	Of         []string // relation names; nil means all
	NoWait     bool
	SkipLocked bool
}
