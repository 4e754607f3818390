package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/pebble/backup"
)

func open(t *testing.T, dir string) *pebble.Store {
	t.Helper()
	s, err := pebble.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t *testing.T, s *pebble.Store, from, to int) {
	t.Helper()
	var rows []storage.RowMutation
	for i := from; i < to; i++ {
		rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "k%06d", i), Mutations: []storage.Mutation{
			{Op: storage.SetCell, Family: "0", Qualifier: []byte("q"), Timestamp: 1000, Value: []byte(strings.Repeat("v", 100))}}})
	}
	if err := s.Table("t").Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, dir string) (n int) {
	t.Helper()
	s, err := pebble.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sc, err := s.Table("t").Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}, KeysOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var b storage.RowBatch
	for sc.Next(&b) == nil {
		n += b.Len()
	}
	return n
}

func made(t *testing.T, s *pebble.Store, dir string) *backup.Done {
	t.Helper()
	from, release, err := s.HoldCheckpoint(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	done, err := backup.Make(context.Background(), from, dir, backup.About{})
	if err := errors.Join(err, release()); err != nil {
		t.Fatal(err)
	}
	return done
}

// TestMoments makes backups of a store that grows, restores each, and removes the older.
func TestMoments(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	dir := filepath.Join(root, "backups")
	s := open(t, filepath.Join(root, "store"))
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 3 {
		put(t, s, i*1000, i*1000+1000)
		names = append(names, made(t, s, dir).Manifest.Name())
		if err := s.Close(); err != nil { // its rows go from the log to a table
			t.Fatal(err)
		}
		s = open(t, filepath.Join(root, "store"))
	}
	again := made(t, s, dir)
	if len(again.Manifest.Files) < 3 {
		t.Fatalf("the backup has %d files only", len(again.Manifest.Files))
	}
	tables := 0
	for _, f := range again.Manifest.Files {
		if strings.HasSuffix(f.Name, ".sst") {
			tables++
		}
	}
	next := made(t, s, dir)
	if tables == 0 || next.Copied > len(next.Manifest.Files)-tables {
		t.Errorf("of %d files, %d of them tables, %d were copied although nothing has changed", len(next.Manifest.Files), tables, next.Copied)
	}
	for i, name := range names {
		target := filepath.Join(root, "restored"+name)
		if _, err := backup.Restore(ctx, dir, name, target); err != nil {
			t.Fatal(err)
		}
		if n := count(t, target); n != (i+1)*1000 {
			t.Errorf("backup %s has %d rows, want %d", name, n, (i+1)*1000)
		}
		if _, err := backup.Restore(ctx, dir, name, target); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("a restore into a store: %v", err)
		}
	}
	if removed, err := backup.Prune(dir, 1); err != nil || removed != 4 {
		t.Fatalf("%d backups were removed: %v", removed, err)
	}
	if found, err := backup.Verify(ctx, dir); err != nil || len(found) > 0 {
		t.Fatalf("after removing others: %v, %v", found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left := files(t, filepath.Join(dir, "files"))
	if len(left) > len(next.Manifest.Files) {
		t.Errorf("%d files are left for a backup of %d", len(left), len(next.Manifest.Files))
	}
}

// TestHalfRestored refuses to open what was not restored to its end, and goes on with it.
func TestHalfRestored(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	dir, target := filepath.Join(root, "backups"), filepath.Join(root, "target")
	s := open(t, filepath.Join(root, "store"))
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	put(t, s, 0, 1000)
	m := made(t, s, dir).Manifest
	last := &m.Files[len(m.Files)-1]
	path := filepath.Join(dir, "files", last.SHA256[:2], last.SHA256)
	if err := os.Rename(path, path+".gone"); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(ctx, dir, "", target); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a file is missing: %v", err)
	}
	if _, err := pebble.Open(target, nil); storage.CodeOf(err) != storage.CodeCorruption || !strings.Contains(err.Error(), "restored") {
		t.Fatalf("a half restored store: %v", err)
	}
	if err := os.Rename(path+".gone", path); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(ctx, dir, "", target); err != nil {
		t.Fatal(err)
	}
	if n := count(t, target); n != 1000 {
		t.Errorf("%d rows are restored, want 1000", n)
	}
}

func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// flips are the offsets of a file of so many bytes to change: every one of a small file, and of a
// larger one its ends and 64 between.
func flips(size int) (at []int) {
	step := 1
	if size > 4<<10 {
		step = size / 64
	}
	for i := 0; i < size; i += step {
		at = append(at, i)
	}
	if step > 1 {
		at = append(at, size-1)
	}
	return at
}

// TestFlippedByte changes each file of a backup by one bit, the manifest among them: Verify names
// that file, and Restore gives no store.
func TestFlippedByte(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	dir := filepath.Join(root, "backups")
	s := open(t, filepath.Join(root, "store"))
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	put(t, s, 0, 500)
	made(t, s, dir)
	flipped := 0
	for i, path := range files(t, dir) {
		good, err := os.ReadFile(path)
		if err != nil || filepath.Base(path) == "LOCK" {
			continue
		}
		for _, at := range flips(len(good)) {
			bad := append([]byte(nil), good...)
			bad[at] ^= 0x10
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := backup.Verify(ctx, dir)
			if err != nil || len(found) != 1 || found[0].Path != path {
				t.Errorf("byte %d of %s is another: %v, %v", at, path, found, err)
			}
			if flipped++; at%64 != 0 {
				continue
			}
			target := filepath.Join(root, fmt.Sprint("t", i, "-", at))
			var damage *backup.DamageError
			if _, err := backup.Restore(ctx, dir, "", target); !errors.As(err, &damage) {
				t.Errorf("byte %d of %s is another, and Restore says %v", at, path, err)
			}
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if flipped < 1000 {
		t.Fatalf("%d bytes were flipped only", flipped)
	}
	t.Logf("%d bytes were flipped, one at a time", flipped)
}
