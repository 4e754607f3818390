// Package stats knows about how many rows tables have and where they lie, by looking at
// their keys now and then.
//
// The session asks it for planning and tells it of writes; it reads the store by itself,
// in the background, and keeps a histogram for each table (internal/histogram). ANALYZE, and a
// look in the background after much writing, sample columns (internal/colstats), for all servers.
//
//	estimate.Estimator <── Estimates ── stale? ──> measurement ──> storage
//	                          ^                        |
//	session: rows written ────'        histogram <─────'
//
// It must never make a statement wait but EXPLAIN, nor read more of a table than the
// bounds in measure.go, nor keep what it knows of a table that is gone.
package stats
