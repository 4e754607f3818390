// Package rowlock finds which rows FOR UPDATE and its kin lock, and puts the node that locks them
// into a query's tree.
//
//	from -> Select -> Sort -> Limit           tables of FROM that each row has one row of
//	                       |
//	                     Lock                 rows are locked after they are sorted, before
//	                                          they are counted
//
// Package query calls it for a SELECT with a locking clause, whose FROM is bound: Add for each
// relation, CheckOuter and CheckCalls for what PostgreSQL refuses, Over for the node. It calls
// planner/logical alone.
//
// It must never change a node that it is given but by OverLimits: queries of WITH may stand in
// more places than one.
package rowlock
