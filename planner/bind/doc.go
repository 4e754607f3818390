// Package bind gives the names and expressions of a statement their meaning: a parsed
// statement becomes a logical tree, by the catalog's snapshot and nothing else.
//
//	tree.Statement --> bind.Statement --> logical.Statement
//	                     |
//	                     +-- INSERT, UPSERT, UPDATE, DELETE, MERGE, COPY: here
//	                     +-- queries, and every expression: bind/query
//	                     +-- the table that writing a view writes: bind/viewtarget
//	                     +-- a view's query, and its text: bind/viewtext
//
// planner.Plan calls it first, and DDL for the expressions that a table keeps: DEFAULT,
// CHECK, those of indexes. What it makes is right and says nothing of how: a full read of
// every table, joined, filtered, grouped, sorted and projected in the order of the text.
// Errors are worded as PostgreSQL words them and point into the user's text. They end the
// binding from any depth: see planner/fail.
//
// It must never look at costs, at what a rule can do, or at a value that is only known
// when the statement runs, and keeps nothing between calls.
package bind
