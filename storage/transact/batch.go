package transact

import (
	"context"

	"github.com/saltsql/saltsql/storage"
)

// batch implements storage.Batch.
type batch struct {
	s    *Store
	list []*change
	at   map[string]*change
}

// Batch implements storage.Store.
func (s *Store) Batch() (storage.Batch, error) {
	if !s.whole {
		return s.Store.Batch()
	}
	return &batch{s: s}, nil
}

// Mutate implements storage.Batch. Rows of one key are one change.
func (b *batch) Mutate(name string, rows []storage.RowMutation) error {
	if err := storage.CheckRows(storage.OpBatch, name, rows); err != nil {
		return err
	}
	if !Is(name) {
		return notTransactional(storage.OpBatch, name)
	}
	if b.at == nil {
		b.at = map[string]*change{}
	}
	t := &table{b.s, name, b.s.Store.Table(name)}
	for i := range rows {
		id := name + "\x00" + string(rows[i].Key)
		c := b.at[id]
		if c == nil {
			c = &change{t: t, key: rows[i].Key, seen: unseen}
			b.at[id], b.list = c, append(b.list, c)
		}
		muts := rows[i].Mutations
		if version, ok := storage.SeenVersion(muts); ok {
			c.seen, muts = min(c.seen, version), muts[1:]
		}
		c.muts = append(c.muts, muts...)
	}
	return nil
}

// Commit implements storage.Batch.
func (b *batch) Commit(ctx context.Context, opts storage.WriteOptions) error {
	tx := b.s.begin()
	tx.changes = b.list
	b.list, b.at = nil, nil
	err := tx.commit(ctx)
	if opts.Calls != nil {
		*opts.Calls += tx.calls.Load()
	}
	return err
}

// Close implements storage.Batch.
func (b *batch) Close() error {
	b.list, b.at = nil, nil
	return nil
}
