package txn

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/saltsql/saltsql/storage"
)

// DefaultMaxBytes is how much a transaction may hold where Options do not say.
//
//saltsql:limit statements: bytes that a transaction writes (54000)
const DefaultMaxBytes = 256 << 20

// Isolation is how much a transaction sees of others.
type Isolation uint8

const (
	// ReadCommitted: a read sees what was committed before it, or before its
	// snapshot.
	ReadCommitted Isolation = iota
	// RepeatableRead: all reads see one snapshot, where the store has them.
	RepeatableRead
)

// Options are a transaction's. The zero value is READ COMMITTED.
type Options struct {
	Isolation   Isolation
	Snapshot    *Shared       // what RepeatableRead reads; nil is one of now
	MaxBytes    int64         // of buffered writes; 0 means DefaultMaxBytes
	LockTimeout time.Duration // 0 waits as long as the call's context allows
}

// Txn is one transaction. One goroutine at a time writes through it; any
// number read.
type Txn struct {
	m     *Manager
	opts  Options
	began int64 // µs
	buf   buffer
	view  viewStore
	snap  storage.Snapshot // RepeatableRead
	// shared is snap, where others may read it too.
	shared *Shared
	owner  owner
	first  struct { // what held and name start as
		held [4]string
		name [96]byte
	}
	held  []string // names of the locks held, in the order taken
	name  []byte   // scratch
	loads []*Load
	ended atomic.Bool
}

// Store is the store as the transaction sees it: with its own writes.
// Snapshot on it freezes both the store and the transaction's writes. It is
// for one transaction's life; Admin is the store's own and not transactional.
func (t *Txn) Store() storage.Store { return &t.view }

// SetLockTimeout changes Options.LockTimeout.
func (t *Txn) SetLockTimeout(d time.Duration) { t.opts.LockTimeout = d }

// Written says whether there is anything to commit.
func (t *Txn) Written() bool { return t.buf.seq() > 0 || t.loads != nil }

// Changes is the number of row changes buffered.
func (t *Txn) Changes() int { return t.buf.seq() }

// Bytes is about what the buffered writes take.
func (t *Txn) Bytes() int64 {
	t.buf.mu.RLock()
	defer t.buf.mu.RUnlock()
	return t.buf.bytes
}

// Mark is a point to roll back to.
type Mark struct {
	m      bufferMark
	held   int
	tables int
}

// Mark remembers the present state.
func (t *Txn) Mark() Mark { return Mark{t.buf.mark(), len(t.held), len(t.owner.tables)} }

// RollbackTo drops the writes made since mark. Locks are kept. No scanner
// opened since may be open.
func (t *Txn) RollbackTo(mark Mark) { t.buf.undo(mark.m) }

// Unlock gives up the locks taken since mark, for who has rolled back to it and wants
// none of the rows: others may then write them.
func (t *Txn) Unlock(mark Mark) {
	t.buf.untouch(mark.m)
	if mark.held < len(t.held) { // not where a Flush came between
		t.release(mark.held)
	}
	if mark.tables < len(t.owner.tables) {
		t.m.locks.leave(&t.owner, mark.tables)
	}
}

// release gives up the locks from the n-th on, the last taken first.
func (t *Txn) release(n int) {
	for i := len(t.held) - 1; i >= n; i-- {
		t.m.locks.release(&t.owner, bytesOf(t.held[i]))
	}
	t.held = t.held[:n]
}

// Rollback drops all writes. It is idempotent and does nothing after Commit.
func (t *Txn) Rollback() {
	if t.ended.CompareAndSwap(false, true) {
		t.finish()
	}
}

func (t *Txn) finish() {
	for _, l := range t.loads {
		l.end()
	}
	t.loads = nil
	t.release(0)
	t.m.locks.leave(&t.owner, 0)
	t.held = nil
	if t.shared != nil {
		t.shared.Release()
		t.snap, t.shared = nil, nil
	}
	if t.snap != nil {
		_ = t.snap.Close() // a snapshot that cannot be closed keeps old data, nothing else
		t.snap = nil
	}
	t.buf = buffer{}
}

// Commit applies the writes and ends the transaction, whatever it returns:
// atomically where the store can (all or nothing, but for an ambiguous answer), else row by row
// with a *CommitError where it stopped.
func (t *Txn) Commit(ctx context.Context, opts storage.WriteOptions) error {
	return t.CommitWith(ctx, opts, "", nil)
}

// CommitWith is Commit that writes rows of one more table in the same batch. The caller keeps others
// from writing them. It needs storage.Caps.AtomicBatch where there are such rows.
func (t *Txn) CommitWith(ctx context.Context, opts storage.WriteOptions, table string, rows []storage.RowMutation) error {
	if !t.ended.CompareAndSwap(false, true) {
		return ErrEnded
	}
	defer t.finish()
	if t.loads != nil {
		if len(t.buf.log) > 0 || len(rows) > 0 {
			return errors.New("txn: writes beside a load")
		}
		return t.commitLoads(ctx, opts)
	}
	switch {
	case len(t.buf.log) == 0 && len(rows) == 0:
		return nil
	case t.m.atomic:
		return t.commitBatch(ctx, opts, tableWrites{table: table, rows: rows})
	case len(rows) > 0:
		return errors.New("txn: a store without atomic batches does not write rows with those of a transaction")
	}
	return t.commitRows(ctx, opts)
}

// Flush applies the writes made so far and keeps the transaction open, its locks released:
// for loads too large to be held. What was flushed is not undone by Rollback.
func (t *Txn) Flush(ctx context.Context, opts storage.WriteOptions) error {
	if t.ended.Load() {
		return ErrEnded
	}
	var err error
	if t.m.atomic {
		err = t.commitBatch(ctx, opts, tableWrites{})
	} else {
		err = t.commitRows(ctx, opts)
	}
	if err != nil {
		return err
	}
	t.release(0)
	t.m.locks.leave(&t.owner, 0)
	t.held = t.held[:0]
	t.buf.reset()
	return nil
}

// lock takes a row's lock where locks mean anything. waited says that somebody
// else may have written the row in between; fresh that it was not held before.
func (t *Txn) lock(ctx context.Context, op, table string, key []byte) (fresh, waited bool, err error) {
	if !t.m.atomic {
		return false, false, nil
	}
	t.name = lockName(t.name[:0], table, key)
	var kept string
	fresh, waited, err = t.m.locks.acquire(ctx, &t.owner, t.name, func(name []byte) string {
		kept = t.keepName(name)
		return kept
	}, t.opts.LockTimeout)
	if err != nil {
		return false, waited, lockError(ctx, op, table, err)
	}
	if fresh {
		if kept == "" { // handed over by the owner before
			kept = t.keepName(t.name)
		}
		t.held = append(t.held, kept)
	}
	return fresh, waited, nil
}

// join makes the transaction a member of a table: before its first row is locked.
func (t *Txn) join(ctx context.Context, op, table string) error {
	if err := t.m.locks.join(ctx, &t.owner, table, t.opts.LockTimeout); err != nil {
		return lockError(ctx, op, table, err)
	}
	return nil
}

// keepName copies a lock's name into memory that is never written again.
func (t *Txn) keepName(name []byte) string {
	b := t.buf.keys.take(len(name))
	copy(b, name)
	return stringOf(b)
}

// stringOf and bytesOf share memory: it must not change.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
func bytesOf(s string) []byte  { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func lockError(ctx context.Context, op, table string, err error) error {
	if ctx.Err() != nil && err == ctx.Err() {
		return storage.CtxError(op, table, err)
	}
	return err
}
