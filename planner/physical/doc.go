// Package physical decides how what a logical tree asks for is done: in which order
// relations are joined, and by which kind of join. planner.Plan calls it after norm; package
// lower follows what it says.
//
//	logical tree --> logical tree with its joins in the order chosen, Choices for each
//
// It looks at costs and never changes which rows come. It must not know positions of
// columns in rows, nor read anything: what is known of the tables is told by an Access.
package physical
