package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Verify reads all that the backups of dir are made of, and says what is not as it was
// written, or missing. The error is about what could not be read.
func Verify(ctx context.Context, dir string) (found []*DamageError, err error) {
	names, err := Names(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no backup in %s: %w", dir, os.ErrNotExist)
	}
	read := map[string]bool{} // hashes
	for _, name := range names {
		m, err := Load(dir, name)
		var damage *DamageError
		if errors.As(err, &damage) {
			found = append(found, damage)
			continue
		}
		if err != nil {
			return found, err
		}
		for i := range m.Files {
			f := &m.Files[i]
			if read[f.SHA256] {
				continue
			}
			read[f.SHA256] = true
			n, sum, err := hashFile(ctx, f.path(dir))
			switch {
			case errors.Is(err, os.ErrNotExist):
				found = append(found, &DamageError{f.path(dir), fmt.Errorf("it is missing: %s of backup %s", f.Name, name)})
			case err != nil:
				return found, err
			case n != f.Size || sum != f.SHA256:
				found = append(found, &DamageError{f.path(dir), fmt.Errorf("its contents are not those of %s of backup %s", f.Name, name)})
			}
		}
	}
	return found, nil
}

// View makes in target, which it makes, a store whose files are links to those of a backup.
// It may be opened read-only, and removed afterwards.
func View(dir string, m *Manifest, target string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for i := range m.Files {
		f := &m.Files[i]
		path := filepath.Join(target, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.Symlink(f.path(dir), path); err != nil {
			return err
		}
	}
	return nil
}
