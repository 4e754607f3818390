package pebble

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// brokenFolder fails every change of what lies in a folder called "broken".
type brokenFolder struct{ vfs.FS }

var errBrokenFolder = fmt.Errorf("the other disk: %w", syscall.ENOSPC)

func (b brokenFolder) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.Contains(name, "broken") {
		return nil, errBrokenFolder
	}
	return b.FS.Create(name, c)
}

func (b brokenFolder) Link(old, name string) error {
	if strings.Contains(name, "broken") {
		return errBrokenFolder
	}
	return b.FS.Link(old, name)
}

func rowsOf(t *testing.T, s *Store) (n int) {
	t.Helper()
	sc, err := s.Table("t").Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}, KeysOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var rb storage.RowBatch
	for sc.Next(&rb) == nil {
		n += rb.Len()
	}
	return n
}

// TestCheckpoint copies a store while it is written, and opens the copy, to write and to
// read only.
func TestCheckpoint(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	fatal := 0
	s, err := Open(filepath.Join(dir, "store"), &Options{FS: brokenFolder{vfs.Default}, OnFatal: func(error) { fatal++ }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	put := func(s *Store, from, to int) error {
		for i := from; i < to; i++ {
			row := storage.RowMutation{Key: fmt.Appendf(nil, "k%06d", i), Mutations: []storage.Mutation{{Op: storage.SetCell, Family: "0", Qualifier: []byte("q"), Timestamp: 1000, Value: []byte("v")}}}
			if err := s.Table("t").Mutate(ctx, []storage.RowMutation{row}, storage.WriteOptions{NoSync: i%10 != 0}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := put(s, 0, 500); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := put(s, 500, 1000); err != nil {
			t.Error(err)
		}
	})
	copied := filepath.Join(dir, "copy")
	if err := s.Checkpoint(ctx, copied); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := s.Checkpoint(ctx, copied); storage.CodeOf(err) != storage.CodeAlreadyExists {
		t.Error(err)
	}
	// A disk that fails under the copy does not fail the store.
	if err := s.Checkpoint(ctx, filepath.Join(dir, "broken")); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if err := put(s, 1000, 1100); err != nil || fatal != 0 {
		t.Error(err, fatal)
	}
	if n := rowsOf(t, s); n != 1100 {
		t.Errorf("%d rows", n)
	}
	if s.DiskUsage() == 0 || s.Metrics().WAL.BytesIn == 0 {
		t.Error("nothing is measured")
	}

	r, err := Open(copied, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	n := rowsOf(t, r)
	if n < 500 || n > 1000 {
		t.Errorf("the copy has %d rows", n)
	}
	if err := put(r, 0, 1); storage.CodeOf(err) != storage.CodeReadOnly {
		t.Error(err)
	}
	if err := r.Admin().Truncate(ctx, "t"); storage.CodeOf(err) != storage.CodeReadOnly {
		t.Error(err)
	}
	if _, err := r.Load(ctx, "t", true); storage.CodeOf(err) != storage.CodeReadOnly {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	w, err := Open(copied, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again := rowsOf(t, w); again != n {
		t.Errorf("%d rows, %d when it was read only", again, n)
	}
	if err := put(w, 5000, 5001); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil || w.DiskUsage() != 0 {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "nowhere"), &Options{ReadOnly: true}); storage.CodeOf(err) != storage.CodeNotFound {
		t.Error(err)
	}
	if _, err := Open(t.TempDir(), &Options{ReadOnly: true}); storage.CodeOf(err) != storage.CodeNotFound {
		t.Error(err)
	}
}
