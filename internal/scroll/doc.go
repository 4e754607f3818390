// Package scroll is FETCH and MOVE: which rows of a cursor they give, as PostgreSQL counts
// positions.
//
//	Cursor, Fetch      goes back, or outlives its transaction: DECLARE … SCROLL and WITH HOLD. The
//	                   rows of its query are kept as they are read, in memory or on disk
//	Once, FetchOnce    goes forward only: no row is kept but what is left of the last batch
//
// internal/session makes one for each cursor, and a fetch for each statement.
//
// It must not know what a portal or a transaction is: rows come from a Source.
package scroll
