// Package transact gives transactions over rows, tables and servers to a store that changes one row
// at a time: snapshot isolation, built of conditional writes of single rows.
//
//	session, exec, storage/txn      Transactions(): a storage.Store with AtomicBatch and Snapshots
//	        |
//	     transact      oracle · locks · records · reads at a moment · recovery
//	        |
//	     storage       CheckAndMutate, Increment, MultiGet, Scan of the store below
//
// Tables whose names end in Mark take part. A row of theirs has, beside its data, which any other
// reader finds where it always was:
//
//	data families         committed cells, all at their commit's timestamp c
//	_saltsql.lock:l       lock: whose, since when, until when; its timestamp is what it was pushed to
//	_saltsql.lock:w       what its transaction changes in the row
//	_saltsql.undo:v  @c   the row's version: it was committed at c
//	_saltsql.undo:u  @c   who did, and the row as it was before
//
// The table RecordTable has the transactions' records, and in row 00 the oracle's timestamp:
//
//	[16 random bytes]  s:s      committed at c, or aborted
//	                   c:m  @m  it may be committed after m only
//	                   c:k      the rows of it, once it is committed
//
// COMMIT locks all rows, each if it is as it was read; then takes c; then writes "committed at c"
// into the record, if nobody has pushed it to c or beyond, or aborted it. That is the commit. The
// rows are changed behind the answer, each if the lock is there still, and the record removed. One
// row needs no record: data, image and the lock's end are one conditional write.
//
// A read at R takes a row as it lies there if no commit after R has changed it, and else the image
// of the first that did. A lock is decided by its record: committed up to R, its changes count;
// undecided, it is pushed to R, so that its c will be later. Nobody waits for a lock but who wants to
// write the row. What a server that died has left is decided by whoever meets it, after Expiry.
//
// c is taken after the locks, always: else a reader between the two would miss the commit. A row is
// read again after its lock's record was not found: the record may be gone because all is done.
// So it is where the record says that it was aborted: that may be of somebody who came late, too.
// A change of a row is conditional on the lock, always: one that comes late would bring back what
// was deleted since. Anchors: Percolator (locks in rows, readers recover), Cherry Garcia (records).
//
// What it costs, in calls of the store below and in round trips until the answer:
//
//	COMMIT, one row     4 calls, 3 trips   lock; timestamp and the row; write
//	COMMIT, n rows      2n+3 calls and one for each table, 3 trips   locks; timestamp; record;
//	                    behind: the rows of each table, n writes, the record's end
//	BEGIN               1 call, shared with who else asks
//	read                as below; more for rows with locks (their records, and the rows again, for each
//	                    batch), and 1 for those of a batch that were committed later
//
// The rows are read for their images: whoever changes a row has read the columns that it needs, and
// an image has all. It takes no trip of its own before the answer.
//
// It must never trust a clock for safety: clocks date values and say when a lock has expired.
package transact
