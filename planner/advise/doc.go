// Package advise says what a plan does because of a table's key or for want of an index, and what
// to write instead: EXPLAIN ADVISE.
//
//	plan --> advise, join     what the key makes dear: full scans, buckets, sorts, joins
//	     --> wishes           the conditions, orders and joins that an index could serve
//	           --> what_if    planner.Plan, as if the index were there
//	                 --> index    worth its name, where that plan costs much less
//
// A session calls For, and FullScans for the guard against reading tables whole. It stands above
// package planner, which it asks for plans, and compares them by planner/estimate.
//
// It must never change anything: what it advises is text.
package advise
