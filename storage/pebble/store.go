package pebble

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// Store implements storage.Store on one folder.
type Store struct {
	opts   Options
	path   string
	fs     *guardFS
	loadFS *guardFS // for the files of loads
	fault  fault
	space  space
	db     *pebble.DB
	cache  *pebble.Cache
	lock   *pebble.Lock

	opening atomic.Bool   // Open has not returned
	closing chan struct{} // closed when Close begins
	workers workers

	// life is held shared by every call that uses db and is not registered in
	// open, and exclusively to set closed.
	life   sync.RWMutex
	closed bool

	// ddl is held while tables are made, altered and dropped. Locks are taken in
	// the order tableState.writes (by id), ddl or latches.
	ddl     sync.Mutex
	latches latches
	// unsynced are the writes that readers must wait for.
	unsynced unsynced
	views    views
	// unpublished are those of which readers must not see a part.
	unpublished unpublished
	mem         memtables
	runs        sortedRuns
	dir         atomic.Pointer[directory]
	next        uint32 // next table id; guarded by ddl

	openMu sync.Mutex
	open   map[ender]struct{} // scanners and snapshots
	sweep  *sweeper
	seeks  *seekCompactor // nil where nothing is written

	checkpoints checkpoints
	calls       callCounters

	loadDir string        // files of loads that are not committed
	loads   atomic.Uint64 // loads begun
	// loadsOpen are those that have not ended.
	loadsOpen atomic.Int64
	tuning    *pebble.Options // what db was opened with, defaults filled in
}

// ender is what Close ends before the database.
type ender interface{ end() }

var _ storage.Store = (*Store)(nil)

// Open opens the store in folder dir and creates it where there is none. A
// folder that another store holds open, in this process or another, is
// CodeUnavailable; one that has lost committed changes is CodeCorruption.
func Open(dir string, opts *Options) (*Store, error) {
	return OpenContext(context.Background(), dir, opts)
}

// OpenContext is Open, which can be ended by ctx: reading long logs may take
// seconds, and longer where the disk hangs.
func OpenContext(ctx context.Context, dir string, opts *Options) (*Store, error) {
	s := &Store{opts: opts.withDefaults(), path: dir, open: map[ender]struct{}{}, closing: make(chan struct{}), calls: callCounters{start: time.Now()}}
	if abs, err := filepath.Abs(dir); err == nil {
		s.path = abs
	}
	s.fault.down = make(chan struct{})
	s.workers.next, s.workers.done = make(chan *job), s.closing
	s.latches.seed = maphash.MakeSeed()
	s.fs, s.loadFS = &guardFS{FS: s.opts.FS, s: s}, &guardFS{FS: s.opts.FS, s: s, own: true}
	s.opening.Store(true)
	opened := make(chan error, 1)
	go func() { opened <- s.attempt(func() error { return s.openDir(dir) }) }()
	var err error
	select {
	case err = <-opened:
	case <-s.fault.down:
		err = s.fault.err.Load().Cause
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil && s.fault.err.Load() != nil {
		err = s.fault.err.Load().Cause
	}
	if err != nil {
		s.fault.set(storage.Errorf(storage.CodeFault, "", "", "the store was not opened: %w", err)) // what still runs stops
		return nil, s.openError(errors.Join(err, s.fs.unlock()))
	}
	s.opening.Store(false)
	if !s.opts.ReadOnly {
		s.sweep, s.seeks = startSweeper(s), startSeekCompactor(s)
	}
	return s, nil
}

// openDir runs while opening is set: where a change of the disk fails in it, it
// does not return.
func (s *Store) openDir(dir string) error {
	fs := s.opts.FS
	var err error
	if s.opts.ReadOnly {
		_, err = fs.Stat(dir)
	} else {
		err = fs.MkdirAll(dir, folderPerm)
	}
	if err != nil {
		return err
	}
	if s.lock, err = pebble.LockDirectory(dir, s.fs); err != nil {
		return &lockError{err}
	}
	found, err := pebble.Peek(dir, fs)
	if err != nil {
		return s.closeDir(err)
	}
	ls, err := fs.List(dir)
	if err != nil {
		return s.closeDir(err)
	}
	if slices.Contains(ls, RestoringFile) {
		return s.closeDir(errRestoring)
	}
	switch {
	case s.opts.ReadOnly && !found.Exists:
		return s.closeDir(errNoStore)
	case s.opts.ReadOnly:
	case found.Exists || len(ls) <= 1: // the lock
		if err := secure(fs, dir); err != nil {
			s.opts.Logger.Warn("pebble: other users of the machine may read the store: its folder and files cannot be made private", "folder", s.path, "err", err)
		}
	}
	mark, err := openMark(fs, dir, s.opts.ReadOnly)
	if err != nil {
		return s.closeDir(err)
	}
	s.fs.mark = mark
	s.loadDir = fs.PathJoin(dir, "loads")
	s.space.open(fs, dir, s.opts.ReserveBytes, s.opts.Logger)
	s.cache = pebble.NewCache(s.opts.CacheBytes)
	s.tuning = s.pebbleOptions(s.cache, s.lock, s.format(found))
	s.mem.listen(s.tuning.EventListener)
	s.views.listen(s.tuning.EventListener)
	s.unpublished.listen(s.tuning.EventListener)
	if s.db, err = pebble.Open(dir, s.tuning); err != nil {
		return s.closeDir(err)
	}
	s.tuning.EnsureDefaults()
	s.runs.open(dir, s.tuning)
	var d directory
	if !s.opts.ReadOnly {
		err = errors.Join(fs.RemoveAll(s.loadDir), fs.RemoveAll(fs.PathJoin(dir, checkpointFolder))) // of a process that died
	}
	if err == nil {
		d, s.next, err = loadDirectory(s.db)
		s.dir.Store(&d)
		if !s.opts.ReadOnly && s.db.Metrics().MemTable.Count == 1 { // what the log held is in files
			for _, t := range d {
				t.inFilesUpTo(1)
			}
		}
	}
	if err != nil {
		return s.closeDir(err)
	}
	return nil
}

// format gives the format to open a folder with.
func (s *Store) format(found *pebble.DBDesc) pebble.FormatMajorVersion {
	if !found.Exists {
		return storeFormat
	}
	has := found.FormatMajorVersion
	switch {
	case has >= storeFormat:
		return has
	case s.opts.ReadOnly:
		return has
	case s.opts.Upgrade:
		s.opts.Logger.Info("pebble: raising the format of the store", "folder", s.path, "from", uint64(has), "to", uint64(storeFormat))
		return storeFormat
	}
	s.opts.Logger.Info("pebble: the store keeps its older format; saltsql upgrade raises it", "folder", s.path, "format", uint64(has), "newest", uint64(storeFormat))
	return has
}

// closeDir closes what openDir has opened so far.
func (s *Store) closeDir(err error) error {
	err = errors.Join(err, s.runs.close())
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	if s.cache != nil {
		s.cache.Unref()
	}
	if s.fs.mark != nil {
		err = errors.Join(err, s.fs.mark.close())
	}
	return errors.Join(err, s.lock.Close())
}

// errNoStore says that a folder that is to be read only has nothing to read.
var errNoStore = errors.New("there is no store in the folder")

// errRestoring says that a folder holds a part of a store.
var errRestoring = errors.New("a backup is being restored into the folder, or was not restored to its end")

type lockError struct{ error }

func (e *lockError) Unwrap() error { return e.error }

func (s *Store) openError(err error) error {
	e := storage.Errorf(storage.CodeUnknown, storage.OpOpen, "", "cannot open the store %s: %w", s.path, err)
	var locked *lockError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Code = storage.CodeCanceled
	case errors.Is(err, errNoStore), errors.Is(err, fs.ErrNotExist) && s.opts.ReadOnly:
		e.Code = storage.CodeNotFound
		e.Hint = "A store that is opened read-only is not made: open it once without ReadOnly."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Code = storage.CodePermissionDenied
		e.Hint = "The server's user must be able to write the folder and all files in it."
	case noSpace(err):
		e.Code = storage.CodeDiskFull
		e.Hint = "Free some space on the disk and start again: opening a store writes its newest changes to tables."
	case noHandles(err):
		e.Code = storage.CodeTooManyFiles
		e.Hint = handleHint
	case errors.As(err, &locked):
		e.Code = storage.CodeUnavailable
		e.Msg = fmt.Sprintf("folder %s is in use by another store: %v", s.path, locked.error)
		e.Hint = fmt.Sprintf("Only one process can have %s open. Stop the other one, or choose another folder.", s.path)
	case errors.Is(err, errRestoring):
		e.Code = storage.CodeCorruption
		e.Hint = "Run saltsql restore again: it goes on where it was."
	case errors.Is(err, errLogLost):
		e.Code = storage.CodeCorruption
		e.Hint = fmt.Sprintf("Restore the folder from a backup. To open it without the missing changes, remove %s from it.", markName)
	case pebble.IsCorruptionError(err), errors.Is(err, errDesc):
		e.Code = storage.CodeCorruption
		e.Hint = "Restore the folder from a backup."
	}
	return e
}

// closePatience is how long Close waits for calls under way; one that Pebble
// keeps waiting, as on a full disk, is not waited for any longer.
const closePatience = 10 * time.Second

// Close implements storage.Store. Calls under way are waited for; open scanners
// and snapshots are ended.
func (s *Store) Close() error {
	hurry := time.AfterFunc(closePatience, func() {
		s.fault.set(storage.Errorf(storage.CodeFault, "", "", "the store in %s was closed while the disk did not take its writes", s.path))
	})
	defer hurry.Stop()
	s.life.Lock()
	was := s.closed
	s.closed = true
	s.life.Unlock()
	if was {
		return nil
	}
	close(s.closing)
	s.views.close()
	if s.sweep != nil {
		s.sweep.end()
		s.seeks.end()
	}
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
	if s.fault.err.Load() == nil {
		err := s.detached(func() error { return s.closeDir(nil) })
		if s.fault.err.Load() == nil {
			return wrap(storage.OpClose, "", err)
		}
	}
	return errors.Join(s.fault.get(storage.OpClose, ""), s.fs.unlock())
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
	if err := s.fault.get(op, table); err != nil {
		s.life.RUnlock()
		return err
	}
	if s.opts.ReadOnly && !reads(op) {
		s.life.RUnlock()
		return storage.Errorf(storage.CodeReadOnly, op, table, "the store was opened read-only")
	}
	return nil
}

// reads lists the calls that a store takes that is opened read-only.
func reads(op string) bool {
	switch op {
	case storage.OpScan, storage.OpMultiGet, storage.OpTablets, storage.OpSample, storage.OpSnapshot, storage.OpTables, opCheckpoint, opCheckLevels:
		return true
	}
	return false
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
		Name: "pebble", AtomicBatch: true, Snapshots: true, Loads: true, Compacts: true, Seeks: true,
		ScanFanout: max(2, runtime.GOMAXPROCS(0)), SmallScanSerial: true,
		MaxKeysPerGet: 1 << 20, Exclusive: true,
		ReadOnly: s.opts.ReadOnly,
	}
}

// Format is the version of the folder's format.
func (s *Store) Format() uint64 { return uint64(s.db.FormatMajorVersion()) }

// Path is the folder, absolute.
func (s *Store) Path() string { return s.path }

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s} }

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table { return &table{s, name} }
