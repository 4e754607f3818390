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
//	                  What removes all rows of a table waits until nobody
//	                  holds rows of it, and writes wait for that (Manager.Alone).
//	                  RepeatableRead reads one snapshot, and the first to
//	                  commit wins (ErrSerialization).
//	otherwise         No locks: other servers would not see them. A row whose
//	                  change depended on what was read is written at commit by
//	                  a conditional write with the same condition; rows are
//	                  written one by one in key order and CommitError says how
//	                  many were.
//
// A statement that writes more rows than fit into memory does so by a Load,
// where the store has storage.Caps.Loads: its rows are locked and committed with
// the transaction, and kept by the store until then.
//
// Two servers over one store never give one timestamp (Clock), so that a
// compare-and-set by timestamp sees every write in between. That their clocks
// may differ does not order writes either: a part-row write deletes what its
// columns hold from its own timestamp on in the same atomic change
// (storage.Mutation.Latest), a whole-row one deletes the row, and a
// compare-and-set is above what it read. So the write that arrives last counts.
// What it costs is a mark of deletion beside each cell, until the service
// compacts them away. What is left: a write whose answer was lost is sent again
// without that, since others may have built on its first sending; where that had
// not arrived and this server's clock is behind, newer cells stay on top. And
// TTL and older versions go by the writer's clock.
//
// Every writer of a store with AtomicBatch must go through one Manager, or
// its locks mean nothing.
package txn
