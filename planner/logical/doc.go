// Package logical holds what a statement asks for, before anything is decided about
// how it is done: about sixteen operators, data only.
//
//	bind --> Statement{Root, Meta} --norm--> … --physical, lower--> plan.Plan
//
//	Project  (t.a, sum(u.b))
//	  └── GroupBy
//	        └── Join  (t.id = u.id)
//	              ├── Get t
//	              └── Select  (u.c > 1)
//	                    └── Get u
//
// Every column of every relation, and every computed one, has a number of its own in
// the statement, its ColumnID: an expr.Col's Index is that number until package lower
// turns it into a position. A column keeps its ID on its way up; whoever computes a new
// value gives it a new ID. A node that names a column which nothing below it gives is
// correlated: the column is free, and a Join with Apply somewhere above binds it.
//
// Trees are immutable: whoever changes one makes new nodes. The package decides
// nothing, knows no SQL text and no costs, and must never import the packages that make
// plans of it.
package logical
