// Package feed hands batches of rows from one goroutine to a statement that takes them on another,
// as COPY FROM does: while the statement writes one batch, the client's next is read.
//
//	Give ── one batch at a time ──> Next, as the statement asks
//	                                  |
//	Close, or the context's end ──> io.EOF, or why ──> the statement ends ──> Err, At
//
// internal/session calls it. It must not know what the statement does, nor what rows are of: it
// knows by what line of the data they came.
package feed
