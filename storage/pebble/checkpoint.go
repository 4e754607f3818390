package pebble

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

const (
	opCheckpoint  = "checkpoint"
	opCheckLevels = "check_levels"
)

// checkpoints is where a checkpoint is being made. What goes wrong there is the
// checkpoint's own: it says nothing of the store's disk.
type checkpoints struct {
	mu  sync.Mutex // one at a time
	dir atomic.Pointer[string]

	made atomic.Int64 // by HoldCheckpoint
}

// holds says that a path is that of the checkpoint being made, or lies in it.
func (c *checkpoints) holds(path string) bool {
	dir := c.dir.Load()
	return dir != nil && (path == *dir || strings.HasPrefix(path, *dir+string(filepath.Separator)))
}

// Checkpoint makes, in the new folder dir, a store of all that is committed now, which
// Open opens. On the same file system it takes little time and space: files are linked,
// and take space of their own once the store has replaced them. Statements go on
// meanwhile. What fails is removed.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	const op = opCheckpoint
	if err := s.enter(ctx, op, ""); err != nil {
		return err
	}
	defer s.exit()
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	s.checkpoints.mu.Lock()
	defer s.checkpoints.mu.Unlock()
	if _, err := s.opts.FS.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = storage.Errorf(storage.CodeAlreadyExists, op, "", "folder %s is there already", dir)
		}
		return wrap(op, "", err)
	}
	s.checkpoints.dir.Store(&dir)
	defer s.checkpoints.dir.Store(nil)
	err := s.detached(func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) })
	if err != nil {
		return wrap(op, "", errors.Join(err, s.opts.FS.RemoveAll(dir)))
	}
	return nil
}

// checkpointFolder, in the store's, holds the checkpoints of HoldCheckpoint.
const checkpointFolder = "checkpoints"

// HoldCheckpoint makes a checkpoint on the store's own disk, of which files are copied. The
// caller must release it: until then, or until the store is opened anew, it keeps files on the disk
// that the store has replaced.
func (s *Store) HoldCheckpoint(ctx context.Context) (dir string, release func() error, err error) {
	parent := s.opts.FS.PathJoin(s.path, checkpointFolder)
	if err := s.loadFS.MkdirAll(parent, folderPerm); err != nil {
		return "", nil, wrap(opCheckpoint, "", err)
	}
	dir = s.opts.FS.PathJoin(parent, strconv.FormatInt(s.checkpoints.made.Add(1), 10))
	if err := s.Checkpoint(ctx, dir); err != nil {
		return "", nil, err
	}
	return dir, func() error { return s.opts.FS.RemoveAll(dir) }, nil
}

// RestoringFile, in a folder, says that a backup is being restored there: Open answers
// CodeCorruption until it is removed.
const RestoringFile = "saltsql.restoring"

// Files lists what a copy of the store in folder dir is made of, in order: tables, logs,
// manifests, and what names the newest of them. The lock and what is passing are not among it.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && ofStore(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func ofStore(name string) bool {
	for _, prefix := range []string{"MANIFEST-", "OPTIONS-", "marker."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{".sst", ".blob", ".log"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return name == markName
}

// CheckLevels reads all keys of the store's files, and says where they are not in order.
func (s *Store) CheckLevels(ctx context.Context) error {
	const op = opCheckLevels
	if err := s.enter(ctx, op, ""); err != nil {
		return err
	}
	defer s.exit()
	return wrap(op, "", s.detached(func() error { return s.db.CheckLevels(nil) }))
}

// Metrics are Pebble's own numbers of the store. They are costly to gather: a few times a
// minute is good.
func (s *Store) Metrics() *pebble.Metrics {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed || s.fault.get("", "") != nil {
		return &pebble.Metrics{}
	}
	return s.db.Metrics()
}

// DiskUsage is how many bytes the store takes on the disk, what it is about to remove
// included. It is 0 once the store is closed or has failed.
func (s *Store) DiskUsage() uint64 {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed || s.fault.get("", "") != nil {
		return 0
	}
	return s.db.Metrics().DiskSpaceUsage()
}
