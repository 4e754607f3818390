// Package grouping puts the groups of a query over its rows: what stands above GROUP BY, having
// been bound over the rows below, is rewritten to the columns of the groups.
//
//	SELECT a + 1, count(*), b FROM t GROUP BY a
//	       |      |         |
//	       |      |         42803: b is no group, and none decides it
//	       |      a column already (scope.Aggs)
//	       the group's column, + 1
//
// Package query calls it once for each grouped SELECT. sets.go is the algebra of grouping sets.
//
// It must never bind a name: it sees expressions over columns, and what a scope.Level has
// collected.
package grouping
