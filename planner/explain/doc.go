// Package explain prints plans: what EXPLAIN and EXPLAIN ANALYZE say of each node.
//
//	plan.Plan, plan.Actuals --> describeTree --> Lines: text in PostgreSQL's look
//	                              Describe        \--> JSON of the same (json.go)
//
// The session calls Lines; the planner's tests hold its words in golden files. A node has its
// description in the file of its kind: scan, salt (which buckets are read, and why not
// fewer), join, write, rows (what makes rows of nothing, or of several inputs), unary.
//
// It must never find out what the node does not say: an operator knows no more than it.
package explain
