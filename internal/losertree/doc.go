// Package losertree merges sorted runs by their keys' bytes.
//
//	run 0  a d g
//	run 1  b e      --> Tree: a b c d e …, log2 k comparisons each
//	run 2  c f
//
// Merging scans and merging sorters call it. It holds no rows and must never copy a key.
package losertree
