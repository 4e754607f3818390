// Package scan reads tables: the operators of Scan, SaltMerge and SaltGather.
//
//	plan.Scan --> keyspan: spans --> a source --> rowMaker: decode, filter --> batches
//	                                   |
//	     points   full keys, by MultiGet
//	     serial   all spans, one after another
//	     merge    buckets at a time, in key order, by a loser tree
//	     gather   buckets, or pieces of an unsalted table, in parallel, in no order
//
// Of any other node, merges and gathers run one operator per bucket (bucket_*.go).
//
// Build in exec makes its operators; exec/write reads old rows with its RowMaker, and
// exec/join looks rows up with its Core. It calls storage and rowcodec. It must never read more than the plan's spans, nor go on
// reading when its consumer has enough.
package scan
