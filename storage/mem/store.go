package mem

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/btree"

	"github.com/saltsql/saltsql/storage"
)

// Store implements storage.Store.
type Store struct {
	now    func() time.Time
	single bool // WithoutBatches
	closed atomic.Bool

	mu     sync.Mutex
	tables map[string]*tableState
}

type tableState struct {
	spec  storage.TableSpec
	rows  *btree.BTreeG[*row]
	bytes int64 // about what rows take
}

var _ storage.Store = (*Store)(nil)

// Option changes a new Store.
type Option func(*Store)

// WithClock sets the clock by which families with a TTL forget cells.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithoutBatches makes a store that writes no batches, as one whose tables stand beside those of
// such a store must be.
func WithoutBatches() Option { return func(s *Store) { s.single = true } }

// Batches gives the same store as one that writes batches.
func (s *Store) Batches() storage.Store { return batching{s} }

type batching struct{ *Store }

func (b batching) Caps() storage.Caps {
	c := b.Store.Caps()
	c.AtomicBatch = true
	return c
}

func (b batching) Batch() (storage.Batch, error) { return &batch{store: b.Store}, nil }

// New makes an empty store.
func New(opts ...Option) *Store {
	s := &Store{now: time.Now, tables: map[string]*tableState{}}
	for _, o := range opts {
		o(s)
	}
	return s
}

func newTree() *btree.BTreeG[*row] {
	return btree.NewG(32, func(a, b *row) bool { return a.key < b.key })
}

// Bytes is about how much memory the rows take.
func (s *Store) Bytes() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		n += t.bytes
	}
	return n
}

// Caps implements storage.Store.
func (s *Store) Caps() storage.Caps {
	return storage.Caps{
		Name: "mem", AtomicBatch: !s.single, Snapshots: true, ScanFanout: 2, SmallScanSerial: true,
		MaxKeysPerGet: 1 << 20, Exclusive: true,
	}
}

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s} }

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table { return &table{s, name} }

// Snapshot implements storage.Store.
func (s *Store) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	if err := s.check(ctx, storage.OpSnapshot, ""); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := &snapshot{store: s, tables: make(map[string]*tableState, len(s.tables))}
	for name, t := range s.tables {
		snap.tables[name] = &tableState{t.spec, t.rows.Clone(), t.bytes}
	}
	return snap, nil
}

// Batch implements storage.Store.
func (s *Store) Batch() (storage.Batch, error) {
	if s.closed.Load() {
		return nil, errClosed(storage.OpBatch, "")
	}
	if s.single {
		return nil, storage.Unsupported("mem", storage.OpBatch, "batches")
	}
	return &batch{store: s}, nil
}

// Close implements storage.Store.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func errClosed(op, table string) error {
	return storage.Errorf(storage.CodeClosed, op, table, "the store is closed")
}

func errNoTable(op, name string) *storage.Error {
	return storage.Errorf(storage.CodeNotFound, op, name, "table does not exist")
}

// check is the first line of every call.
func (s *Store) check(ctx context.Context, op, table string) error {
	if s.closed.Load() {
		return errClosed(op, table)
	}
	if err := ctx.Err(); err != nil {
		return storage.CtxError(op, table, err)
	}
	return nil
}

// view gives a table as of now, or as of snap, that may be read without locks.
func (s *Store) view(op, name string, snap storage.Snapshot) (*tableState, error) {
	tables := s.tables
	if snap != nil {
		ms, ok := snap.(*snapshot)
		if !ok || ms.store != s {
			return nil, storage.Errorf(storage.CodeInvalidArgument, op, name, "snapshot is of another store")
		}
		if ms.closed.Load() {
			return nil, storage.Errorf(storage.CodeClosed, op, name, "snapshot is closed")
		}
		tables = ms.tables
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables[name] == nil || tables[name] == nil {
		return nil, errNoTable(op, name)
	}
	t := tables[name]
	return &tableState{t.spec, t.rows.Clone(), t.bytes}, nil
}

type snapshot struct {
	store  *Store
	tables map[string]*tableState
	closed atomic.Bool
}

// Has says that the snapshot has a table.
func (s *snapshot) Has(table string) bool { return s.tables[table] != nil }

func (s *snapshot) Close() error {
	s.closed.Store(true)
	return nil
}

// Load implements storage.Store: there is none.
func (s *Store) Load(context.Context, string, bool) (storage.Load, error) {
	return nil, storage.Unsupported("mem", storage.OpLoad, "loads")
}

// CommitLoads implements storage.Store: there are none.
func (s *Store) CommitLoads(context.Context, []storage.Load, storage.WriteOptions) error {
	return storage.Unsupported("mem", storage.OpCommit, "loads")
}

// Compact implements storage.Store: there is nothing to merge.
func (s *Store) Compact(context.Context, string) error {
	return storage.Unsupported("mem", storage.OpCompact, "layers of files to merge")
}
