package storage

import (
	"context"
	"fmt"
)

// Loader is a Store that takes loads of any size, where Batch is bounded by
// memory. It goes with Caps.AtomicBatch. Whoever wants one asks for it by a
// type assertion: a store without it is loaded by batches.
type Loader interface {
	// Load starts a load of rows of one table. With unique, Commit fails with
	// *DuplicateRowError where two of the rows have one key; without it the
	// last one counts.
	Load(ctx context.Context, table string, unique bool) (Load, error)
	// CommitLoads is Commit for several loads of this store, of one table each: the rows of
	// all of them are written, or none.
	CommitLoads(ctx context.Context, loads []Load, opts WriteOptions) error
}

// Load is one atomic write of many rows of one table. It is for one goroutine.
// Nobody else may write a row of it between Add and the end of Commit: see
// storage/txn, which locks them.
type Load interface {
	// Add takes rows. The mutations of each begin with DeleteRow, so that they
	// are the whole of the row. What it is given may be changed afterwards.
	Add(ctx context.Context, rows []RowMutation) error
	// Has says whether a row of this key was added, where that can be told
	// at once; known is false where only Commit will tell.
	Has(key []byte) (has, known bool)
	// Commit writes all rows or none and ends the load. It is durable when it
	// returns, unless NoSync lets it be otherwise.
	Commit(ctx context.Context, opts WriteOptions) error
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
