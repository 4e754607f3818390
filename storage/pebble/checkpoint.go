package pebble

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

const opCheckpoint = "checkpoint"

// checkpoints is where a checkpoint is being made. What goes wrong there is the
// checkpoint's own: it says nothing of the store's disk.
type checkpoints struct {
	mu  sync.Mutex // one at a time
	dir atomic.Pointer[string]
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
