// Package rowstate is what a row is under the storage contract: its cells, what a
// mutation makes of them, which of them a request sees, and whether a condition holds.
//
//	storage/txn                          storage/mem
//	a store's row, with a transaction's  the rows it keeps
//	changes on top       \               /
//	                      rowstate.Row: Apply, Visible, Emit, Holds
//	                             |
//	                          storage
//
// Two others do the same and do not come here, with reason. storage/pebble reads, tests
// and rewrites rows as the packed bytes that they are stored in, and never makes cells of
// them. storagetest's model is what all of this is held against, so that it shares none
// of it.
//
// A Row does no I/O and is for one goroutine. It must never write into the bytes that its
// cells point to: they are a batch's, or the caller's.
package rowstate
