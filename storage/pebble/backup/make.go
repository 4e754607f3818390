package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage/pebble"
)

const (
	filesFolder = "files"
	partSuffix  = ".part" // of a file that is being written
	lockFile    = "LOCK"
)

// Done says what a Make has done.
type Done struct {
	Manifest *Manifest
	Copied   int   // files that were not there
	Bytes    int64 // of these
}

// Make adds to dir, which it makes, a backup of the store in folder from: a checkpoint, or a
// store that nobody writes to meanwhile. One Make at a time may work on a dir; another is
// an error.
func Make(ctx context.Context, from, dir string, about About) (*Done, error) {
	if err := os.MkdirAll(filepath.Join(dir, filesFolder), 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	known, err := knownFiles(dir)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Format: manifestFormat, Made: time.Now().UTC().Truncate(time.Millisecond), About: about}
	done := &Done{Manifest: m}
	names, err := pebble.Files(from)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := entry(from, name)
		if err != nil {
			return nil, err
		}
		if f.SHA256 = known[fileID{f.Name, f.Size, f.Modified.UnixNano()}]; f.SHA256 != "" && whole(f.path(dir), f.Size) {
			m.Files = append(m.Files, f)
			continue
		}
		n, copied, err := add(ctx, filepath.Join(from, name), dir, &f)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, f)
		if copied {
			done.Copied++
			done.Bytes += n
		}
	}
	return done, save(dir, m)
}

// save writes the manifest: from then on the backup is there.
func save(dir string, m *Manifest) error {
	b, err := m.encode()
	if err != nil {
		return err
	}
	if _, err := os.Stat(m.path(dir)); err == nil {
		return fmt.Errorf("there is a backup of %s already", m.Name())
	}
	if err := writeSynced(m.path(dir)+partSuffix, b); err != nil {
		return err
	}
	if err := os.Rename(m.path(dir)+partSuffix, m.path(dir)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// fileID tells a file of a store from others that had its name.
type fileID struct {
	name     string
	size     int64
	modified int64
}

// knownFiles gives the hashes of the files that the backups of dir hold. A manifest that
// cannot be read is no reason not to make another backup: Verify tells of it.
func knownFiles(dir string) (map[fileID]string, error) {
	names, err := Names(dir)
	if err != nil {
		return nil, err
	}
	known := map[fileID]string{}
	for _, name := range names {
		m, err := Load(dir, name)
		var damage *DamageError
		switch {
		case errors.As(err, &damage):
			continue
		case err != nil:
			return nil, err
		}
		for _, f := range m.Files {
			known[fileID{f.Name, f.Size, f.Modified.UnixNano()}] = f.SHA256
		}
	}
	return known, nil
}

func entry(from, name string) (File, error) {
	info, err := os.Stat(filepath.Join(from, name))
	if err != nil {
		return File{}, err
	}
	return File{Name: name, Size: info.Size(), Modified: info.ModTime().UTC()}, nil
}

func whole(path string, size int64) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// add copies a file of the store to its place, which its contents decide.
func add(ctx context.Context, path, dir string, f *File) (n int64, copied bool, err error) {
	part := filepath.Join(dir, filesFolder, "new"+partSuffix)
	n, sum, err := copyFile(ctx, path, part)
	if err != nil {
		return 0, false, errors.Join(err, os.Remove(part))
	}
	f.Size, f.SHA256 = n, sum
	place := f.path(dir)
	if whole(place, n) {
		return 0, false, os.Remove(part)
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return 0, false, err
	}
	if err := os.Rename(part, place); err != nil {
		return 0, false, err
	}
	return n, true, errors.Join(syncFolder(filepath.Dir(place)), syncFolder(filepath.Join(dir, filesFolder)))
}

// lock keeps others from changing dir.
func lock(dir string) (unlock func(), err error) {
	l, err := vfs.Default.Lock(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("another backup is being made in %s: %w", dir, err)
	}
	return func() { _ = l.Close() }, nil
}

// Prune removes all backups of dir but the newest keep, and the files that only those had.
func Prune(dir string, keep int) (removed int, err error) {
	unlock, err := lock(dir)
	if err != nil {
		return 0, err
	}
	defer unlock()
	names, err := Names(dir)
	if err != nil {
		return 0, err
	}
	used := map[string]bool{}
	for _, name := range names[max(0, len(names)-keep):] {
		m, err := Load(dir, name)
		if err != nil {
			return 0, err
		}
		for _, f := range m.Files {
			used[f.SHA256] = true
		}
	}
	for _, name := range names[:max(0, len(names)-keep)] {
		if err := os.Remove(filepath.Join(dir, name+manifestSuffix)); err != nil {
			return removed, err
		}
		removed++
	}
	if err := syncFolder(dir); err != nil { // no manifest comes back that lacks a file
		return removed, err
	}
	return removed, filepath.WalkDir(filepath.Join(dir, filesFolder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || used[d.Name()] || strings.HasSuffix(d.Name(), partSuffix) {
			return err
		}
		return os.Remove(path)
	})
}
