// Package join combines the rows of two inputs: hash joins, merge joins, nested loops,
// lookups by key, and inputs that are run once for each row of another.
//
//	outer op.Operator --> candidates --> matcher: Filter, Cond --> rows in pairs
//	inner op.Operator --> kept rows | files | a table, by key
//
// matcher.go is what they share: which pairs are candidates is their own. An index's entries
// do without, since each has one row at most (index_lookup.go). Build in
// exec makes its operators; lookups read tables through exec/scan, and what does not fit
// into memory goes through exec/spill. It must never hold rows that are not booked.
package join
