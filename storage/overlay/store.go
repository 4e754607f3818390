package overlay

import (
	"context"
	"errors"
	"unsafe"

	"github.com/saltsql/saltsql/storage"
)

type store struct {
	storage.Store // the lower one: Caps, Admin, Close
	upper         storage.Store
	owns          func(table string) bool
	room          func(bytes int64) error
}

// New lays upper over lower. owns says that a table is upper's; upper can do all that lower can.
// room is asked before rows of about so many bytes are written above, and before anything of a
// batch that has such is committed: its error is the write's. Close closes neither.
func New(lower, upper storage.Store, owns func(table string) bool, room func(bytes int64) error) storage.Store {
	return &store{lower, upper, owns, room}
}

func (s *store) Close() error { return nil }

func (s *store) Table(name string) storage.Table {
	if s.owns(name) {
		return &table{s.upper.Table(name), s, true}
	}
	return &table{s.Store.Table(name), s, false}
}

// snapshot is of both stores.
type snapshot struct{ lower, upper storage.Snapshot }

func (s *store) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	lower, err := s.Store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	upper, err := s.upper.Snapshot(ctx)
	if err != nil {
		return nil, errors.Join(err, lower.Close())
	}
	return &snapshot{lower, upper}, nil
}

func (s *snapshot) Close() error { return errors.Join(s.upper.Close(), s.lower.Close()) }

type table struct {
	storage.Table
	s     *store
	upper bool
}

// request gives a table's store its own part of a snapshot. One that was taken of the lower
// store, before there was an upper one, says nothing of tables above.
func (t *table) request(req *storage.ScanRequest) *storage.ScanRequest {
	if req == nil || req.Snapshot == nil {
		return req
	}
	own := *req
	switch s, both := req.Snapshot.(*snapshot); {
	case both && t.upper:
		own.Snapshot = s.upper
	case both:
		own.Snapshot = s.lower
	case t.upper:
		own.Snapshot = nil
	}
	return &own
}

func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	return t.Table.Scan(ctx, t.request(req))
}

func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	return t.Table.MultiGet(ctx, keys, t.request(req), dst)
}

func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	if t.upper {
		if err := t.s.room(sizeOf(rows)); err != nil {
			return err
		}
	}
	return t.Table.Mutate(ctx, rows, opts)
}

func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	if t.upper {
		if err := t.s.room(int64(len(m.Key)) + sizeOfAll(m.Then) + sizeOfAll(m.Else)); err != nil {
			return false, err
		}
	}
	return t.Table.CheckAndMutate(ctx, m)
}

// sizeOf is how many bytes rows take at most, about.
func sizeOf(rows []storage.RowMutation) (n int64) {
	for i := range rows {
		n += int64(len(rows[i].Key)) + sizeOfAll(rows[i].Mutations)
	}
	return n
}

func sizeOfAll(muts []storage.Mutation) (n int64) {
	for i := range muts {
		if muts[i].Op == storage.SetCell {
			n += int64(len(muts[i].Qualifier)+len(muts[i].Value)) + int64(unsafe.Sizeof(muts[i]))
		}
	}
	return n
}

// batch is one of each store; the upper one is made when it is needed.
type batch struct {
	s            *store
	lower, upper storage.Batch
	below        bool  // the lower one has rows
	above        int64 // bytes of the upper one
}

func (s *store) Batch() (storage.Batch, error) {
	lower, err := s.Store.Batch()
	if err != nil {
		return nil, err
	}
	return &batch{s: s, lower: lower}, nil
}

func (b *batch) Mutate(name string, rows []storage.RowMutation) error {
	if !b.s.owns(name) {
		b.below = true
		return b.lower.Mutate(name, rows)
	}
	if b.upper == nil {
		var err error
		if b.upper, err = b.s.upper.Batch(); err != nil {
			return err
		}
	}
	b.above += sizeOf(rows)
	return b.upper.Mutate(name, rows)
}

func (b *batch) Commit(ctx context.Context, opts storage.WriteOptions) error {
	if b.upper != nil {
		if err := b.s.room(b.above); err != nil {
			return err
		}
		b.above = 0
	}
	if b.below {
		b.below = false
		if err := b.lower.Commit(ctx, opts); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx) // the rest belongs to it
	}
	if b.upper == nil {
		return nil
	}
	return b.upper.Commit(ctx, opts)
}

func (b *batch) Close() error {
	err := b.lower.Close()
	if b.upper != nil {
		err = errors.Join(err, b.upper.Close())
	}
	return err
}
