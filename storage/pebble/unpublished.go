package pebble

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// unpublished are the writes that Pebble holds, or may hold, and does not show yet. A flush or
// a compaction that begins meanwhile keeps, of the versions of a row, those that the snapshots
// of that moment need and the newest one: where that is not shown yet, and no snapshot needs
// the one before, a reader that comes then finds neither, but an older one or none
// (github.com/cockroachdb/pebble/issues/6085).
//
//	write       begin ── applied ─────────────────── shown ── end
//	flush                          begins ──── ends
//	a reader must not open here:         ├────────────────────┤
//
// So a reader opens its view only where all writes have ended that were under way when the
// last flush or compaction began; and opens another one where the next began meanwhile. That is
// microseconds, but where Pebble stalls writes, for its flushes do not keep up: then readers wait
// for the end of the stall, too.
type unpublished struct {
	merges atomic.Uint64 // flushes and compactions that have begun
	older  atomic.Int64  // writes under way that had begun before the last of them

	mu      sync.Mutex
	all     int64         // writes under way
	drained chan struct{} // closed when older is 0; nil where nobody waits
}

// begin is called before Pebble is given a write, and end with what it gave when Pebble has
// shown or refused it.
func (u *unpublished) begin() (merges uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all++
	return u.merges.Load()
}

func (u *unpublished) end(merges uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all--
	if merges == u.merges.Load() || u.older.Add(-1) > 0 || u.drained == nil {
		return
	}
	close(u.drained)
	u.drained = nil
}

// merge is called as a flush or a compaction begins, before it asks for snapshots.
func (u *unpublished) merge() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.older.Store(u.all) // first: who sees the new number sees whom to wait for
	u.merges.Add(1)
}

// listen notes flushes and compactions. Pebble calls under the lock that snapshots take.
func (u *unpublished) listen(l *pebble.EventListener) {
	flush, compaction := l.FlushBegin, l.CompactionBegin
	l.FlushBegin = func(info pebble.FlushInfo) {
		u.merge()
		if flush != nil {
			flush(info)
		}
	}
	l.CompactionBegin = func(info pebble.CompactionInfo) {
		u.merge()
		if compaction != nil {
			compaction(info)
		}
	}
}

// awaitPublished waits until a view can be opened. One that was opened then holds all that it
// must if noneSince says so afterwards. The caller holds no lock that a write needs.
func (s *Store) awaitPublished(ctx context.Context, op, name string) (merges uint64, err error) {
	u := &s.unpublished
	for {
		merges = u.merges.Load()
		if u.older.Load() == 0 {
			return merges, nil
		}
		u.mu.Lock()
		if u.older.Load() == 0 {
			u.mu.Unlock()
			continue
		}
		if u.drained == nil {
			u.drained = make(chan struct{})
		}
		drained := u.drained
		u.mu.Unlock()
		select {
		case <-drained:
		case <-s.fault.down: // then a write may never end
			return 0, s.fault.get(op, name)
		case <-ctx.Done():
			return 0, storage.CtxError(op, name, ctx.Err())
		}
	}
}

func (u *unpublished) noneSince(merges uint64) bool { return u.merges.Load() == merges }

// newIter opens an iterator on what is written now.
func (s *Store) newIter(ctx context.Context, op, name string, o *pebble.IterOptions) (*pebble.Iterator, error) {
	for {
		merges, err := s.awaitPublished(ctx, op, name)
		if err != nil {
			return nil, err
		}
		it, err := s.db.NewIter(o)
		if err != nil || s.unpublished.noneSince(merges) {
			return it, err
		}
		if err := it.Close(); err != nil {
			return nil, err
		}
	}
}

// get reads a row that is written now. Who writes rows does without: nobody else does who
// holds their latches.
func (s *Store) get(ctx context.Context, op, name string, key []byte) ([]byte, io.Closer, error) {
	for {
		merges, err := s.awaitPublished(ctx, op, name)
		if err != nil {
			return nil, nil, err
		}
		value, closer, err := s.db.Get(key)
		if s.unpublished.noneSince(merges) {
			return value, closer, err
		}
		if err == nil {
			err = closer.Close()
		}
		if err != nil && !errors.Is(err, pebble.ErrNotFound) {
			return nil, nil, err
		}
	}
}
