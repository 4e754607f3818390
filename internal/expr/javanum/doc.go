// Package javanum writes and reads numbers by the patterns of Java's DecimalFormat, in its
// English locale, which Phoenix's TO_CHAR and TO_NUMBER take. Function kernels call it.
//
//	#,##0.00        1234.5   1,234.50
//	0.0;(0.0)       -1.25    (1.2)       ties go to the even digit
//	0.#%            0.125    12.5%
//
// testdata/numbers.txt is what Java 17 answered. It must never take a pattern for what it
// does not mean: exponents, currencies and per mille are 0A000.
package javanum
