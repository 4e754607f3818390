package txn

import (
	"context"
	"math"

	"github.com/saltsql/saltsql/storage"
)

// viewStore is the store as one transaction sees it.
type viewStore struct {
	in storage.Store
	t  *Txn
}

var _ storage.Store = (*viewStore)(nil)

// Caps implements storage.Store.
func (s *viewStore) Caps() storage.Caps { return s.in.Caps() }

// Admin implements storage.Store.
func (s *viewStore) Admin() storage.Admin { return s.in.Admin() }

// Load implements storage.Store: see Txn.Loads.
func (s *viewStore) Load(context.Context, string, bool) (storage.Load, error) {
	return nil, storage.Unsupported("transaction", storage.OpLoad, "load that its locks do not hold for")
}

// CommitLoads implements storage.Store: the transaction's Commit does it.
func (s *viewStore) CommitLoads(context.Context, []storage.Load, storage.WriteOptions) error {
	return storage.Unsupported("transaction", storage.OpCommit, "commit of a load of its own")
}

// Compact implements storage.Store.
func (s *viewStore) Compact(ctx context.Context, table string) error { return s.in.Compact(ctx, table) }

// Table implements storage.Store.
func (s *viewStore) Table(name string) storage.Table { return s.t.Table(name) }

// Batch implements storage.Store: a transaction is one already.
func (s *viewStore) Batch() (storage.Batch, error) {
	return nil, storage.Unsupported("transaction", storage.OpBatch, "batch of its own")
}

// Close implements storage.Store and does nothing: the store is not the
// transaction's.
func (s *viewStore) Close() error { return nil }

// snapshot freezes what a transaction sees.
type snapshot struct {
	t    *Txn
	base storage.Snapshot // nil where the store has none
	seq  int
	own  bool // base is closed with it
}

// Snapshot implements storage.Store. On a store without snapshots it freezes
// the transaction's own writes only.
func (s *viewStore) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	snap := &snapshot{t: s.t, base: s.t.snap, seq: s.t.buf.seq()}
	if snap.base == nil && s.t.m.store.Caps().Snapshots {
		base, err := s.t.m.store.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		snap.base, snap.own = base, true
	}
	return snap, nil
}

func (s *snapshot) Close() error {
	if !s.own {
		return nil
	}
	s.own = false
	return s.base.Close()
}

// resolve splits a request's snapshot into the store's and how much of the log
// is seen.
func (t *Txn) resolve(op, table string, req *storage.ScanRequest) (base storage.Snapshot, seq int, err error) {
	if t.ended.Load() {
		return nil, 0, ErrEnded
	}
	if req.Snapshot == nil {
		return t.snap, math.MaxInt, nil
	}
	s, ok := req.Snapshot.(*snapshot)
	if !ok || s.t != t {
		return nil, 0, storage.Errorf(storage.CodeInvalidArgument, op, table, "snapshot is of another transaction")
	}
	return s.base, s.seq, nil
}
