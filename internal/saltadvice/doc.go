// Package saltadvice tells what another salt or key would do to a table's load, and which is worth it:
// saltsql.what_if and saltsql.advice.
//
//	sampled keys  -- rowcodec, by the altered table -->  saltmodel: nodes and tablets
//	statements    -- planner, by the altered table  -->  buckets that a scan reads
//	       |                                                   |
//	    rules: what the load shows  -->  a layout  -->  its gain, and the DDL
//
// internal/session calls it, with what internal/heat and internal/statements have. It reads no store
// and has no clock: what it tells follows from what it is given. It must never change anything.
package saltadvice
