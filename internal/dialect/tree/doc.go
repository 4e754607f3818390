// Package tree is the typed tree of a statement. dialect.Parse makes it; the
// planner and the session read it. It is all that they see of SQL text:
//
//	text --dialect--> Statement --+-- DML ------> planner
//	                              |    Select, Values, SetOp, Insert, Update, Delete
//	                              |      From   TableRef, Derived, FuncRef, Join
//	                              |      Expr   ColumnRef, Const, Op, Func, Cast, …
//	                              +-- Utility --> session
//	                                   CreateTable, Copy, Set, Begin, …
//
// Names follow Postgres's raw parse tree where it has one for the thing. Every
// construct has one form: a native operator and one spelled OPERATOR(pg_catalog.=)
// are both an Op, LIKE is the operator that it is in Postgres, EXTRACT the
// function. What was written beside meaning is in fields named Spelling.
//
// The tree is data: nothing in it is resolved, checked or computed, and a
// statement may be shared between goroutines because nobody changes it. It says
// all that the grammar takes, also what the planner refuses.
//
// Recursion over a tree is bounded: the front refuses nesting over 1,000 and
// chains of operators over 10,000 (54001). Chains of AND and OR are lists.
//
// It must never import anything but leaves: neither the grammar that made it nor
// a catalog that could give it a meaning.
package tree
