package pebble

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS stands between Pebble and the file system and decides what a failure
// means, before Pebble sees it:
//
//	file                        a change of it fails
//	logs, manifests, markers,
//	the folder itself           fault: what is on disk is unknown from here on
//	tables, loads, options      the flush, compaction or statement fails; while
//	                            opening, Open does
//	any, once there is a fault  a caller of Pebble's stops for ever
//
// A checkpoint being made elsewhere is not the store's: its failures are its own.
// It also makes files 0600, keeps syncs of logs in the mark (log_mark.go), and
// tells the reserve of refusals for lack of space.
type guardFS struct {
	vfs.FS
	s     *Store
	mark  *logMark
	lock  io.Closer    // of the folder
	own   bool         // the callers are the store's: they get the fault and go on
	fails atomic.Int32 // changes of tables that failed one after another
}

const filePerm = 0o600

type fileKind uint8

const (
	dataFile fileKind = iota
	rootFile          // manifests, markers and the folder
	logFile
)

func (g *guardFS) kind(path string) (kind fileKind, log uint64) {
	base := g.FS.PathBase(path)
	if num, ok := strings.CutSuffix(base, ".log"); ok {
		if n, err := strconv.ParseUint(num, 10, 64); err == nil {
			return logFile, n
		}
	}
	if strings.HasPrefix(base, "MANIFEST-") || strings.HasPrefix(base, "marker.") || base == markName {
		return rootFile, 0
	}
	return dataFile, 0
}

// handleTries is how often a log or manifest is tried to be made while there is
// no file handle left, a handlePause apart: Pebble itself would give up at once.
const (
	handleTries = 50
	handlePause = 100 * time.Millisecond
)

// change runs fn, which changes path.
func (g *guardFS) change(kind fileKind, what, path string, fn func() error) error {
	if err := g.alive(); err != nil {
		return err
	}
	err := fn()
	for try := 0; kind != dataFile && noHandles(err) && try < handleTries; try++ {
		time.Sleep(handlePause)
		err = fn()
	}
	if err == nil {
		return nil
	}
	g.s.space.note(err)
	if kind != dataFile || g.s.opening.Load() {
		g.s.trip(fmt.Errorf("cannot %s %s: %w", what, path, err))
		halt()
	}
	return err
}

// Pebble tries a failed flush or compaction again at once. Its next file waits.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

func (g *guardFS) pause(path string) {
	n := g.fails.Load()
	if n == 0 || g.s.opening.Load() || !strings.HasSuffix(path, ".sst") || g.FS.PathDir(path) == g.s.loadDir {
		return
	}
	t := time.NewTimer(min(firstPause<<min(n-1, 10), lastPause))
	defer t.Stop()
	select {
	case <-t.C:
	case <-g.s.closing:
	}
}

func (g *guardFS) Create(name string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	if g.s.checkpoints.holds(name) {
		return g.FS.Create(name, category)
	}
	g.pause(name)
	kind, log := g.kind(name)
	err = g.change(kind, "create", name, func() (err error) {
		if f, err = g.FS.Create(name, category); err == nil {
			err = private(f, name)
		}
		return err
	})
	g.count(kind, err)
	return g.file(f, name, kind, log, err)
}

// private keeps other users out of a file of the machine's.
func private(f vfs.File, name string) error {
	if f.Fd() == vfs.InvalidFd {
		return nil
	}
	err := os.Chmod(name, filePerm)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

func (g *guardFS) file(f vfs.File, name string, kind fileKind, log uint64, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &guardFile{File: f, g: g, path: name, kind: kind, log: log}, nil
}

func (g *guardFS) count(kind fileKind, err error) {
	switch {
	case kind != dataFile:
	case err != nil:
		g.fails.Add(1)
	case g.fails.Load() != 0:
		g.fails.Store(0)
	}
}

func (g *guardFS) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	if g.s.checkpoints.holds(name) {
		return g.FS.ReuseForWrite(old, name, category)
	}
	kind, log := g.kind(name)
	g.dropped(old)
	err = g.change(kind, "reuse "+old+" as", name, func() (err error) {
		f, err = g.FS.ReuseForWrite(old, name, category)
		return err
	})
	return g.file(f, name, kind, log, err)
}

// dropped notes that a log may be gone from now on.
func (g *guardFS) dropped(path string) {
	if kind, log := g.kind(path); kind == logFile && g.mark != nil {
		_ = g.change(rootFile, "write", g.mark.path, func() error { return g.mark.drop(log) })
	}
}

func (g *guardFS) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (f vfs.File, err error) {
	if g.s.checkpoints.holds(name) {
		return g.FS.OpenReadWrite(name, category, opts...)
	}
	kind, log := g.kind(name)
	err = g.change(kind, "open", name, func() (err error) {
		f, err = g.FS.OpenReadWrite(name, category, opts...)
		return err
	})
	return g.file(f, name, kind, log, err)
}

func (g *guardFS) OpenDir(name string) (vfs.File, error) {
	if g.s.checkpoints.holds(name) {
		return g.FS.OpenDir(name)
	}
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	kind := rootFile
	if name == g.s.loadDir {
		kind = dataFile
	}
	return &guardFile{File: f, g: g, path: name, kind: kind}, nil
}

func (g *guardFS) Link(old, name string) error {
	if g.s.checkpoints.holds(name) {
		return g.FS.Link(old, name)
	}
	kind, _ := g.kind(name)
	return g.change(kind, "link", name, func() error { return g.FS.Link(old, name) })
}

func (g *guardFS) Rename(old, name string) error {
	if g.s.checkpoints.holds(name) {
		return g.FS.Rename(old, name)
	}
	kind, _ := g.kind(name)
	return g.change(kind, "rename", name, func() error { return g.FS.Rename(old, name) })
}

// alive comes before each change.
func (g *guardFS) alive() error {
	err := g.s.fault.get("", "")
	if err != nil && !g.own {
		halt()
	}
	return err
}

// Remove never makes a fault: what is left of a file harms nobody.
func (g *guardFS) Remove(name string) error {
	if g.s.checkpoints.holds(name) {
		return g.FS.Remove(name)
	}
	if err := g.alive(); err != nil {
		return err
	}
	g.dropped(name)
	return g.FS.Remove(name)
}

func (g *guardFS) MkdirAll(dir string, perm os.FileMode) error {
	if g.s.checkpoints.holds(dir) {
		return g.FS.MkdirAll(dir, folderPerm)
	}
	return g.change(dataFile, "create", dir, func() error { return g.FS.MkdirAll(dir, folderPerm) })
}

// Lock keeps the lock for unlock.
func (g *guardFS) Lock(name string) (io.Closer, error) {
	l, err := g.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	g.lock = &onceCloser{l: l}
	return g.lock, nil
}

// unlock gives the folder back, where that is not done yet: after a fault
// Pebble does not come to it.
func (g *guardFS) unlock() error {
	if g.lock == nil {
		return nil
	}
	return g.lock.Close()
}

type onceCloser struct {
	once sync.Once
	l    io.Closer
}

func (c *onceCloser) Close() (err error) {
	c.once.Do(func() { err = c.l.Close() })
	return err
}

func (g *guardFS) Unwrap() vfs.FS { return g.FS }

// guardFile is a file that is written. Logs are written and synced by one
// goroutine.
type guardFile struct {
	vfs.File
	g       *guardFS
	path    string
	kind    fileKind
	log     uint64
	written int64
	size    int64 // see sizeAhead
}

func (f *guardFile) change(what string, fn func() error) error {
	err := f.g.change(f.kind, what, f.path, fn)
	if err != nil {
		f.g.count(f.kind, err)
	}
	return err
}

func (f *guardFile) Write(p []byte) (n int, err error) {
	f.sizeAhead(len(p))
	err = f.change("write", func() (err error) {
		n, err = f.File.Write(p)
		return err
	})
	f.written += int64(n)
	return n, err
}

func (f *guardFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.change("write", func() (err error) {
		n, err = f.File.WriteAt(p, off)
		return err
	})
	return n, err
}

func (f *guardFile) Sync() error     { return f.sync(f.File.Sync) }
func (f *guardFile) SyncData() error { return f.sync(f.File.SyncData) }

func (f *guardFile) SyncTo(length int64) (full bool, err error) {
	err = f.change("sync", func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

func (f *guardFile) sync(fn func() error) error {
	to := f.written
	err := f.change("sync", fn)
	if err == nil && f.kind == logFile && f.g.mark != nil {
		err = f.g.change(rootFile, "write", f.g.mark.path, func() error { return f.g.mark.synced(f.log, to) })
	}
	return err
}

func (f *guardFile) Close() error {
	if f.kind == logFile {
		return f.change("close", f.File.Close)
	}
	return f.File.Close()
}

// noHandles says that the process or the machine has no file handle left.
func noHandles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// noSpace says that the disk is full, or the quota used up.
func noSpace(err error) bool {
	return vfs.IsNoSpaceError(err) || errors.Is(err, syscall.EDQUOT)
}

const folderPerm = 0o700

// secure makes an existing store's folder and files private, where they are
// not. A folder that holds other things is left as it is.
func secure(fs vfs.FS, dir string) error {
	if vfs.Root(fs) != vfs.Default {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&^folderPerm != 0 {
		if err := os.Chmod(dir, folderPerm); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&^filePerm != 0 {
			if err := os.Chmod(filepath.Join(dir, e.Name()), filePerm); err != nil {
				return err
			}
		}
	}
	return nil
}
