package pebble

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
)

// recentRows samples the keys of a table that are written and may not be in a
// file yet: Pebble tells sizes of files only, and a memtable holds hundreds of
// thousands of rows. Keys are chosen by their hash, so that a row written twice
// counts once (Wegman's adaptive sampling):
//
//	hash of the key  ……0 1 1 0 | 0 0 0     kept: the last bits are 0
//	                             mask      one bit more each time maxRecent is passed
//
// so each key kept stands for 2^bits keys. The hash has no seed: the same writes
// give the same estimates in any process. A key is forgotten when the memtable
// that it was written to has been flushed.
type recentRows struct {
	mask atomic.Uint64

	mu   sync.Mutex
	keys map[string]uint64 // the newest memtable that has it
}

// maxRecent is how many keys are kept: their count is right within about 3 %.
const maxRecent = 1024

// memtables numbers the memtables of a database by their logs.
type memtables struct {
	current  atomic.Uint64
	flushing atomic.Uint64 // those below are being flushed
	flushed  atomic.Uint64 // those below are in files

	// Bytes of batches since the store was opened: all, and those of the memtables before
	// current, before flushing, and before flushed.
	written, writtenCurrent, writtenFlushing, writtenFlushed atomic.Int64
}

func (m *memtables) listen(l *pebble.EventListener) {
	l.WALCreated = func(pebble.WALCreateInfo) {
		m.writtenCurrent.Store(m.written.Load())
		m.current.Add(1)
	}
	l.FlushBegin = func(pebble.FlushInfo) {
		m.writtenFlushing.Store(m.writtenCurrent.Load())
		m.flushing.Store(m.current.Load())
	}
	l.FlushEnd = func(info pebble.FlushInfo) {
		if info.Err == nil {
			m.writtenFlushed.Store(m.writtenFlushing.Load())
			m.flushed.Store(m.flushing.Load())
		}
	}
}

// unflushed is about how many bytes are in memtables.
func (m *memtables) unflushed() int64 { return m.written.Load() - m.writtenFlushed.Load() }

// wrote tells of a row that is written or deleted.
func (s *Store) wrote(t *tableState, key []byte) {
	r := &t.recent
	h := xxhash.Sum64(key)
	if h&r.mask.Load() != 0 {
		return
	}
	now := s.mem.current.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.keys[string(key)]; !ok && len(r.keys) >= maxRecent {
		s.thin(r)
		if h&r.mask.Load() != 0 {
			return
		}
	}
	if r.keys == nil {
		r.keys = map[string]uint64{}
	}
	r.keys[string(key)] = now
}

// forget drops the keys that are in files by now.
func (s *Store) forget(r *recentRows) {
	flushed := s.mem.flushed.Load()
	for k, mem := range r.keys {
		if mem < flushed {
			delete(r.keys, k)
		}
	}
	if len(r.keys) == 0 {
		r.mask.Store(0)
	}
}

// thin makes room for another key.
func (s *Store) thin(r *recentRows) {
	for s.forget(r); len(r.keys) >= maxRecent; {
		mask := r.mask.Load()<<1 | 1
		r.mask.Store(mask)
		for k := range r.keys {
			if xxhash.Sum64String(k)&mask != 0 {
				delete(r.keys, k)
			}
		}
	}
}

// recentKeys gives the keys kept from lo to hi, in order, and how many each stands
// for.
func (s *Store) recentKeys(t *tableState, lo, hi []byte) (keys []string, weight float64) {
	r := &t.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	s.forget(r)
	for k := range r.keys {
		if k >= string(lo) && k < string(hi) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys, float64(uint64(1) << bits.OnesCount64(r.mask.Load()))
}
