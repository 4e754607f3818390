package pebble

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// views shares a Pebble snapshot, and iterators on it, among all who ask while nothing is
// written: they would see the same.
//
//	write      begun+1 ── shown ── ended+1                begun+1 …
//	readers                          snapshot  the same  ↑ let go of: the next one is new
//
// To open a snapshot and to close the last one, by which Pebble looks for something to
// compact, costs more than to read a row, and so does an iterator, which finds and opens the
// files that it reads.
//
// What nobody uses is kept until the next write begins, so that no old version of a row is
// kept for its sake. Iterators hold memtables and files: they are also let go of when
// a flush or a compaction has put others in their place.
type views struct {
	begun, ended atomic.Uint64 // writes that Pebble was given, and that it has shown or refused
	layout       atomic.Uint64 // which files there are: see dropStale
	changed      chan struct{} // they are others: dropStale is wanted
	kept         atomic.Bool   // newest is set

	mu     sync.Mutex
	newest *view // nil where the next reader must open one
	closed bool
}

// view is a snapshot that all share who opened it between two writes.
type view struct {
	snap *pebble.Snapshot
	at   uint64 // writes begun before it
	upTo uint64 // see seen

	// Guarded by views.mu.
	users int
	idle  []*iterator // used last at the end
}

// iterator is one of a view, or of none, with the memory of its bounds.
type iterator struct {
	*pebble.Iterator
	s      *Store
	of     *view
	table  uint32
	layout uint64
	lo, hi []byte
}

// maxIdleIterators is how many iterators wait for another reader at most: as many as small
// reads of some tables and indexes use at once.
const maxIdleIterators = 16

// garbage is what is to be closed once views.mu is let go of.
type garbage struct {
	snap *pebble.Snapshot
	its  []*iterator
}

func (g *garbage) close() {
	for _, it := range g.its {
		_ = it.Close() // nothing that was read by it depends on it
	}
	if g.snap != nil {
		g.snap.Close() // has no error to give
	}
}

// forget makes the next reader open a view. The caller holds mu and closes what it gets.
func (vs *views) forget() (g garbage) {
	v := vs.newest
	if v == nil {
		return g
	}
	vs.newest = nil
	vs.kept.Store(false)
	g.its, v.idle = v.idle, nil
	if v.users == 0 {
		g.snap = v.snap
	}
	return g
}

// openView gives a view of all that is written now, to be released.
func (s *Store) openView(ctx context.Context) (*view, error) {
	for {
		merges, err := s.awaitPublished(ctx, storage.OpSnapshot, "")
		if err != nil {
			return nil, err
		}
		if v := s.tryView(merges); v != nil {
			return v, nil
		}
	}
}

// tryView gives none where a flush or a compaction has begun meanwhile: see unpublished.
func (s *Store) tryView(merges uint64) *view {
	vs := &s.views
	vs.mu.Lock()
	if v := vs.newest; v != nil && v.at == vs.begun.Load() {
		v.users++
		vs.mu.Unlock()
		return v
	}
	old := vs.forget()
	v := &view{at: vs.ended.Load(), users: 1}
	v.snap = s.db.NewSnapshot()
	v.upTo = s.unsynced.begun.Load()
	if !s.unpublished.noneSince(merges) {
		vs.mu.Unlock()
		old.close()
		v.snap.Close() // has no error to give
		return nil
	}
	if !vs.closed {
		// First it is kept, so that a write that begins from here on lets go of it. One that
		// is under way may be in it or not: then it is not shared.
		vs.newest = v
		vs.kept.Store(true)
		if vs.begun.Load() != v.at {
			vs.newest = nil
			vs.kept.Store(false)
		}
	}
	vs.mu.Unlock()
	old.close()
	return v
}

func (vs *views) release(v *view) {
	vs.mu.Lock()
	v.users--
	last := v.users == 0 && v != vs.newest
	vs.mu.Unlock()
	if last {
		v.snap.Close()
	}
}

// begin is called before Pebble is given a write, and end when it has shown or refused it.
func (vs *views) begin() {
	vs.begun.Add(1)
	if !vs.kept.Load() {
		return
	}
	vs.mu.Lock()
	old := vs.forget()
	vs.mu.Unlock()
	old.close()
}

func (vs *views) end() { vs.ended.Add(1) }

// iterator gives one on v, which the caller holds or has as a snapshot that is open, or, where
// v is nil, on what is written now. It stands nowhere: its bounds are set before it is moved.
func (s *Store) iterator(ctx context.Context, v *view, t *tableState) (*iterator, error) {
	vs := &s.views
	layout := vs.layout.Load()
	if v != nil {
		vs.mu.Lock()
		for i := len(v.idle) - 1; i >= 0; i-- {
			if it := v.idle[i]; it.table == t.id && it.layout == layout {
				v.idle = append(v.idle[:i], v.idle[i+1:]...)
				vs.mu.Unlock()
				return it, nil
			}
		}
		vs.mu.Unlock()
	}
	it := &iterator{s: s, of: v, table: t.id, layout: layout}
	it.lo, it.hi = t.bounds(nil, nil, storage.Span{})
	o := &pebble.IterOptions{LowerBound: it.lo, UpperBound: it.hi}
	var err error
	if v != nil {
		it.Iterator, err = v.snap.NewIter(o)
	} else {
		it.Iterator, err = s.newIter(ctx, storage.OpScan, t.desc.Load().Spec.Name, o)
	}
	if err != nil {
		return nil, err
	}
	return it, nil
}

// bound sets the bounds to a span's; false if nothing can be in it.
func (it *iterator) bound(t *tableState, span storage.Span) bool {
	it.lo, it.hi = t.bounds(it.lo, it.hi, span)
	if string(it.lo) >= string(it.hi) {
		return false
	}
	it.SetBounds(it.lo, it.hi)
	return true
}

// end ends the use of an iterator, and keeps it where another reader may have it.
func (it *iterator) end() error {
	vs, v := &it.s.views, it.of
	if v == nil || it.Error() != nil {
		return it.Close()
	}
	old := it
	vs.mu.Lock()
	if v == vs.newest && v.at == vs.begun.Load() && it.layout == vs.layout.Load() {
		old = nil
		if len(v.idle) == maxIdleIterators {
			old = v.idle[0]
			v.idle = append(v.idle[:0], v.idle[1:]...)
		}
		v.idle = append(v.idle, it)
	}
	vs.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.Close()
}

// listen notes flushes and compactions. Pebble holds its own lock meanwhile: dropStale does
// the rest.
func (vs *views) listen(l *pebble.EventListener) {
	vs.changed = make(chan struct{}, 1)
	note := func() {
		select {
		case vs.changed <- struct{}{}:
		default:
		}
	}
	flushed := l.FlushEnd
	l.FlushEnd = func(info pebble.FlushInfo) {
		if flushed != nil {
			flushed(info)
		}
		note()
	}
	l.CompactionEnd = func(pebble.CompactionInfo) { note() }
}

// dropStale lets go of iterators over memtables and files that others have replaced.
func (s *Store) dropStale() {
	// Pebble tells of a compaction before readers see its files, under a lock that a snapshot
	// takes, too.
	err := s.detached(func() error { return s.db.NewSnapshot().Close() })
	if err != nil {
		return
	}
	var g garbage
	vs := &s.views
	vs.layout.Add(1) // those that are in use are closed once they are not
	vs.mu.Lock()
	if v := vs.newest; v != nil {
		g.its, v.idle = v.idle, nil
	}
	vs.mu.Unlock()
	g.close()
}

// close lets go of what nobody uses, and keeps nothing from now on.
func (vs *views) close() {
	vs.mu.Lock()
	vs.closed = true
	g := vs.forget()
	vs.mu.Unlock()
	g.close()
}
