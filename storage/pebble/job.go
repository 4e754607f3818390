package pebble

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// job is a batch that a worker hands to Pebble, so that the caller can leave
// where the store fails and Pebble does not come back.
type job struct {
	b       *pebble.Batch
	tables  []*tableState // that it writes
	sync    bool
	applied chan error // the batch is visible, or not written
	synced  chan error // then, where sync is set: it is on disk
}

var jobs = sync.Pool{New: func() any {
	return &job{applied: make(chan error, 1), synced: make(chan error, 1)}
}}

// workers run jobs. A goroutine waits for the next one, since a new one would
// grow its stack on the way through Pebble each time.
type workers struct {
	next chan *job
	done chan struct{}
	idle atomic.Int32
}

// maxIdle is how many workers wait at most.
const maxIdle = 32

func (s *Store) start(j *job) {
	select {
	case s.workers.next <- j:
	default:
		go s.work(j)
	}
}

func (s *Store) work(j *job) {
	w := &s.workers
	for {
		sync := j.sync // the caller owns j after the last answer
		b := j.b
		s.mem.written.Add(int64(b.Len()))
		merges := s.beginWrite(j.tables)
		err := s.attempt(func() error {
			if sync {
				return s.db.ApplyNoSyncWait(b, pebble.Sync)
			}
			return s.db.Apply(b, pebble.NoSync)
		})
		s.endWrite(j.tables, merges)
		j.applied <- err
		if sync && err == nil {
			j.synced <- s.attempt(b.SyncWait)
		}
		if w.idle.Add(1) > maxIdle {
			w.idle.Add(-1)
			return
		}
		select {
		case j = <-w.next:
			w.idle.Add(-1)
		case <-w.done:
			return
		}
	}
}

// write is a change on its way: a batch, and the keys that it writes.
type write struct {
	s       *Store
	op      string
	b       *pebble.Batch
	keys    keyRange
	job     *job
	pending bool // in s.unsynced
	lost    bool // Pebble keeps the batch
}

// apply makes the batch visible. Where it gives no error, finish must follow,
// after the caller has let go of latches.
func (w *write) apply(noSync bool) error {
	if w.b.Empty() {
		return nil
	}
	s := w.s
	j := jobs.Get().(*job)
	j.b, j.sync, j.tables = w.b, !noSync && !s.opts.NoSync, w.keys.appendTables(j.tables[:0])
	if j.sync {
		s.unsynced.begin(w)
	}
	s.start(j)
	select {
	case err := <-j.applied:
		if err != nil {
			w.end()
			return ambiguous(w.op, "", err)
		}
		if s.fault.err.Load() != nil {
			w.lost = true
			w.end()
			return s.fault.ambiguous(w.op, "")
		}
		w.job = j
		return nil
	case <-s.fault.down:
		w.lost = true
		w.end()
		return s.fault.ambiguous(w.op, "")
	}
}

// finish waits until the batch is on disk, where that was asked for.
func (w *write) finish() (err error) {
	j := w.job
	if j == nil {
		return nil
	}
	w.job = nil
	if j.sync {
		select {
		case err = <-j.synced:
			if err != nil { // the file system has said so already, unless Pebble failed by itself
				w.s.trip(fmt.Errorf("syncing the log: %w", err))
			}
		case <-w.s.fault.down:
		}
		if w.s.fault.err.Load() != nil {
			// A sync that ended before the fault counts as unknown too.
			w.lost = true
			w.end()
			return w.s.fault.ambiguous(w.op, "")
		}
	}
	w.end()
	j.b = nil
	clear(j.tables)
	jobs.Put(j)
	return nil
}

func (w *write) end() {
	if w.pending {
		w.pending = false
		w.s.unsynced.end(w)
	}
}

// close releases the batch.
func (w *write) close() {
	if !w.lost {
		w.b.Close()
	}
}

// commitAlone applies the batch of what holds a table, or the list of them, alone.
func (s *Store) commitAlone(op, name string, b *pebble.Batch, keys keyRange) error {
	w := write{s: s, op: op, b: b, keys: keys}
	defer w.close()
	err := w.apply(false)
	if err == nil {
		err = w.finish()
	}
	return wrap(op, name, err)
}

var _ = storage.CodeFault
