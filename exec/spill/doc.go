// Package spill keeps rows that do not fit: as bytes in memory that is booked, and in
// temporary files when there is no more of it.
//
//	Keys     values --> bytes that compare like them: sorting, grouping, DISTINCT
//	Sorter   rows with keys --> the rows in order        chunks, sorted runs, a merge
//	Spool    rows --> the same rows, later
//	RowSet   a row --> whether it came before
//	File     records, written once and then read
//
// Operators that must hold rows call it, in exec/relational and exec/write; it calls
// the statement's memory account and the file system. It must never leave a file behind.
package spill
