// Package relational makes rows of rows: filters, projections, limits, sorts, aggregates,
// DISTINCT, set operations, WITH, and rows that come from no table.
//
//	op.Operator --> Filter, Project, Sort, Aggregate, … --> op.Operator
//	                              |
//	                    exec/spill: keys, sorters, files
//
// Build in exec makes its operators and gives them their inputs. It must never read a
// table: rows of the store come from exec/scan alone.
package relational
