// Package colstats says how the values of a table's columns are spread: how many there
// are, which come often, and between which bounds the others lie.
//
//	rows of a sample
//	      |
//	   Builder            called by internal/stats
//	      |
//	    Table  ── Encode, Decode ──>  the catalog's table
//	      |
//	 Equal, Below, …      the planner: the part of rows that a condition lets through
//
// It holds what PostgreSQL's pg_statistic holds and chooses it as commands/analyze.c does,
// so that pg_stats can show it. It does no I/O and knows neither the planner nor how rows
// are stored. Nothing that it tells is exact.
package colstats
