// Package exec runs plans: it turns each plan node into an operator that pulls
// batches of columns from its inputs, and reads and writes the store.
//
//	session -- Prepare(plan), Open, Next … Close --> Statement
//	                                                   |
//	  Limit <- Filter <- SaltMerge        operators: Build, one per node
//	                      | | | |
//	                     one scan per salt bucket --> rowcodec --> storage (perhaps txn's view)
//
// The same stem names a node in planner/plan and its operator here. An
// operator finds nothing out that the plan does not say, but for sizes: pages,
// parallelism and spilling follow the data. It must never know about SQL text
// or the wire.
//
// Errors leave through Statement as *sqlerr.Error: errors.go is the one place
// that gives storage errors a SQLSTATE.
package exec
