package pebble

import (
	"io"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/storagetest"
)

func testOptions(fs vfs.FS) *Options {
	return &Options{CacheBytes: 8 << 20, FS: fs, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func openTest(t testing.TB, opts *Options) *Store {
	t.Helper()
	s, err := Open("data", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		return openTest(t, testOptions(vfs.NewMem()))
	})
}
