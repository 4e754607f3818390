// Package bound says where a value lies among the bytes that a column stores, and what lies
// between two such places.
//
//	a TINYINT in key order          … 02  03  04 …  7F |
//	a = 3                           Place at 03
//	a < 3.5                         Place just above 03, which no byte is
//	a < 1000                        Place beyond all
//	Cut                             before or after a place: Before(03), After(03), Begin, End
//	Interval                        what is between two cuts: 2 < a <= 3 is (After(02), After(03)]
//
// Package rowcodec makes spans of key conditions by it, and package decimal places numbers. It
// calls nothing.
//
// It must never lose a row: a bound that is not known exactly is loose, and errs on the wide side.
package bound
