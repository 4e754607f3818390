// Package txn gives a store transactions: writes that are buffered, seen by
// their own transaction, undone to a savepoint, and applied together.
//
//	session, exec
//	     |  Store() of a Txn, Auto() of the Manager: both are storage.Store
//	    txn      buffer (log of row changes) · row locks · clock
//	     |
//	  storage    Batch where the store is atomic over rows, else row by row
//
// Above it nothing knows whether a write is buffered: exec scans, gets and
// compares-and-sets the same way. What a transaction promises depends on the
// store:
//
//	Caps.AtomicBatch  A row written is locked until the end; a second writer waits and
//	                  then sees the new row. Commit is one atomic batch.
//	                  RepeatableRead reads one snapshot, and the first to
//	                  commit wins (ErrSerialization).
//	otherwise         No locks: other servers would not see them. A row whose
//	                  change depended on what was read is written at commit by
//	                  a conditional write with the same condition; rows are
//	                  written one by one in key order and CommitError says how
//	                  many were.
//
// A statement that writes more rows than fit into memory does so by a Load,
// where the store has a storage.Loader: its rows are locked and committed with
// the transaction, and kept by the store until then.
//
// Every writer of a store with AtomicBatch must go through one Manager, or
// its locks mean nothing.
package txn
