// Package keyhash has the hashes by which rows are told to their buckets: Phoenix's, and those by which
// others salt keys.
//
//	phoenix31('ab') = 31·(31·1 + 'a') + 'b' = 4066      in 4 buckets: 2
//
// Package rowcodec hashes keys by it, and package keyform what a salt formula names. It calls nothing.
//
// It must never change: rows that were written lie where a hash said.
package keyhash
