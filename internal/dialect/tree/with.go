package tree

// With is a WITH clause.
type With struct {
	Recursive bool
	CTEs      []CTE
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
	// Writes, in the place of Query, is a data-modifying statement.
	Writes DML
}
