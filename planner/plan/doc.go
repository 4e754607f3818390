// Package plan holds the plan nodes: data only, no I/O, no context, no locks.
// The planner makes them, exec runs them, EXPLAIN prints them.
//
//	Limit
//	  └── SaltMerge      one file per node; the same stem names its operator in exec
//	        └── Scan
//
// A node says what is done, completely: an operator finds nothing out that the
// printed plan does not show. It hands in its inputs and the places of its expressions
// (EachExpr); what joins have in common is a Join. Every other treatment of nodes is a type switch or a
// walk over Inputs: the planner's rewrite walk and its rules, exec.Build, and
// explain.Describe.
//
// A plan is independent of parameter values: spans are kept as conditions on
// key columns (KeyCond) and computed when the statement runs, so that one plan
// serves a prepared statement for ever, until a table it names changes.
package plan
