package overlay

import (
	"context"
	"errors"
	"time"
	"unsafe"

	"github.com/saltsql/saltsql/storage"
)

type store struct {
	lower, upper storage.Store
	owns         func(table string) bool
	room         func(bytes int64) error
}

var _ storage.Store = (*store)(nil)
var _ storage.Table = (*table)(nil)

// New lays upper over lower. owns says that a table is upper's; upper can do all that lower can,
// but for loads and merging.
// room is asked before rows of about so many bytes are written above, and before anything of a
// batch that has such is committed: its error is the write's. Close closes neither.
func New(lower, upper storage.Store, owns func(table string) bool, room func(bytes int64) error) storage.Store {
	return &store{lower, upper, owns, room}
}

func (s *store) Caps() storage.Caps   { return s.lower.Caps() }
func (s *store) Admin() storage.Admin { return s.lower.Admin() }
func (s *store) Close() error         { return nil }

// of is the store that has a table.
func (s *store) of(name string) storage.Store {
	if s.owns(name) {
		return s.upper
	}
	return s.lower
}

func (s *store) Table(name string) storage.Table {
	return &table{s.of(name).Table(name), name, s, s.owns(name)}
}

// Load is of tables below: those above are within the room that their owner gives.
func (s *store) Load(ctx context.Context, name string, unique bool) (storage.Load, error) {
	if s.owns(name) {
		return nil, storage.Unsupported("overlay", storage.OpLoad, "loads above")
	}
	return s.lower.Load(ctx, name, unique)
}

func (s *store) CommitLoads(ctx context.Context, loads []storage.Load, opts storage.WriteOptions) error {
	return s.lower.CommitLoads(ctx, loads, opts)
}

func (s *store) Compact(ctx context.Context, name string) error { return s.of(name).Compact(ctx, name) }

// snapshot is of both stores.
type snapshot struct{ lower, upper storage.Snapshot }

func (s *store) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	lower, err := s.lower.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	upper, err := s.upper.Snapshot(ctx)
	if err != nil {
		return nil, errors.Join(err, lower.Close())
	}
	return &snapshot{lower, upper}, nil
}

// Lower is the part of the snapshot that is of the lower store.
func (s *snapshot) Lower() storage.Snapshot { return s.lower }

func (s *snapshot) Close() error { return errors.Join(s.upper.Close(), s.lower.Close()) }

type table struct {
	in    storage.Table
	name  string
	s     *store
	upper bool
}

// request gives a table's store its own part of a snapshot. One that was taken of the lower
// store, before there was an upper one, says nothing of tables above, nor one of the upper store
// of those that have been made since: nobody else writes them.
func (t *table) request(req *storage.ScanRequest) *storage.ScanRequest {
	if req == nil || req.Snapshot == nil {
		return req
	}
	own := *req
	switch s, both := req.Snapshot.(*snapshot); {
	case both && t.upper:
		own.Snapshot = s.upper
		if known, ok := s.upper.(interface{ Has(table string) bool }); ok && !known.Has(t.name) {
			own.Snapshot = nil
		}
	case both:
		own.Snapshot = s.lower
	case t.upper:
		own.Snapshot = nil
	}
	return &own
}

func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	return t.in.Scan(ctx, t.request(req))
}

func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return t.in.ReadSpans(ctx, t.request(req), dst)
}

func (t *table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	return t.in.Tablets(ctx, span)
}

func (t *table) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	return t.in.Split(ctx, span, most)
}

func (t *table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	return t.in.Sample(ctx, span, most)
}

func (t *table) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	return t.in.Increment(ctx, key, col, delta)
}

func (t *table) Clock(ctx context.Context, key []byte, col storage.Col) (time.Time, error) {
	return t.in.Clock(ctx, key, col)
}

func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	return t.in.DeleteSpan(ctx, span)
}

func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	return t.in.MultiGet(ctx, keys, t.request(req), dst)
}

func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	if t.upper {
		if err := t.s.room(sizeOf(rows)); err != nil {
			return err
		}
	}
	return t.in.Mutate(ctx, rows, opts)
}

func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	if t.upper {
		if err := t.s.room(int64(len(m.Key)) + sizeOfAll(m.Then) + sizeOfAll(m.Else)); err != nil {
			return false, err
		}
	}
	return t.in.CheckAndMutate(ctx, m)
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
	lower, err := s.lower.Batch()
	if err != nil {
		return nil, err
	}
	return &batch{s: s, lower: lower}, nil
}

// unversioned is rows without what they say of versions: nobody else writes those above.
func unversioned(rows []storage.RowMutation) []storage.RowMutation {
	out := make([]storage.RowMutation, 0, len(rows))
	for _, r := range rows {
		if _, ok := storage.SeenVersion(r.Mutations); ok {
			if r.Mutations = r.Mutations[1:]; len(r.Mutations) == 0 {
				continue
			}
		}
		out = append(out, r)
	}
	return out
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
	return b.upper.Mutate(name, unversioned(rows))
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
