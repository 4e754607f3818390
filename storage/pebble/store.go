package pebble

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// Store implements storage.Store on one folder.
type Store struct {
	opts  Options
	path  string
	db    *pebble.DB
	cache *pebble.Cache
	lock  *pebble.Lock
	sync  *pebble.WriteOptions

	// life is held shared by every call that uses db and is not registered in
	// open, and exclusively to set closed.
	life   sync.RWMutex
	closed bool

	// writes is held shared while rows are written and exclusively by what
	// changes whole tables or ranges.
	writes  sync.RWMutex
	latches latches
	mem     memtables
	dir     atomic.Pointer[directory]
	next    uint32 // next table id; guarded by writes

	openMu sync.Mutex
	open   map[ender]struct{} // scanners and snapshots
	sweep  *sweeper

	loadDir string          // files of loads that are not committed
	loads   atomic.Uint64   // loads begun
	tuning  *pebble.Options // what db was opened with, defaults filled in
}

// ender is what Close ends before the database.
type ender interface{ end() }

var _ storage.Store = (*Store)(nil)

// Open opens the store in folder dir and creates it where there is none. A
// folder that another store holds open, in this process or another, is
// CodeUnavailable.
func Open(dir string, opts *Options) (*Store, error) {
	o := opts.withDefaults()
	s := &Store{opts: o, path: dir, open: map[ender]struct{}{}, sync: pebble.Sync}
	if abs, err := filepath.Abs(dir); err == nil {
		s.path = abs
	}
	if o.NoSync {
		s.sync = pebble.NoSync
	}
	s.latches.seed = maphash.MakeSeed()
	if err := o.FS.MkdirAll(dir, 0o755); err != nil {
		return nil, s.openError("cannot create the folder", err)
	}
	var err error
	if s.lock, err = pebble.LockDirectory(dir, o.FS); err != nil {
		return nil, s.lockError(err)
	}
	s.cache = pebble.NewCache(o.CacheBytes)
	s.tuning = o.pebbleOptions(s.cache, s.lock)
	s.mem.listen(s.tuning.EventListener)
	s.db, err = pebble.Open(dir, s.tuning)
	if err == nil {
		s.tuning.EnsureDefaults()
		s.loadDir = o.FS.PathJoin(dir, "loads")
		err = o.FS.RemoveAll(s.loadDir) // of a process that died
	}
	if err == nil {
		var d directory
		d, s.next, err = loadDirectory(s.db)
		s.dir.Store(&d)
	}
	if err != nil {
		return nil, s.openError("cannot open the store", errors.Join(err, s.release()))
	}
	s.sweep = startSweeper(s)
	return s, nil
}

func (s *Store) openError(what string, err error) error {
	e := storage.Errorf(storage.CodeUnknown, storage.OpOpen, "", "%s %s: %w", what, s.path, err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		e.Code = storage.CodePermissionDenied
	case pebble.IsCorruptionError(err), errors.Is(err, errDesc):
		e.Code = storage.CodeCorruption
	}
	return e
}

func (s *Store) lockError(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return s.openError("cannot lock the folder", err)
	}
	e := storage.Errorf(storage.CodeUnavailable, storage.OpOpen, "", "folder %s is in use by another store: %w", s.path, err)
	e.Hint = fmt.Sprintf("Only one process can have %s open. Stop the other one, or choose another folder.", s.path)
	return e
}

// release closes what Open has opened so far.
func (s *Store) release() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	s.cache.Unref()
	return errors.Join(err, s.lock.Close())
}

// Close implements storage.Store. Calls under way are waited for; open scanners
// and snapshots are ended.
func (s *Store) Close() error {
	s.life.Lock()
	was := s.closed
	s.closed = true
	s.life.Unlock()
	if was {
		return nil
	}
	s.sweep.end()
	for {
		s.openMu.Lock()
		var e ender
		for e = range s.open {
			break
		}
		s.openMu.Unlock()
		if e == nil {
			break
		}
		e.end() // removes itself
	}
	return wrap(storage.OpClose, "", s.release())
}

// register enters an ender that Close has to end. The caller holds life.
func (s *Store) register(e ender) {
	s.openMu.Lock()
	s.open[e] = struct{}{}
	s.openMu.Unlock()
}

func (s *Store) unregister(e ender) {
	s.openMu.Lock()
	delete(s.open, e)
	s.openMu.Unlock()
}

// enter is the first line of every call. Where it gives no error the caller
// must exit.
func (s *Store) enter(ctx context.Context, op, table string) error {
	s.life.RLock()
	if s.closed {
		s.life.RUnlock()
		return errClosed(op, table)
	}
	if err := ctx.Err(); err != nil {
		s.life.RUnlock()
		return storage.CtxError(op, table, err)
	}
	return nil
}

func (s *Store) exit() { s.life.RUnlock() }

func (s *Store) lookup(op, name string) (*tableState, error) {
	if t := (*s.dir.Load())[name]; t != nil {
		return t, nil
	}
	return nil, errNoTable(op, name)
}

// Caps implements storage.Store.
func (s *Store) Caps() storage.Caps {
	return storage.Caps{
		Name: "pebble", AtomicBatch: true, Snapshots: true, ScanFanout: max(2, runtime.GOMAXPROCS(0)), SmallScanSerial: true,
		MaxKeysPerGet: 1 << 20, TimestampGranularity: time.Millisecond, Exclusive: true,
	}
}

// Path is the folder, absolute.
func (s *Store) Path() string { return s.path }

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s} }

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table { return &table{s, name} }
