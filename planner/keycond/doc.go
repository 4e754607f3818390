// Package keycond reads conditions over a scan's columns as conditions of its key.
//
//	a = 1 AND (b = 2 OR b > 5) AND v = 3   ->   [a = 1, b = 2] OR [a = 1, b > 5], not exact
//
// The rules of package planner that give a scan its spans call Reader.Read, and index paths
// ask it what a column's order is good for. What comes out is plan.KeyCond's stuff: keyspan
// makes spans of it when the statement runs. A file is a kind of condition: comparisons and
// casts (key_term), IN (key_list), rows (key_row), NULL (key_null), LIKE (key_like), parts of
// dates (key_calendar, key_time).
//
// conj tells what a conjunction binds, gaps which conditions are behind columns that are not
// bound, and Text prints a condition for EXPLAIN.
//
// It says too little rather than too much: a key that matches must never be left out. It
// must never look at values of parameters or at costs.
package keycond
