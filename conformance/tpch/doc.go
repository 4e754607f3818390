// Package tpch makes a database of the shape of TPC-H and asks its 22 questions.
//
// The tables, their columns and the shares of rows that each question selects follow
// the specification (TPC Benchmark H, revision 3); names, words and the random draws are
// of this package, so figures are not comparable with published ones. The same scale and
// seed give the same rows on every machine. Keys are composite and salted as a user of
// saltsql would choose them: the lines of an order lie in the order's bucket.
package tpch
