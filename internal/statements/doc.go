// Package statements counts what statements do, by shape: the text with its constants taken
// out, for one user and database. internal/session tells it of each statement that has ended;
// pg_stat_statements, the metrics and the slow log read it.
//
//	SELECT * FROM t WHERE a = 1 AND b IN (2, 3)    two texts,
//	select * from t where a = 7 and b in (9)       one shape:
//	SELECT * FROM t WHERE a = $1 AND b IN ($2 /*, ... */)
//
// What it holds is bounded, by number and by bytes: where a new shape has no room, those with
// the fewest calls go. It must never hold a constant of a statement, and counting a statement
// whose shape is known allocates nothing.
package statements
