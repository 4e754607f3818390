package txn

import (
	"errors"
	"fmt"
)

// Errors beside storage's own. They are told by errors.Is.
var (
	// ErrDeadlock: waiting for the lock would close a circle.
	ErrDeadlock = errors.New("txn: deadlock detected")
	// ErrLockTimeout: the lock was not free within Options.LockTimeout.
	ErrLockTimeout = errors.New("txn: lock timeout")
	// ErrSerialization: the row changed after the transaction's snapshot was
	// taken, or, on stores without atomic batches, before commit.
	ErrSerialization = errors.New("txn: concurrent update")
	// ErrPassedOn: a transaction gives the entry of a UNIQUE index from one row to another, on
	// a store that has no atomic batches.
	ErrPassedOn = errors.New("txn: an entry of a unique index changes rows within a transaction")
	// ErrEnded: the transaction was committed or rolled back.
	ErrEnded = errors.New("txn: transaction has ended")
)

// ExistsError is the ErrSerialization of a row that was to be absent: another
// transaction has written it since the snapshot was taken.
type ExistsError struct {
	Row int // index of the conditional write
}

func (e *ExistsError) Error() string { return ErrSerialization.Error() }

func (e *ExistsError) Unwrap() error { return ErrSerialization }

// CommitError is a commit that stopped part-way, on a store that has no atomic
// batch.
type CommitError struct {
	Written, Rows int // rows known to be written, of all
	Err           error
}

func (e *CommitError) Error() string {
	return fmt.Sprintf("txn: commit stopped after %d of %d rows: %v", e.Written, e.Rows, e.Err)
}

func (e *CommitError) Unwrap() error { return e.Err }

// BufferFullError says that a transaction holds all the writes it may.
type BufferFullError struct {
	Max int64 // bytes
}

func (e *BufferFullError) Error() string {
	return fmt.Sprintf("txn: buffered writes are over %d bytes", e.Max)
}
