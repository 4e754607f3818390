// Package tracing makes the spans of a statement that is sampled: one of the statement, in it one
// of its planning, one of each node of its plan, and in those of scans one of each salt bucket's
// calls to the store. internal/session tells it of a statement's beginning and end.
//
//	SELECT metrics                 the statement: rows, calls, bytes, SQLSTATE
//	  plan                         where it was planned for this run
//	  Salt Merge                   a node, from when it was opened, for as long as it worked
//	    Scan on metrics
//	      bucket 3                 what the store was asked for one bucket
//
// A statement that is not sampled costs its tracer's question alone. No span must say a
// constant of a statement.
package tracing
