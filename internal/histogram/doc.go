// Package histogram says about how many rows of a table lie in a span of its
// row keys, and how many values the first columns of the key have there.
//
//	storage.Sample, a few short scans      what is known of a table
//	               |
//	      Builder, Counter                 called by internal/stats
//	               |
//	           Histogram  -- Spread -->    rows, runs, distinct values: the planner
//
// It is an equi-depth histogram over the encoded keys, salt byte included, so
// that spans are looked up as they are read:
//
//	key      00 a…    00 k…    00 x…    01 c…    01 m…      ascending
//	rows     100      100      95       104      100        of the piece that begins there
//	runs     3        1        40       2        1          of rows that agree in the first column
//
// It does no I/O and imports neither the planner nor exec. Nothing it tells is
// exact, but for tables counted whole at the moment they were counted.
package histogram
