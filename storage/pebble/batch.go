package pebble

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// maxBatchBytes bounds what one atomic batch may hold in memory.
const maxBatchBytes = 1 << 30

// batch implements storage.Batch. Nothing is read or latched before Commit.
type batch struct {
	s      *Store
	tables []batchTable
	few    [4]batchTable // what tables starts as
	size   int64
	closed bool
}

type batchTable struct {
	name string
	rows []storage.RowMutation
}

// Batch implements storage.Store.
func (s *Store) Batch() (storage.Batch, error) {
	if err := s.enter(context.Background(), storage.OpBatch, ""); err != nil {
		return nil, err
	}
	defer s.exit()
	b := &batch{s: s}
	b.tables = b.few[:0]
	return b, nil
}

func (b *batch) Mutate(table string, rows []storage.RowMutation) error {
	if b.closed {
		return storage.Errorf(storage.CodeClosed, storage.OpBatch, table, "batch is closed")
	}
	if err := storage.CheckRows(storage.OpBatch, table, rows); err != nil {
		return err
	}
	size := b.size
	for i := range rows {
		size += int64(len(rows[i].Key))
		for j := range rows[i].Mutations {
			size += int64(len(rows[i].Mutations[j].Qualifier) + len(rows[i].Mutations[j].Value))
		}
	}
	if size > maxBatchBytes {
		e := storage.Errorf(storage.CodeTooLarge, storage.OpBatch, table, "atomic batch of %d bytes is over the limit of %d bytes", size, maxBatchBytes)
		e.Limit, e.Max, e.Size = "atomic batch", maxBatchBytes, size
		return e
	}
	b.size = size
	b.tables = append(b.tables, batchTable{table, rows})
	return nil
}

func (b *batch) Commit(ctx context.Context, opts storage.WriteOptions) error {
	call := b.s.calls.begin()
	err := b.commit(ctx, opts)
	b.s.calls.ended(callWrite, call, err)
	return err
}

func (b *batch) commit(ctx context.Context, opts storage.WriteOptions) error {
	const op = storage.OpCommit
	if err := b.s.enter(ctx, op, ""); err != nil {
		return err
	}
	defer b.s.exit()
	if b.closed {
		return storage.Errorf(storage.CodeClosed, op, "", "batch is closed")
	}
	pooled := writesPool.Get().(*[]rowWrite)
	writes := (*pooled)[:0]
	defer func() { putWrites(pooled, writes) }()
	for _, bt := range b.tables {
		ts, err := b.s.lookup(op, bt.name)
		if err != nil {
			return err
		}
		desc := ts.desc.Load()
		for i := range bt.rows {
			writes = append(writes, rowWrite{ts, desc, &bt.rows[i], len(writes)})
		}
	}
	if !slices.IsSortedFunc(writes, compareWrites) {
		slices.SortFunc(writes, compareWrites)
	}
	if err := b.s.commit(ctx, op, "", writes, opts.NoSync); err != nil {
		return err
	}
	b.tables, b.size = nil, 0
	return nil
}

func (b *batch) Close() error {
	b.tables, b.closed = nil, true
	return nil
}
