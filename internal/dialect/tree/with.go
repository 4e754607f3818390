package tree

import "slices"

// With is a WITH clause.
type With struct {
	Recursive bool
	CTEs      []CTE
}

// Writes says that one of the queries writes. w may be nil.
func (w *With) Writes() bool {
	return w != nil && slices.ContainsFunc(w.CTEs, func(c CTE) bool { return c.Writes != nil })
}

// CTE is one common table expression.
type CTE struct {
	Pos
	Name    string
	Columns []string
	// Materialized is the written choice: 0 none, 1 MATERIALIZED, -1 NOT
	// MATERIALIZED.
	Materialized int
	Query        Query
	Search       *Search // nil is none
	Cycle        *Cycle  // nil is none
	// Writes, in the place of Query, is a data-modifying statement.
	Writes DML
}

// Search is SEARCH {DEPTH | BREADTH} FIRST BY By SET Set.
type Search struct {
	Pos
	Breadth bool
	By      []string
	Set     string
}

// Cycle is CYCLE Columns SET Mark [TO To DEFAULT Default] USING Path.
type Cycle struct {
	Pos
	Columns     []string
	Mark, Path  string
	To, Default Expr // constants; nil is true and false
}
