// Package push copies all rows of one store to another, as they lie: keys, cells and
// timestamps. cmd/saltsql calls it; it knows the storage contract and nothing of SQL.
//
//	for each table, cut at its tablets, some at a time:
//	   a piece of rows      --->  the same rows    then one row in table saltsql_push: piece done
//	for each piece:         digest of both sides; where they differ it is emptied and copied anew
//	the last table          --->  all rows but the last one, then that one
//	saltsql_push is dropped
//
// So it may be killed at any moment and run again: pieces that are done are not copied
// again, and what the source has changed meanwhile is found by the digests. Writing a piece
// twice writes the same bytes. The last row is the one by which the target becomes whole:
// the root of the catalog. It must never write over a target that has it.
package push
