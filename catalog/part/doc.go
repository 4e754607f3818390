// Package part cuts tables into parts that many readers read side by side, and writes a part as a
// text that any server of the store turns back into its span of keys.
//
//	saltsql.parts(t, n)           Cut         the store's samples -> spans of keys -> tokens
//	saltsql.part(t) = 'token'     Condition   of one row, by its key columns
//	a scan of t                   Spans       tokens -> spans, which the scan's own are cut to
//
// internal/session calls Cut, the planner Condition and Spans. It calls catalog/rowcodec for the keys and
// storage for where rows lie. The parts of one call hold each row once, whatever is written meanwhile,
// since they are of keys and not of rows: no key is in none of them, and none in two. It must never take
// a token for what it is not: a damaged one is an error, as is one of a table that is stored otherwise now.
package part
