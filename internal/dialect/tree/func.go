package tree

// Func is a call of a function, an aggregate or a window function. Syntax such
// as EXTRACT(f FROM x), SUBSTRING(a FROM b), TRIM, POSITION, OVERLAY, AT TIME
// ZONE, OVERLAPS, NORMALIZE and COLLATION FOR is a call of Postgres's function
// with Schema "pg_catalog", its arguments in the function's own order, and
// Spelling set.
type Func struct {
	Pos
	Schema, Name string
	Args         []Expr
	// ArgNames is nil, or holds the name of each argument ("" if positional).
	ArgNames []string
	Variadic bool // the last argument is marked VARIADIC
	Star     bool // f(*)
	Distinct bool // f(DISTINCT …)
	All      bool // f(ALL …), which is the default said aloud
	// Within says that OrderBy is that of WITHIN GROUP; otherwise it stands
	// inside the parentheses.
	Within  bool
	OrderBy []OrderItem
	Filter  Expr
	Over    *Window
	// Spelling is "extract", "at time zone" and so on. Meaning never depends
	// on it.
	Spelling string
}

// Keyword is a call that Postgres resolves by syntax, not by name: coalesce,
// greatest, least, nullif, grouping, current_date, current_time,
// current_timestamp, localtime, localtimestamp (with a precision if one is
// written), current_user, session_user, user, current_role, current_catalog,
// current_schema.
type Keyword struct {
	Pos
	Name string
	Args []Expr
}

// SequenceValue is Phoenix's NEXT VALUE FOR seq, NEXT n VALUES FOR seq and
// CURRENT VALUE FOR seq.
type SequenceValue struct {
	Pos
	Current  bool
	Sequence Name
	Count    Expr // n, else nil
}

func (*Func) isExpr()          {}
func (*Keyword) isExpr()       {}
func (*SequenceValue) isExpr() {}
