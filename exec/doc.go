// Package exec runs plans: it turns each plan node into an operator that pulls
// batches of columns from its inputs, and reads and writes the store.
//
//	session -- Prepare(plan), Open, Next … Close --> Statement
//	                                                   |
//	  Limit <- Filter <- SaltMerge        operators: Build, one per node
//	                      | | | |
//	                     one scan per salt bucket --> rowcodec --> storage (perhaps txn's view)
//
// Build is the one switch over plan nodes; the operators live in rooms of their own,
// which know their inputs only as op.Operator:
//
//	exec             Build, Statement
//	exec/scan        reads tables: scans, merges, gathers, seeks
//	exec/relational  makes rows of rows: filters, sorts, aggregates, set operations, WITH
//	exec/join        combines the rows of two inputs
//	exec/window      computes window functions
//	exec/write       INSERT, UPSERT, UPDATE, DELETE
//	exec/spill       rows and keys as bytes; sorts and spools that go to files
//	exec/op          what all of these share
//
// The same stem names a node in planner/plan and its operator in a room. An
// operator finds nothing out that the plan does not say, but for sizes: pages,
// parallelism and spilling follow the data. It must never know about SQL text
// or the wire.
//
// Errors leave through Statement as *sqlerr.Error.
package exec
