package storage

import (
	"context"
	"fmt"
)

// Load is one atomic write of many rows of one table. One goroutine uses it, but for Add,
// which several may call. Nobody else may write a row of it between Add and the end of
// Store.CommitLoads: see storage/txn, which locks them.
type Load interface {
	// Add takes rows. The mutations of each begin with DeleteRow, so that they
	// are the whole of the row. What it is given may be changed afterwards.
	Add(ctx context.Context, rows []RowMutation) error
	// Has says whether a row of this key was added, where that can be told
	// at once; known is false where only CommitLoads will tell.
	Has(key []byte) (has, known bool)
	// Prepare does what CommitLoads can do before anything is seen of the rows, so that it
	// is quick. No Add may follow.
	Prepare(ctx context.Context) error
	// Close drops what was not committed. It is idempotent.
	Close() error
}

// DuplicateRowError says that a unique load holds two rows of one key.
type DuplicateRowError struct {
	Table string
	Key   []byte
}

func (e *DuplicateRowError) Error() string {
	return fmt.Sprintf("storage: load %s: two rows have key %x", e.Table, e.Key)
}
