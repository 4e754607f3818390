// Package scroll is the cursor that goes back, or outlives its transaction: the rows of a query
// are kept as they are read, in memory or on disk, and FETCH and MOVE give them in any direction,
// as PostgreSQL counts positions. internal/session makes one for DECLARE … SCROLL and WITH HOLD.
//
// It must not know what a portal or a transaction is: rows come from a Source.
package scroll
