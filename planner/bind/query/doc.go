// Package query binds queries and expressions: SELECT, VALUES, WITH and the set operations
// become a logical tree, and each name in them a column with an ID.
//
//	Binder        one statement, or a text that is stored
//	  |
//	scope.Level   one query: what may be named in it, what it has called; its parent is the
//	  |           query it stands in
//	scope.Place   the clause that is bound, and what it may hold
//
//	grouping, rowlock, traversal: what GROUP BY, FOR UPDATE, SEARCH make of a tree
//
// Package bind calls it for the queries of statements and for all expressions, viewtext
// for a query whose parts are to be printed: those are kept in a Capture on the way. A file
// is a clause or a kind of expression.
//
// It must never know a statement that writes: one in WITH is bound by a function that
// bind hands in.
package query
