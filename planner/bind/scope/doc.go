// Package scope is what is known of a query while it is bound: what names mean at each of its
// clauses, and what its expressions have called so far.
//
//	Level            one query; its Parent is the query it stands in
//	  |
//	  +-- Scope      what may be named now: Relations, and Columns by an ID each
//	  +-- Aggs, Windows, Sets, Groupings
//	  |              calls, each once, as the column that stands for it in expressions
//	  |
//	Place            the clause that is bound, and what may stand there
//
// Package query makes levels as it goes down a statement's queries and looks names up here;
// package bind does so for the tables that are written. It calls nothing but planner/logical,
// for the columns' IDs.
//
// It must never bind an expression or read the catalog: it is given relations, and refuses
// what cannot be named or may not stand at a place.
package scope
