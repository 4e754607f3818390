//go:build !parquet

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWithoutParquet holds that a build without Parquet says so before it writes or asks anything.
func TestWithoutParquet(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := exportTables(t.Context(), []string{"--format", "parquet", out}, io.Discard, io.Discard); !errors.Is(err, errNoParquet) {
		t.Errorf("export: %v", err)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("export has made its folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "public.t.parquet"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := importTables(t.Context(), []string{dir}, io.Discard, io.Discard); !errors.Is(err, errNoParquet) {
		t.Errorf("import: %v", err)
	}
}
