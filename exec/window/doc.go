// Package window computes window functions over sorted rows.
//
//	op.Operator --> partitions --> peers, frames --> functions, aggregates --> op.Operator
//	                    |
//	           exec/spill: rows kept by number
//
// Build in exec makes its operator. It must never read a row that no frame still to come
// can hold, nor keep one.
package window
