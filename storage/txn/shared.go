package txn

import (
	"context"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
)

// Shared is a snapshot of the store that several transactions read. It is closed once nobody holds it: who
// has it from Share or Hold calls Release, once.
type Shared struct {
	whole storage.Snapshot // what is closed
	read  storage.Snapshot // what others read of it
	refs  atomic.Int64
}

// Share gives what the transaction reads: the one snapshot of REPEATABLE READ, else one of now, and of a store
// that is laid over another only what is below. Its own writes are not in it. Stores without snapshots answer
// CodeUnsupported.
func (t *Txn) Share(ctx context.Context) (*Shared, error) {
	if t.shared != nil {
		return t.shared.Hold(), nil
	}
	if t.snap != nil {
		t.shared = share(t.snap)
		return t.shared.Hold(), nil
	}
	snap, err := t.m.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return share(snap), nil
}

func share(snap storage.Snapshot) *Shared {
	s := &Shared{whole: snap, read: snap}
	if over, ok := snap.(interface{ Lower() storage.Snapshot }); ok {
		s.read = over.Lower()
	}
	s.refs.Store(1)
	return s
}

// Hold keeps the snapshot once more.
func (s *Shared) Hold() *Shared {
	s.refs.Add(1)
	return s
}

// Release gives it up.
func (s *Shared) Release() {
	if s.refs.Add(-1) == 0 {
		_ = s.whole.Close() // one that cannot be closed keeps old data, nothing else
	}
}
