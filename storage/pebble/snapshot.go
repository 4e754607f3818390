package pebble

import (
	"context"
	"sync"

	"github.com/saltsql/saltsql/storage"
)

// snapshot implements storage.Snapshot. Scanners opened on it outlive it.
type snapshot struct {
	s    *Store
	upTo uint64 // see seen
	mu   sync.RWMutex
	view *view // nil when closed
}

// Snapshot implements storage.Store.
func (s *Store) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	if err := s.enter(ctx, storage.OpSnapshot, ""); err != nil {
		return nil, err
	}
	defer s.exit()
	v, err := s.openView(ctx)
	if err != nil {
		return nil, err
	}
	sn := &snapshot{s: s, upTo: v.upTo, view: v}
	s.register(sn)
	return sn, nil
}

func (sn *snapshot) Close() error {
	sn.end()
	return nil
}

func (sn *snapshot) end() {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	if sn.view != nil {
		sn.s.views.release(sn.view)
		sn.view = nil
		sn.s.unregister(sn)
	}
}

// with calls f with the view of the request's snapshot, nil for what is written now.
func (s *Store) with(op, table string, snap storage.Snapshot, f func(*view) error) error {
	if snap == nil {
		return f(nil)
	}
	sn, ok := snap.(*snapshot)
	if !ok || sn.s != s {
		return storage.Errorf(storage.CodeInvalidArgument, op, table, "snapshot is of another store")
	}
	sn.mu.RLock()
	defer sn.mu.RUnlock()
	if sn.view == nil {
		return storage.Errorf(storage.CodeClosed, op, table, "snapshot is closed")
	}
	return f(sn.view)
}

// viewOf says which writes a view opened just now, or a snapshot, may hold.
func (s *Store) viewOf(snap storage.Snapshot) uint64 {
	if sn, ok := snap.(*snapshot); ok {
		return sn.upTo
	}
	return s.unsynced.begun.Load()
}
