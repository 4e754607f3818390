// Package agg holds the accumulators of the aggregate functions: one state per
// group, updated from vectors.
//
//	exec: New -> Resize, Update per batch -> Merge of parts -> Final
//
// Parts that were aggregated apart (per salt bucket, per goroutine) are combined
// with Merge. Integer and numeric sums are exact; float sums depend on the order
// of the values in their last digits, as in Postgres. A State is not safe for
// concurrent use.
package agg
