// Package write makes and changes rows: the operators of Insert, Upsert, Update and
// Delete.
//
//	op.Operator --> dml: batches --> tableWriter: keys, mutations, conditions --> storage
//	                  |
//	              RETURNING, spooled until all is written
//
// dml.go says how a row is written without losing what others write. Build in exec makes
// its operators; it reads old rows through exec/scan. It must never answer that a row is
// written before it is, nor write one that breaks a constraint.
package write
