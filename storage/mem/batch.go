package mem

import (
	"context"

	"github.com/saltsql/saltsql/storage"
)

type batch struct {
	store  *Store
	writes []tableRows
	closed bool
}

func (b *batch) Mutate(table string, rows []storage.RowMutation) error {
	if b.closed {
		return storage.Errorf(storage.CodeClosed, storage.OpBatch, table, "batch is closed")
	}
	if err := storage.CheckRows(storage.OpBatch, table, rows); err != nil {
		return err
	}
	b.writes = append(b.writes, tableRows{table, rows})
	return nil
}

func (b *batch) Commit(ctx context.Context, _ storage.WriteOptions) error {
	if b.closed {
		return storage.Errorf(storage.CodeClosed, storage.OpCommit, "", "batch is closed")
	}
	if err := b.store.check(ctx, storage.OpCommit, ""); err != nil {
		return err
	}
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	if err := b.store.applyLocked(storage.OpCommit, b.writes); err != nil {
		return err
	}
	b.writes = nil
	return nil
}

func (b *batch) Close() error {
	b.writes, b.closed = nil, true
	return nil
}
