// Package vec holds columns of values: what the operators of exec exchange and
// what the kernels of expr work on.
//
//	Batch  N rows: one Vec per column and, after a filter, a selection
//	Vec    one column: a typed slice and a null bitmap
//
// A Vec's memory is reused from batch to batch: what it holds is valid until
// its producer is asked for the next batch. Byte values may point into a
// producer's arena; who keeps one longer copies it.
package vec
