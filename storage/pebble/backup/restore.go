package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/saltsql/saltsql/storage/pebble"
)

// Restore writes the store of backup name ("" is the newest) into folder target, which is
// made, is empty, or is what a Restore of this backup has begun and not finished. What has
// not the hash that the manifest says is a *DamageError, and the folder stays one that does
// not open.
func Restore(ctx context.Context, dir, name, target string) (*Manifest, error) {
	m, err := Load(dir, name)
	if err != nil {
		return nil, err
	}
	if err := begin(target, m.Name()); err != nil {
		return nil, err
	}
	for i := range m.Files {
		f := &m.Files[i]
		path := filepath.Join(target, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if n, sum, err := hashFile(ctx, path); err == nil && n == f.Size && sum == f.SHA256 {
			continue // by the Restore that was begun
		}
		n, sum, err := copyFile(ctx, f.path(dir), path)
		if err != nil {
			return nil, err
		}
		if n != f.Size || sum != f.SHA256 {
			return nil, &DamageError{f.path(dir), fmt.Errorf("its contents, %s of the store, are not those that were written", f.Name)}
		}
	}
	if err := syncFolder(target); err != nil {
		return nil, err
	}
	if err := os.Remove(filepath.Join(target, pebble.RestoringFile)); err != nil {
		return nil, err
	}
	return m, syncFolder(target)
}

// begin marks target as the folder of an unfinished store.
func begin(target, name string) error {
	if err := os.MkdirAll(target, 0o700); err != nil {
		return err
	}
	mark := filepath.Join(target, pebble.RestoringFile)
	begun, err := os.ReadFile(mark)
	switch {
	case err == nil && string(begun) == name:
		return nil
	case err == nil:
		return fmt.Errorf("folder %s holds a part of backup %q: restore that one again, or choose another folder", target, begun)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lost+found" { // a file system of its own
			return fmt.Errorf("folder %s is not empty", target)
		}
	}
	if err := writeSynced(mark+partSuffix, []byte(name)); err != nil {
		return err
	}
	return errors.Join(os.Rename(mark+partSuffix, mark), syncFolder(target))
}
